#!/usr/bin/env python3
"""Whether every row of docs/faults.md names tests, and every test that it names is one that ctest knows: scripts/check_faults.py BUILD."""
import pathlib
import re
import subprocess
import sys
import tempfile

page = pathlib.Path(__file__).resolve().parent.parent / "docs" / "faults.md"
with tempfile.TemporaryDirectory() as folder:  # or ctest would write over the log of the run that this is part of
    (pathlib.Path(folder) / "CTestTestfile.cmake").write_text(f'subdirs("{pathlib.Path(sys.argv[1]).resolve()}")\n')
    listed = subprocess.run(["ctest", "--test-dir", folder, "-N"], capture_output=True, text=True, check=True).stdout
known = set(re.findall(r"^ +Test +#\d+: (\S+)$", listed, re.MULTILINE))
faults = []
rows = [line for line in page.read_text().splitlines() if line.startswith("|") and not re.match(r"\| (fault|---)|\|---", line)]
for row in rows:
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    tests = re.findall(r"`([^`]+)`", cells[-1])
    if len(cells) != 3 or not tests:
        faults.append(f"not a fault, what happens and its tests: {row}")
    faults += [f"no test of ctest is called {test}: {cells[0]}" for test in tests if test not in known]
if not rows or not known:
    faults.append(f"{page} has {len(rows)} rows, and ctest knows {len(known)} tests")
print("\n".join(faults) or f"{len(rows)} faults, each with its test")
sys.exit(bool(faults))
