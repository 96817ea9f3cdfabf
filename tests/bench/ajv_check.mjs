// What a stock validator needs for the same files: js-yaml reads them, ajv checks them against the schema, no more.
// node ajv_check.mjs PACKAGES SCHEMA FILE...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [packages, schema, ...files] = process.argv.slice(2);
const require = createRequire(packages + "/");
const Ajv = require("ajv");
const yaml = require("js-yaml");

// The schema carries notes of its own (x-...), which ajv would refuse in strict mode.
const check = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(readFileSync(schema, "utf8")));
let bad = 0;
for (const file of files) {
  if (!check(yaml.load(readFileSync(file, "utf8")))) {
    bad += 1;
    console.error(file, check.errors[0]);
  }
}
console.log(`${files.length} files, ${bad} bad`);
process.exit(bad === 0 ? 0 : 1);
