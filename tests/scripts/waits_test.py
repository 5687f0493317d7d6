#!/usr/bin/env python3
"""The recorded waits are what scripts/counters/waits.py makes of what ncu printed; what does not fit together is said."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "waits"


def made(folder):
    return subprocess.run([sys.executable, ROOT / "scripts" / "counters" / "waits.py", folder], capture_output=True, text=True, check=False)


class Waits(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for file in DATA.iterdir():
            shutil.copy(file, self.folder)

    def change(self, name, before, after, count=-1):
        text = (DATA / name).read_text()
        self.assertIn(before, text)
        (self.folder / name).write_text(text.replace(before, after, count))

    def refused(self):
        run = made(self.folder)
        self.assertEqual(run.returncode, 1)
        return run.stderr

    def test_the_recorded_file_is_what_ncu_printed(self):
        run = made(DATA)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout, (ROOT / "assets" / "recorded" / "waits" / "h200.json").read_text())

    def test_a_metric_that_was_not_asked_for_is_named(self):
        self.change("ncu.csv", "sm__cycles_elapsed.max", "sm__cycles_elapsed.avg")
        self.assertIn("has no sm__cycles_elapsed.max", self.refused())

    def test_another_unit_is_refused(self):
        self.change("ncu.csv", '"ns"', '"us"', 1)
        self.assertIn("gpu__time_duration.sum is in us, not in ns", self.refused())

    def test_a_profile_of_another_launch_is_refused(self):
        self.change("ncu.csv", '"(32, 128, 1)"', '"(32, 64, 1)"', 1)
        self.assertIn("launch 0 is of", self.refused())

    def test_a_launch_that_was_not_profiled_is_noticed(self):
        lines = (DATA / "ncu.csv").read_text().splitlines(keepends=True)
        (self.folder / "ncu.csv").write_text("".join(lines[:-1]))
        launches = len(json.loads((DATA / "launches.json").read_text()))
        self.assertIn(f"{launches} launches and {launches - 1} profiles", self.refused())

    def test_columns_are_those_that_are_read(self):
        page = '==PROF== Connected\n"ID","Host Name","Kernel Name","sm__cycles_elapsed.max"\n"","","","cycle"\n"0","some","k","1,234"\n'
        run = subprocess.run([sys.executable, ROOT / "scripts" / "counters" / "waits.py", "--columns"], input=page, capture_output=True, text=True, check=True)
        self.assertEqual(run.stdout, '"ID","Kernel Name","sm__cycles_elapsed.max"\n"","","cycle"\n"0","k","1,234"\n')


unittest.main()
