"""Plants one violation of each rule in a small clean tree and expects ci/check_layers to name it, with file and line."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "ci" / "check_layers"

CLEAN = {
    "CMakeLists.txt": "add_library(base reconciler/base/units.cpp)\nadd_library(load reconciler/load/load.cpp)\n"
                      "add_subdirectory(tests)\n",
    "README.md": "# A tree\n",
    "ci/README.md": "# Checks\n",
    "ci/test": "#!/usr/bin/env bash\n# Runs every test there is.\n",
    "schema/README.md": "# Schemas\n",
    "schema/embedded.h": "// The schemas as the binary carries them.\n#pragma once\n#include <string_view>\n",
    "renderers/README.md": "# Renderers\n",
    "renderers/registry.h": "// Which renderers exist.\n#pragma once\n#include \"reconciler/model/desired.h\"\n",
    "reconciler/base/README.md": "# Base\n",
    "reconciler/base/units.h": "// Durations and sizes.\n#pragma once\n#include <chrono>\n",
    "reconciler/base/units.cpp": "// Durations and sizes as text.\n#include \"reconciler/base/units.h\"\n",
    "reconciler/model/README.md": "# Model\n",
    "reconciler/model/desired.h": "// What a cluster should be.\n#pragma once\n#include \"reconciler/base/units.h\"\n",
    "reconciler/load/README.md": "# Load\n",
    "reconciler/load/load.cpp": "// YAML text to a tree.\n#include <yaml-cpp/yaml.h>\n"
                                "#include \"reconciler/model/desired.h\"\n",
    "reconciler/cli/README.md": "# Command line\n",
    "reconciler/cli/wiring.h": "// Puts the rooms together.\n#pragma once\n#include <CLI/CLI.hpp>\n#include <fstream>\n"
                               "#include \"renderers/registry.h\"\n#include \"schema/embedded.h\"\n",
    "reconciler/adapters/README.md": "# Adapters\n",
    "reconciler/adapters/git/fetch.h": "// Fetches commits.\n#pragma once\n#include <thread>\n",
    "tests/README.md": "# Tests\n",
    "tests/CMakeLists.txt": "add_executable(units unit/units_test.cpp)\n",
    "tests/unit/units_test.cpp": "// Durations and sizes: what is read and what is refused.\n#include <gtest/gtest.h>\n",
}


class Layers(unittest.TestCase):
    def check(self, changes, git=False):
        """Exit code and output of the check on the clean tree with these files laid over it."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {**CLEAN, **changes}.items():
                if text is None:
                    continue
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            if git:
                subprocess.run(["git", "init", "-q", str(root)], check=True)
            done = subprocess.run([sys.executable, str(CHECK), "--root", str(root)], capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            return done.returncode, done.stdout

    def assert_found(self, changes, *messages, git=False):
        code, output = self.check(changes, git)
        self.assertEqual(code, 1, output)
        for message in messages:
            self.assertIn(message, output)
        self.assertEqual(len(output.splitlines()), len(messages), output)

    def assert_include(self, path, header, message, line=3):
        """The header added to a file of the clean tree (or to a new header of its folder) is named at its line."""
        text = CLEAN.get(path, "// A planted file for this test.\n#pragma once\n")
        lines = text.splitlines()[:line - 1] + [f"#include {header}"]
        self.assert_found({path: "\n".join(lines) + "\n"}, f"{path}:{line}: {message}")

    def test_a_clean_tree_passes(self):
        code, output = self.check({})
        self.assertEqual((code, output), (0, f"{len(CLEAN)} files keep the rules\n"))

    def test_an_empty_tree_does_not_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, str(CHECK), "--root", folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no files under", done.stderr)

    def test_a_room_includes_only_what_is_below_it(self):
        below = "rooms include only what is below them"
        self.assert_include("reconciler/base/units.h", '"reconciler/model/desired.h"',
                            f"reconciler/base (L0) may not include reconciler/model (L1): {below}")
        self.assert_include("renderers/registry.h", '"reconciler/load/load.h"',
                            f"renderers (L2) may not include reconciler/load (L3): {below}")
        self.assert_include("reconciler/model/desired.h", '"renderers/registry.h"',
                            f"reconciler/model (L1) may not include renderers (L2): {below}")
        self.assert_include("reconciler/adapters/git/fetch.h", '"reconciler/cli/wiring.h"',
                            f"reconciler/adapters/git (L4) may not include reconciler/cli (L5): {below}")

    def test_stages_and_adapters_do_not_know_each_other(self):
        self.assert_include("reconciler/load/load.cpp", '"reconciler/validate/validate.h"',
                            "reconciler/load (L3) may not include reconciler/validate (L3)", line=2)
        self.assert_include("reconciler/adapters/git/fetch.h", '"reconciler/adapters/http/server.h"',
                            "reconciler/adapters/git (L4) may not include reconciler/adapters/http (L4)")
        self.assert_include("reconciler/adapters/git/fetch.h", '"reconciler/adapters/runtimes/systemd/unit.h"',
                            "reconciler/adapters/git (L4) may not include reconciler/adapters/runtimes/systemd (L4)")

    def test_a_pure_room_includes_pure_rooms_only(self):
        self.assert_include("reconciler/load/load.cpp", '"reconciler/ports/clock.h"',
                            "reconciler/load is pure and may not include reconciler/ports", line=2)

    def test_the_schemas_are_read_by_three_rooms(self):
        self.assert_include("reconciler/load/load.cpp", '"schema/embedded.h"',
                            "reconciler/load may not include schema", line=2)
        self.assert_include("renderers/registry.h", '"schema/embedded.h"', "renderers may not include schema")

    def test_each_package_has_its_rooms(self):
        for path, header in (("reconciler/cli/wiring.h", "<yaml-cpp/yaml.h>"),
                             ("reconciler/base/units.h", "<CLI/CLI.hpp>"),
                             ("reconciler/cli/wiring.h", "<valijson/validator.hpp>"),
                             ("reconciler/adapters/git/fetch.h", "<nlohmann/json.hpp>"),
                             ("reconciler/model/desired.h", "<openssl/evp.h>"),
                             ("reconciler/adapters/git/fetch.h", "<openssl/ssl.h>"),
                             ("reconciler/adapters/git/fetch.h", "<grpcpp/grpcpp.h>"),
                             ("reconciler/model/desired.h", "<tl/expected.hpp>")):
            with self.subTest(header=header):
                room = "/".join(path.split("/")[:-1])
                self.assert_include(path, header, f"{header} may not be included in {room}")
        self.assert_include("reconciler/base/units.h", "<boost/any.hpp>", "<boost/any.hpp> is in no table")

    def test_the_world_is_touched_in_cli_and_adapters_only(self):
        for header in ("iostream", "fstream", "filesystem", "random", "thread", "unistd.h", "sys/stat.h"):
            with self.subTest(header=header):
                self.assert_include("reconciler/base/units.h", f"<{header}>",
                                    f"<{header}> may not be included in reconciler/base")
        for header in ("ranges", "format"):
            with self.subTest(header=header):
                self.assert_include("reconciler/cli/wiring.h", f"<{header}>",
                                    f"<{header}> may not be included in reconciler/cli")

    def test_includes_start_at_the_root(self):
        self.assert_include("reconciler/base/units.h", '"net.h"', '"net.h" is in no room')

    def test_a_folder_of_the_product_is_a_room_of_the_table(self):
        self.assert_found({"reconciler/cache/README.md": "# Cache\n",
                           "reconciler/cache/cache.h": "// Keeps what was seen.\n#pragma once\n"},
                          "reconciler/cache/cache.h:1: reconciler/cache is no room")

    def test_using_namespace_in_a_header(self):
        header = "// Durations and sizes.\n#pragma once\nusing namespace std;\n"
        self.assert_found({"reconciler/base/units.h": header}, "reconciler/base/units.h:3: using namespace in a header")
        source = "// Durations and sizes as text.\nusing namespace std;  // within one file it hurts nobody else\n"
        self.assertEqual(self.check({"reconciler/base/units.cpp": source})[0], 0)

    def test_a_file_opens_with_its_purpose(self):
        message = "a file opens with one sentence"
        self.assert_found({"reconciler/base/units.h": "#pragma once\n"}, f"reconciler/base/units.h:1: {message}")
        self.assert_found({"ci/test": "#!/usr/bin/env bash\nset -e\n"}, f"ci/test:1: {message}")
        self.assert_found({"tests/unit/units_test.cpp": "//\n"}, f"tests/unit/units_test.cpp:1: {message}")

    def test_files_stay_short(self):
        def lines(opening, count):
            return opening + "\n" * (count - 1)
        opening = "// Durations and sizes.\n"
        self.assert_found({"reconciler/base/units.h": lines(opening, 151)},
                          "reconciler/base/units.h:151: 151 lines; at most 150")
        self.assert_found({"reconciler/base/units.cpp": lines(opening, 401)},
                          "reconciler/base/units.cpp:401: 401 lines; at most 400")
        self.assert_found({"tests/unit/units_test.cpp": lines(opening, 801)},
                          "tests/unit/units_test.cpp:801: 801 lines; at most 800")
        self.assert_found({"ci/test": lines("#!/bin/sh\n# Runs every test there is.\n", 300)},
                          "ci/test:301: 301 lines; at most 300")
        self.assertEqual(self.check({"reconciler/base/units.h": lines(opening, 150),
                                     "tests/unit/units_test.cpp": lines(opening, 800)})[0], 0)

    def test_names_that_say_nothing(self):
        self.assert_found({"reconciler/base/text_utils.h": "// Cuts and joins texts.\n#pragma once\n"},
                          'text_utils.h:1: the name reconciler/base/text_utils.h says nothing: "utils"')
        self.assert_found({"tests/common/README.md": "# Shared\n"}, 'the name tests/common says nothing: "common"')
        header = "// Durations and sizes.\n#pragma once\nclass UnitManager {};\n"
        self.assert_found({"reconciler/base/units.h": header}, 'units.h:3: the name UnitManager says nothing: "manager"')
        header = "// Durations and sizes.\n#pragma once\n// A class Manager would say nothing.\nclass Commonality {};\n"
        self.assertEqual(self.check({"reconciler/base/units.h": header})[0], 0)

    def test_the_top_level_is_fixed(self):
        self.assert_found({"docs/index.md": "# Pages\n"}, "docs/index.md:1: docs is not one of the fixed top-level names")
        self.assertEqual(self.check({"LICENSE": "Text.\n", ".gitignore": "/build/\n"})[0], 0)

    def test_every_room_explains_itself(self):
        for path in ("reconciler/model/README.md", "renderers/README.md", "ci/README.md"):
            with self.subTest(path=path):
                self.assert_found({path: None}, f"{path}:1: every room has a README.md")

    def test_every_source_is_built(self):
        source = "// Planted, and in no list.\n"
        self.assert_found({"reconciler/base/net.cpp": source}, "reconciler/base/net.cpp:1: is in no CMakeLists.txt")
        self.assert_found({"tests/unit/net_test.cpp": source}, "tests/unit/net_test.cpp:1: is in no CMakeLists.txt")
        commented = "# add_executable(net unit/net_test.cpp)\n" + CLEAN["tests/CMakeLists.txt"]
        self.assert_found({"tests/unit/net_test.cpp": source, "tests/CMakeLists.txt": commented},
                          "tests/unit/net_test.cpp:1: is in no CMakeLists.txt")
        globbing = "file(GLOB sources unit/*.cpp)\n" + CLEAN["tests/CMakeLists.txt"]
        self.assert_found({"tests/CMakeLists.txt": globbing}, "tests/CMakeLists.txt:1: file(GLOB) hides")

    def test_in_a_repository_git_says_which_files_count(self):
        ignored = {".gitignore": "/build/\n", "build/generated.h": "#pragma once\n"}
        self.assertEqual(self.check(ignored, git=True)[0], 0)
        self.assert_found({**ignored, "notes.txt": "Not yet added.\n"}, "notes.txt:1: notes.txt is not one of", git=True)


if __name__ == "__main__":
    unittest.main()
