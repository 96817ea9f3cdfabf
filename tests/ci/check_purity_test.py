"""Compiles objects that reach for the outside and expects ci/check_purity to name each; clean objects pass."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "ci" / "check_purity"

PURE = """
#include <cstdio>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
std::string pure(std::map<std::string, int>& values, int n) {
  char text[20];
  std::snprintf(text, sizeof text, "%d", n);
  std::ostringstream out;
  out << text << values.at(text);
  return out.str();
}
"""

IMPURE = {
    "clock_gettime: reads the clock": "#include <ctime>\nlong f() { timespec t; clock_gettime(0, &t); return t.tv_sec; }",
    "time: reads the clock": "#include <ctime>\nlong f() { return time(nullptr); }",
    "std::chrono::_V2::system_clock::now(): reads the clock":
        "#include <chrono>\nauto f() { return std::chrono::system_clock::now(); }",
    "std::chrono::_V2::steady_clock::now(): reads the clock":
        "#include <chrono>\nauto f() { return std::chrono::steady_clock::now(); }",
    "localtime: reads the clock": "#include <ctime>\nint f(time_t t) { return localtime(&t)->tm_hour; }",
    "is random": "#include <random>\nunsigned f() { return std::random_device{}(); }",
    "rand: is random": "#include <cstdlib>\nint f() { return rand(); }",
    "open: touches files": "#include <fcntl.h>\nint f() { return open(\"x\", 0); }",
    "fopen: touches files": "#include <cstdio>\nvoid* f() { return fopen(\"x\", \"r\"); }",
    "std::basic_ofstream": "#include <fstream>\nvoid f() { std::ofstream(\"x\") << 1; }",
    "std::filesystem::": "#include <filesystem>\nbool f() { return std::filesystem::exists(\"x\"); }",
    "socket: touches the network": "#include <sys/socket.h>\nint f() { return socket(1, 1, 0); }",
    "fork: starts or stops something": "#include <unistd.h>\nint f() { return fork(); }",
    "execv: starts or stops something": "#include <unistd.h>\nint f(char** a) { return execv(\"x\", a); }",
    "abort: starts or stops something": "#include <cstdlib>\nvoid f() { abort(); }",
    "puts: writes output": "#include <cstdio>\nint f() { return puts(\"x\"); }",
    "printf: writes output": "#include <cstdio>\nint f(int n) { return printf(\"%d\", n); }",
    "std::cerr: writes output": "#include <iostream>\nvoid f() { std::cerr << 1; }",
    "syslog: writes output": "#include <syslog.h>\nvoid f() { syslog(0, \"x\"); }",
    "getenv: reads or changes the environment": "#include <cstdlib>\nconst char* f() { return getenv(\"HOME\"); }",
}

CHECK_CPP = "#include <cstdlib>\n#include <unistd.h>\nvoid f() { (void)!write(2, \"x\", 1); abort(); }"


class Purity(unittest.TestCase):
    def check(self, objects, flags=("-O1",)):
        """Runs the check over a build that holds one library per room; objects: {(room, object): source text}."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            build = root / "build"
            build.mkdir()
            for (room, name), text in objects.items():
                source = root / room / name.removesuffix(".o")
                source.parent.mkdir(parents=True, exist_ok=True)
                source.write_text(text, encoding="utf-8")
                subprocess.run(["g++", "-std=c++20", *flags, "-c", str(source), "-o", str(build / name)], check=True)
                library = build / f"libquorate_{pathlib.PurePosixPath(room).name}.a"
                subprocess.run(["ar", "qc", str(library), str(build / name)], check=True)
            done = subprocess.run([sys.executable, str(CHECK), str(build), "--root", str(root)], capture_output=True,
                                  text=True)
            self.assertEqual(done.stderr, "")
            return done.returncode, done.stdout

    def test_memory_arithmetic_and_text_are_pure(self):
        code, output = self.check({("reconciler/model", "spec.cpp.o"): PURE, ("renderers", "registry.cpp.o"): PURE})
        self.assertEqual((code, output),
                         (0, "2 objects of the pure rooms ask for nothing but memory and arithmetic\n"))

    def test_each_reach_for_the_outside_is_named(self):
        for expected, text in IMPURE.items():
            with self.subTest(expected=expected):
                code, output = self.check({("reconciler/model", "spec.cpp.o"): text})
                self.assertEqual(code, 1, output)
                self.assertIn("reconciler/model/spec.cpp.o: ", output)
                self.assertIn(expected, output)

    def test_fortified_names_are_seen_through(self):
        text = "#include <cstdio>\nint f(int n) { return printf(\"%d\", n); }"
        code, output = self.check({("reconciler/report", "text.cpp.o"): text}, ("-O2", "-D_FORTIFY_SOURCE=2"))
        self.assertEqual(code, 1)
        self.assertIn("reconciler/report/text.cpp.o: __printf_chk: writes output", output)

    def test_only_the_object_on_the_list_may_write_and_stop(self):
        self.assertEqual(self.check({("reconciler/base", "check.cpp.o"): CHECK_CPP})[0], 0)
        code, output = self.check({("reconciler/base", "digest.cpp.o"): CHECK_CPP})
        self.assertEqual(code, 1)
        self.assertIn("reconciler/base/digest.cpp.o: write: touches files", output)
        self.assertIn("reconciler/base/digest.cpp.o: abort: starts or stops something", output)
        code, output = self.check({("reconciler/base", "check.cpp.o"): CHECK_CPP + "\nvoid g() { fork(); }"})
        self.assertIn("reconciler/base/check.cpp.o: fork: starts or stops something", output)
        self.assertNotIn("abort", output)

    def test_a_build_that_cannot_be_judged_does_not_pass(self):
        code, output = self.check({})
        self.assertEqual(code, 1)
        self.assertIn("no library of a pure room", output)
        code, output = self.check({("reconciler/model", "spec.cpp.o"): PURE}, ("-O2", "-flto"))
        self.assertEqual(code, 1)
        self.assertIn("reconciler/model: libquorate_model.a was built with LTO", output)

    def test_a_pure_room_with_sources_but_without_library_does_not_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "reconciler/plan").mkdir(parents=True)
            (root / "reconciler/plan/planner.cpp").write_text("", encoding="utf-8")
            done = subprocess.run([sys.executable, str(CHECK), str(root), "--root", str(root)], capture_output=True,
                                  text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("reconciler/plan: libquorate_plan.a is not under", done.stdout)


if __name__ == "__main__":
    unittest.main()
