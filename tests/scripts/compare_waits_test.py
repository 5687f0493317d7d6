#!/usr/bin/env python3
"""When the three largest reasons of two lists agree, and what is asked of the program."""
import importlib.util
import os
import pathlib
import stat
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("compare_waits", ROOT / "scripts" / "compare_waits.py")
compare = importlib.util.module_from_spec(spec)
spec.loader.exec_module(compare)


class CompareWaits(unittest.TestCase):
    def test_three_reasons_agree_as_a_set(self):
        one = {"selected": 1, "wait": 5, "barrier": 4, "long_scoreboard": 3, "not_selected": 1}
        other = {"selected": 1, "wait": 1, "barrier": 2, "long_scoreboard": 3, "not_selected": 0.5}
        self.assertTrue(compare.agree(one, other))
        self.assertEqual(compare.common(one, other), 3)

    def test_another_third_disagrees(self):
        one = {"wait": 5, "barrier": 4, "long_scoreboard": 3, "not_selected": 1}
        other = {"wait": 5, "barrier": 4, "long_scoreboard": 1, "not_selected": 3}
        self.assertFalse(compare.agree(one, other))
        self.assertEqual(compare.common(one, other), 2)

    def test_a_tie_with_the_third_agrees(self):
        one = {"wait": 5, "barrier": 4, "long_scoreboard": 3, "not_selected": 2.8}
        other = {"wait": 5, "barrier": 4, "long_scoreboard": 2.75, "not_selected": 3}
        self.assertTrue(compare.agree(one, other))
        self.assertFalse(compare.agree(one, {**other, "long_scoreboard": 2.6}))

    def test_reasons_that_cost_nothing_are_none(self):
        self.assertTrue(compare.agree({"wait": 1, "barrier": 0}, {"wait": 2}))
        self.assertFalse(compare.agree({"wait": 1, "barrier": 0.1}, {"wait": 2}))

    def test_the_program_is_asked_for_the_recorded_launch(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "gemmscope"
            program.write_text("#!/bin/sh\necho \"$@\" >&2; echo \"$@\" > " + folder + "/asked\n"
                               "echo '{\"issued_cycles\": 4, \"reasons\": [{\"reason\": \"wait\", \"cycles\": 2}, {\"reason\": \"wgmma\", \"cycles\": 8}, "
                               "{\"reason\": \"barrier\", \"cycles\": 4}]}'; exit 1\n")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            os.environ["PROGRAM"] = str(program)
            waits = compare.predicted_waits({"kernel": "naive", "parameters": {"BX": 32, "BY": 8}, "m": 1, "n": 2, "k": 3})
            self.assertEqual(waits, {"selected": 1, "wait": 0.5, "barrier": 3})
            self.assertEqual((pathlib.Path(folder) / "asked").read_text(), "predict naive --json -p BX=32 -p BY=8 -m 1 -n 2 -k 3\n")


if __name__ == "__main__":
    unittest.main()
