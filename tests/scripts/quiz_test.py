#!/usr/bin/env python3
"""Exported questions are what Moodle's XML and GIFT want, read by parsers of their own. quiz_test.py GEMMSCOPE [STUDENTS]

The formats: https://docs.moodle.org/en/Moodle_XML_format and https://docs.moodle.org/en/GIFT_format
"""
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM, STUDENTS = None, 40
LONGEST_NAME = 255  # of Moodle's database


class Text(html.parser.HTMLParser):
    """The words of a piece of HTML, a space between paragraphs; elements must be closed."""

    def __init__(self, markup):
        super().__init__()
        self.words, self.open = "", []
        self.feed(markup)
        self.close()
        if self.open:
            raise ValueError(f"{self.open} stay open")
        self.words = " ".join(self.words.split())

    def handle_starttag(self, tag, attributes):
        if tag not in ("p", "b", "code") or attributes:
            raise ValueError(f"<{tag}> is not expected")
        self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise ValueError(f"</{tag}> closes something else")
        self.words += " " if tag == "p" else ""

    def handle_data(self, words):
        self.words += words


def one(element, path):
    found = element.findall(path)
    if len(found) != 1:
        raise ValueError(f"{len(found)} of {path}")
    return found[0]


def text_of(element, path, form="html"):
    holder = one(element, path)
    if form and holder.get("format") != form:
        raise ValueError(f"{path} has the format {holder.get('format')}")
    words = one(holder, "text").text or ""
    return Text(words).words if form == "html" else words


def moodle_answers(question, kind):
    if kind == "matching":
        pairs = [(text_of(each, "."), one(each, "answer/text").text) for each in question.findall("subquestion")]
        return "match", pairs
    answers = question.findall("answer")
    for each in answers:
        if each.get("fraction") not in ("0", "100"):
            raise ValueError(f"a fraction of {each.get('fraction')}")
    if kind == "multichoice":
        if one(question, "single").text != "true":
            raise ValueError("several may be ticked")
        return "choice", [(each.get("fraction") == "100", text_of(each, ".")) for each in answers]
    return "number", [(float(one(each, "text").text), float(one(each, "tolerance").text)) for each in answers]


def read_moodle(text):
    root = xml.etree.ElementTree.fromstring(text)
    if root.tag != "quiz" or not text.startswith(b"<?xml"):
        raise ValueError("this is no quiz")
    category, questions = "", []
    for question in root:
        kind = question.get("type")
        if kind == "category":
            category = one(question, "category/text").text
            continue
        if float(one(question, "defaultgrade").text) != 1:
            raise ValueError("a question is not worth 1")
        questions.append((category, text_of(question, "name", None), text_of(question, "questiontext"),
                          text_of(question, "generalfeedback"), *moodle_answers(question, kind)))  # fmt: skip
    return questions


class Gift:
    """One question: characters behind a backslash are text, the others ~ = # { } : are the format's."""

    def __init__(self, paragraph):
        self.parts = re.findall(r"\\.|[^\\]", paragraph.replace("\n", " "))

    def plain(self, parts):
        words = "".join(part[-1] for part in parts)
        if any(part in "~=#{}" for part in parts):
            raise ValueError(f"a character of the format in: {words}")
        return " ".join(words.split())

    def split(self, parts, sign):
        pieces, piece = [], []
        for part in parts:
            if part == sign:
                pieces.append(piece)
                piece = []
            else:
                piece.append(part)
        return pieces + [piece]

    def read(self):
        parts = self.parts
        if parts[:2] != [":", ":"]:
            raise ValueError("no name")
        end = next(i for i in range(2, len(parts)) if parts[i : i + 2] == [":", ":"])
        name, rest = self.plain(parts[2:end]), parts[end + 2 :]
        begin, close = rest.index("{"), rest.index("}")
        if close != len(rest) - 1 or rest.count("{") != 1:
            raise ValueError("something follows the answers")
        asked = "".join(rest[:begin])
        if not asked.startswith("[plain]"):
            raise ValueError("its text would be read as HTML")
        inner = rest[begin + 1 : close]
        mark = next(i for i in range(len(inner)) if inner[i : i + 4] == ["#"] * 4)
        feedback = self.plain(inner[mark + 4 :])
        return name, self.plain(rest[len("[plain]") : begin]), feedback, *self.answers(inner[:mark])

    def answers(self, parts):
        if parts[0] == "#":
            numbers = [self.split(piece, ":") for piece in self.split(parts[1:], "=") if "".join(piece).strip()]
            return "number", [tuple(float("".join(part)) for part in number) for number in numbers]
        if "~" in parts:
            pieces, piece = [], None
            for part in parts:
                if part in "~=":
                    piece = [part]
                    pieces.append(piece)
                else:
                    piece.append(part)
            return "choice", [(piece[0] == "=", self.plain(piece[1:])) for piece in pieces]
        pairs = []
        for piece in self.split(parts, "=")[1:]:
            arrow = next(i for i in range(len(piece)) if piece[i : i + 2] == ["-", ">"])
            pairs.append((self.plain(piece[:arrow]), self.plain(piece[arrow + 2 :])))
        return "match", pairs


def read_gift(text):
    category, questions = "", []
    for paragraph in re.split(r"\n[ \t]*\n", text.strip()):
        if paragraph.startswith("$CATEGORY:"):
            category = paragraph[len("$CATEGORY:") :].strip()
        else:
            questions.append((category, *Gift(paragraph).read()))
    return questions


def lessons():
    listed = subprocess.run([PROGRAM, "lesson"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in listed.splitlines()]


class Exports(unittest.TestCase):
    def exported(self, lesson, language):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("quiz.xml", "quiz.gift")]
            done = subprocess.run([PROGRAM, "lesson", lesson, "--moodle", files[0], "--gift", files[1], "--students", str(STUDENTS),
                                   "--lang", language], capture_output=True, text=True, check=False)  # fmt: skip
            if "no question to export" in done.stderr:
                return [], []
            self.assertEqual(done.returncode, 0, done.stderr)
            return read_moodle(files[0].read_bytes()), read_gift(files[1].read_text(encoding="utf-8"))

    def check(self, question):
        category, name, asked, _, kind, answers = question
        self.assertRegex(category, r"^\$course\$/gemmscope/\w+/\w+$")
        self.assertLessEqual(len(name), LONGEST_NAME)
        self.assertGreater(len(asked), 10, name)
        if kind == "number":
            self.assertGreaterEqual(len(answers), 1, name)
            for value, tolerance in answers:
                self.assertGreaterEqual(tolerance, 0, name)
                self.assertLess(abs(value), 1e15, name)  # every digit of it is told
        elif kind == "choice":
            self.assertEqual([right for right, _ in answers].count(True), 1, name)
            self.assertGreaterEqual(len(answers), 2, name)
            self.assertEqual(len({words for _, words in answers}), len(answers), f"{name}: two choices read the same")
        else:
            self.assertGreaterEqual(len(answers), 3, name)  # what Moodle's form asks for
            self.assertEqual(sorted(place for _, place in answers), [str(i + 1) for i in range(len(answers))])
        self.assertNotIn("{{", asked + str(answers))

    def test_both_say_the_same_of_every_lesson(self):
        count = 0
        for lesson in lessons():
            told = {}
            for language in ("en", "zh"):
                with self.subTest(lesson=lesson, language=language):
                    from_xml, from_gift = self.exported(lesson, language)
                    self.assertEqual(len({name for _, name, *_ in from_xml}), len(from_xml))
                    for question in from_xml:
                        self.check(question)
                    self.assertEqual(from_xml, from_gift)
                    told[language] = [[*kind, [value for value in answers] if kind == "number" else len(answers)]
                                      for *_, kind, answers in from_xml]  # fmt: skip
                    count += len(from_xml)
            self.assertEqual(told.get("en"), told.get("zh"), f"{lesson}: its languages have other answers")
        print(f"{count} questions")
        self.assertGreater(count, 100)


class Readers(unittest.TestCase):
    def test_know_what_is_escaped(self):
        gift = "$CATEGORY: c\n\n::a\\:b::[plain]x \\= \\{1\\} \\~ \\# \\\\ {=one \\= 1 ~two####why\\: so}\n"
        self.assertEqual(read_gift(gift), [("c", "a:b", "x = {1} ~ # \\", "why: so", "choice", [(True, "one = 1"), (False, "two")])])
        for broken in ("::a::[plain]x = 1 {=1~2####}", "::a::[plain]x {=1~2####} y", "::a::<b> {#1:0####}"):
            with self.assertRaises(ValueError):
                read_gift(broken)
        with self.assertRaises(ValueError):
            read_moodle(b"<?xml version='1.0'?><quiz><question type='numerical'><name><text>a</text></name></question></quiz>")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        STUDENTS = int(sys.argv.pop(1))
    unittest.main()
