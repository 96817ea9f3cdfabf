// The page is checked in as schema/README.md; a test compares.
#include "reconciler/report/reference.h"

#include "reconciler/report/code_pages.h"

namespace quorate::report {

std::string reference_markdown(const std::vector<Field>& fields, const std::vector<Field>& node_fields) {
  return "# schema\n\n"
         "`cluster.schema.json` (JSON Schema, draft-07) is the one list of fields of the desired-cluster file. It is\n"
         "embedded in the binary: the check, the defaults, `quorate explain` and this page are read off it. This page "
         "is\n"
         "written by `quorate schema -o markdown`.\n\n"
         "In an editor with a YAML language server, the first line of a file gives completion and hover text:\n\n"
         "```yaml\n# yaml-language-server: $schema=cluster.schema.json\n```\n\n"
         "Keywords of our own: `x-since` (the release that brought the field), `x-default` (a default in words),\n"
         "`x-format` (the form of a text), `x-runtime` (the only runtimes that read the field). Keys that start with\n"
         "`x-` in a file are free space, for anchors and notes.\n\n"
         "What quorate itself writes has schemas of its own, which `quorate schema observation` and\n"
         "`quorate schema plan` print: `observation.schema.json` for `quorate observe`, `plan.schema.json` for\n"
         "`quorate plan -o json`. A signed observation is an object with the keys `format_version`, `kind`\n"
         "(`signed-observation`), `signature` (armored, of `ssh-keygen -Y sign`, namespace `quorate-observation`) and\n"
         "`observation` (the signed text, as one string).\n\n"
         "## Fields\n\n" +
         field_reference_markdown(fields) +
         "\n## Fields of the node file\n\n"
         "`/etc/quorate/agent.yaml` stands on a node, is read by its agent alone and never comes from git. Its schema "
         "is\n"
         "`agent.schema.json`, which `quorate schema agent` prints; `quorate validate` knows the file by its "
         "kind.\n\n" +
         field_reference_markdown(node_fields) + "\n## Findings\n\n" + codes_markdown();
}

}  // namespace quorate::report
