"""scripts/run_tests.sh on three tests of its own: the list of the slowest, ctest's summary below it, ctest's exit status."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

script = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "run_tests.sh"


def check(condition, *what):
    if not condition:
        sys.exit("\n".join(map(str, what)))


def run(folder, *options):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CTEST_")}
    done = subprocess.run([script, folder, *options], capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout, done.stdout.splitlines()


with tempfile.TemporaryDirectory() as folder:
    tests = "".join(f'add_test(quick.{n} "true")\n' for n in range(12)) + 'add_test("two words" "sleep" "0.3")\nadd_test(wrong "false")\n'
    (pathlib.Path(folder) / "CTestTestfile.cmake").write_text(tests)

    status, text, lines = run(folder, "-E", "wrong")
    check(status == 0, "all passed, and yet", status, text)
    summary = next((n for n, line in enumerate(lines) if re.match(r"100% tests passed(, 0 tests failed)? out of 13", line)), None)
    check(summary is not None, "no summary of ctest in", text)
    begin = lines.index("The slowest tests, in seconds:")
    named = [line for line in lines[begin + 1:summary] if line]
    check(len(named) == 10 and named[0].endswith("  two words"), "not the ten slowest:", *named)
    check(all("Passed" not in line for line in lines[summary:]), "a test below the summary:", text)

    status, text, lines = run(folder, "-R", "wrong|quick.1$")
    check(status == 8, "ctest's exit status for failed tests is 8, this is", status)
    summary = next((n for n, line in enumerate(lines) if re.match("50% tests passed, 1 tests? failed out of 2", line)), None)
    check(summary is not None, "no summary of ctest in", text)
    check(lines.index("The slowest tests, in seconds:") < summary, text)
    check(any("wrong (Failed)" in line for line in lines[summary:]), "what failed is not named:", text)

    status, text, lines = run(folder, "-N")
    check(status == 0 and "Total Tests: 14" in lines, "the list of the tests:", text)
    check("The slowest tests, in seconds:" not in lines, "nothing was run:", text)
