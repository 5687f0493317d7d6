#!/usr/bin/env python3
"""The recorded profiles are what scripts/counters/profiles.py makes of what ncu printed; what does not fit together is said."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "profiles"


def made(folder):
    return subprocess.run([sys.executable, ROOT / "scripts" / "counters" / "profiles.py", folder], capture_output=True, text=True, check=False)


class Profiles(unittest.TestCase):
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
        self.assertEqual(run.stdout, (ROOT / "assets" / "recorded" / "profiles" / "h200.json").read_text())

    def test_a_metric_that_was_not_asked_for_is_named(self):
        self.change("ncu.csv", "lts__t_sector_hit_rate.pct", "lts__t_sectors.sum")
        self.assertIn("launch 0 has no lts__t_sector_hit_rate.pct", self.refused())

    def test_another_unit_is_refused(self):
        self.change("ncu.csv", '"ns"', '"us"', 1)
        self.assertIn("gpu__time_duration.sum is in us, not in ns", self.refused())

    def test_a_profile_of_another_launch_is_refused(self):
        self.change("launches.json", '"block": [64, 1, 1]', '"block": [128, 1, 1]', 1)
        self.assertIn("launch 2 is of void row_per_block<64>", self.refused())

    def test_a_launch_that_was_not_profiled_is_noticed(self):
        self.change("ncu.csv", '\n"11",', '\nlost "11",')
        self.assertIn("12 launches and 11 profiles", self.refused())


unittest.main()
