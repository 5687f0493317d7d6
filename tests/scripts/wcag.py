"""Rules of WCAG 2.1 AA that can be told from a page's source, for pages that bring all they need."""
import html.parser
import re

VOID = {"meta", "img", "br", "hr", "link", "input"}
LEAST_CONTRAST = 4.5  # 1.4.3
GROUND = "#ffffff"


def luminance(colour):
    digits = colour.lstrip("#")
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


class Page(html.parser.HTMLParser):
    """Reads a page and collects what breaks a rule."""

    def __init__(self, text):
        super().__init__()
        self.problems, self.open, self.headings, self.images, self.ids, self.wanted = [], [], [], [], [], []
        self.title = self.words = self.css = ""
        self.tables = 0
        if not text.lower().startswith("<!doctype html>"):
            self.problems.append("no doctype")
        self.feed(text)
        self.close()
        self.check()

    def handle_starttag(self, tag, attributes):
        has = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in has:
            self.ids.append(has["id"])
        self.wanted += has.get("aria-labelledby", "").split()
        if tag == "html" and not re.fullmatch(r"[a-z]{2}(-[A-Za-z]+)?", has.get("lang", "")):
            self.problems.append("3.1.1: the page does not say its language")
        if tag in ("script", "link", "iframe", "object"):
            self.problems.append(f"it needs something else: <{tag}>")
        for name in ("src", "href"):
            if name in has and not has[name].startswith(("data:", "#")):
                self.problems.append(f"it needs something else: {has[name][:60]}")
        if tag == "img":
            self.images.append(has)
            if len(has.get("alt", "")) < 30:
                self.problems.append(f"1.1.1: an alternative text of {len(has.get('alt', ''))} characters")
        if tag == "th" and has.get("scope") not in ("col", "row"):
            self.problems.append("1.3.1: a header of a table without its scope")
        if tag == "table":
            self.tables += 1
            self.has_header = False
        if tag == "th":
            self.has_header = True
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"4.1.1: </{tag}> closes {self.open[-1:]}")
            return
        self.open.pop()
        if tag == "table" and not self.has_header:
            self.problems.append("1.3.1: a table without headers")

    def handle_data(self, words):
        if "style" in self.open:
            self.css += words
        elif "title" in self.open:
            self.title += words
        else:
            self.words += words

    def check(self):
        if self.open:
            self.problems.append(f"4.1.1: {self.open} stay open")
        if not self.title.strip():
            self.problems.append("2.4.2: no title")
        if self.headings.count(1) != 1:
            self.problems.append(f"1.3.1: {self.headings.count(1)} headings of the first level")
        for before, after in zip([0] + self.headings, self.headings):
            if after > before + 1:
                self.problems.append(f"1.3.1: a heading h{after} follows h{before}")
        if len(set(self.ids)) != len(self.ids):
            self.problems.append("4.1.1: an id occurs twice")
        for one in self.wanted:
            if one not in self.ids:
                self.problems.append(f"4.1.2: there is no {one} to be labelled by")
        if "max-width" not in self.css:
            self.problems.append("1.4.10: pictures or lines are wider than a narrow window")
        for colour in re.findall(r"(?<![-\w])color:(#[0-9a-f]+)", self.css):
            if contrast(colour, GROUND) < LEAST_CONTRAST:
                self.problems.append(f"1.4.3: {colour} on white has a contrast of {contrast(colour, GROUND):.1f}")
