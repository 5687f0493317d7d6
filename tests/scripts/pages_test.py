#!/usr/bin/env python3
"""The pages that the program writes need nothing else and keep the rules of WCAG 2.1 AA that a source tells. pages_test.py GEMMSCOPE"""
import base64
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import wcag

PROGRAM = None
MOST_BYTES = 8 << 20


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)


def page_of(test, *arguments):
    """What a command draws into the file that its last argument asks for."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "page.html"
        done = run(*arguments, file)
        if done.returncode == 3:
            test.skipTest("no OpenGL here: " + done.stderr)
        test.assertEqual(done.returncode, 0, done.stderr)
        text = file.read_text()
    test.assertLess(len(text), MOST_BYTES)
    page = wcag.Page(text)
    test.assertEqual(page.problems, [])
    return page


class Rules(unittest.TestCase):
    def test_each_is_found(self):
        good = "<!doctype html><html lang='en'><head><title>T</title><style>body{max-width:1em;color:#111}</style></head><body><h1>T</h1></body></html>"
        self.assertEqual(wcag.Page(good).problems, [])
        for before, after, problem in [
            (" lang='en'", "", "3.1.1"),
            ("<title>T</title>", "", "2.4.2"),
            ("#111", "#999", "1.4.3"),
            ("<h1>T</h1>", "<h1>T</h1><h3>U</h3>", "h3 follows h1"),
            ("<h1>T</h1>", "<h1>T</h1><img src='data:,'>", "1.1.1"),
            ("<h1>T</h1>", "<h1>T</h1><table><tr><td>1</td></tr></table>", "without headers"),
            ("<h1>T</h1>", "<h1>T</h1><table><tr><th>1</th></tr></table>", "scope"),
            ("<h1>T</h1>", "<h1>T</h1><p>", "4.1.1"),
            ("<h1>T</h1>", "<h1>T</h1><a href='http://x'>x</a>", "something else"),
        ]:
            self.assertIn(before, good)
            found = wcag.Page(good.replace(before, after)).problems
            self.assertTrue(any(problem in one for one in found), f"{after}: {found}")


class Handout(unittest.TestCase):
    def handout(self, lesson, *options):
        page = page_of(self, "lesson", lesson, *options, "--handout")
        self.assertIn("@page{size:A4", page.css)
        self.assertNotIn("handout.", page.words)  # a word that the tables lack
        return page

    def test_of_a_lesson(self):
        page = self.handout("04_bank_conflicts")
        self.assertEqual(page.title, "Bank conflicts")
        self.assertEqual(page.headings.count(2), 10)  # steps
        self.assertIn("a 32-way bank conflict", page.words)
        self.assertIn("Question 5", page.words)
        self.assertNotIn("Answers", page.words)  # nor the sheet
        self.assertNotIn("Misconceptions", page.words)
        self.assertEqual(len(page.images), 10)
        for image in page.images:
            kind, data = image["src"].split(",", 1)
            self.assertEqual(kind, "data:image/svg+xml;base64")
            drawn = base64.b64decode(data, validate=True)
            self.assertIn("Shared-memory tile", "".join(xml.etree.ElementTree.fromstring(drawn).itertext()))
        self.assertIn("32-way bank conflict: 32 wavefronts, ideal 1", page.images[0]["alt"])
        self.assertIn("Each column is a bank", page.images[0]["alt"])
        self.assertIn("TILE 32", page.words)  # a caption
        self.assertGreaterEqual(page.tables, 4)  # a step that asks tells no figures

    def test_with_the_key(self):
        page = self.handout("04_bank_conflicts", "--answers")
        for words in ("Answers", "C. 8", "D. one word; C. two words; B. four words; A. no padding", "Misconceptions"):
            self.assertIn(words, page.words)

    def test_every_kind_of_question_in_chinese(self):
        page = self.handout("10_pipelines", "--lang", "zh")
        self.assertIn("问题 1", page.words)
        self.assertIn("预计", page.words)  # a curve is a row to fill in

    def test_refused(self):
        refused = run("lesson", "--handout", "x.html")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("no lesson is named", refused.stderr)
        refused = run("lesson", "04_bank_conflicts", "--handout", "/proc/x.html")
        self.assertNotEqual(refused.returncode, 0)
        refused = run("lesson", "04_bank_conflicts", "--answers")
        self.assertEqual(refused.returncode, 2)


class Report(unittest.TestCase):
    def test_of_every_view(self):
        page = page_of(self, "render", "window", "shared_tile", "-m", 64, "-n", 64, "-k", 32, "--lang", "zh", "-o")
        self.assertGreater(page.headings.count(2), 15)
        self.assertEqual(len(page.images), page.headings.count(2))
        self.assertIn("8 路存储体冲突", page.words)
        self.assertNotIn("page.", page.words)  # a word that the tables lack
        self.assertEqual(run("render", "start", "-o", "x.html").returncode, 2)


class Sheet(unittest.TestCase):
    SHEET = "title = \"Homework\"\n[[item]]\nid = \"stride\"\ndraw = { s = \"3..48\" }\nask = \"Stride {s}?\"\n" \
        "access = { bytes = 4, offset = \"lane * s * 4\" }\nanswer = \"access.wavefronts\"\n"  # fmt: skip

    def test_of_a_student_and_of_a_class(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            sheet, key, all_of_them = folder / "homework.toml", folder / "key.html", folder / "class.html"
            sheet.write_text(self.SHEET)
            for student, answer in (("<s1>", "8"), ("李", "1"), ("s3", '"many"')):
                (folder / "class" / student).mkdir(parents=True)
                (folder / "class" / student / "answers.toml").write_text(f"stride = {answer}\n")
            (folder / "class" / "s4").mkdir()
            done = run("grade", sheet, "--student", "s1", "--key", "--html", key)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = run("grade", sheet, folder / "class", "--html", all_of_them, "--lang", "zh")
            self.assertEqual(done.returncode, 1, done.stderr)
            for file, words in ((key, "Answer"), (all_of_them, "没有提交内容")):
                page = wcag.Page(file.read_text())
                self.assertEqual(page.problems, [], file)
                self.assertIn(words, page.words)


class ClassPage(unittest.TestCase):
    def test_histograms(self):
        given = {"time": "2026-11-23T20:54:49Z", "lesson": "04_bank_conflicts", "step": "sixteen", "kernel": "shared_tile",
                 "parameters": {"TILE": 16}, "kind": "choice", "right": True, "items": [2]}  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            answers, file = pathlib.Path(folder) / "ann.jsonl", pathlib.Path(folder) / "class.html"
            answers.write_text(json.dumps(given) + "\n")
            done = run("lesson", "--collect", answers, "--html", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            page = wcag.Page(file.read_text())
        self.assertEqual(page.problems, [])
        self.assertIn("100%", page.words)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
