#!/usr/bin/env python3
"""Which lines of app/ptx and app/sim the tests execute: scripts/coverage.py [FILTER] builds with --coverage, runs test_ptx and
test_sim (--gtest_filter=FILTER if given) and prints each file's share; with --missed FILE, the lines of FILE that nothing executes."""
import json
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
build = root / "build-coverage"
folders = ("ptx", "sim")


def run(*command, **options):
    return subprocess.run(command, check=True, cwd=root, **options)


def count(filter_words):
    run("cmake", "--preset", "coverage", stdout=subprocess.DEVNULL)
    run("cmake", "--build", build, "--target", *(f"test_{folder}" for folder in folders))
    for data in build.rglob("*.gcda"):
        data.unlink()  # of an earlier run
    for folder in folders:
        run(build / f"test_{folder}", "--gtest_brief=1", *filter_words)


def lines():
    """{file: {line: executions}}; a template or header counts as executed where any of its copies is."""
    found = {}
    for folder in folders:
        for notes in (build / f"CMakeFiles/{folder}.dir").rglob("*.gcno"):
            said = subprocess.run(["gcov", "--json-format", "--stdout", str(notes)], capture_output=True, text=True, cwd=build).stdout
            for text in said.splitlines():
                for entry in json.loads(text)["files"]:
                    path = (build / entry["file"]).resolve()
                    if path.parent != root / "app" / folder:
                        continue
                    executed = found.setdefault(path.relative_to(root), {})
                    for line in entry["lines"]:
                        number = line["line_number"]
                        executed[number] = executed.get(number, 0) + line["count"]
    return found


def main(arguments):
    if arguments[:1] == ["--missed"]:
        missed = [n for n, times in sorted(lines()[pathlib.Path(arguments[1])].items()) if times == 0]
        print(*missed)
        return
    count([f"--gtest_filter={arguments[0]}"] if arguments else [])
    found = lines()
    for folder in folders:
        total = executed = 0
        for path, counts in sorted(found.items()):
            if path.parent.name != folder:
                continue
            here = sum(times > 0 for times in counts.values())
            print(f"{100 * here / len(counts):6.1f} %  {here:5} of {len(counts):5}  {path}")
            total, executed = total + len(counts), executed + here
        print(f"{100 * executed / max(total, 1):6.1f} %  {executed:5} of {total:5}  app/{folder}")


main(sys.argv[1:])
