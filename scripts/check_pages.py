#!/usr/bin/env python3
"""Checks pages by axe-core in Chromium, without a network. check_pages.py FILE.html...

A page keeps the rules of WCAG 2.1 AA, asks for nothing else, shows its pictures, and is read at 320 pixels without scrolling sideways (1.4.10).
How it looks wide, narrow and printed is left beside it: FILE.1280.png, FILE.400.png, FILE.pdf.
Needs Chromium, and axe-playwright-python from PyPI.
"""
import pathlib
import shutil
import sys

import axe_playwright_python
from playwright.sync_api import sync_playwright

AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


def problems(page, file):
    asked, found = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.resolve().as_uri())
    found += [f"asks for {url[:80]}" for url in asked if not url.startswith(("file:", "data:"))]
    if not page.evaluate("[...document.images].every(i => i.complete && i.naturalWidth > 0)"):
        found.append("a picture is not shown")
    page.emulate_media(media="print")
    page.pdf(path=file.with_suffix(".pdf"), prefer_css_page_size=True)
    page.emulate_media(media="screen")
    for width in (320, 400, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.screenshot(path=file.with_suffix(f".{width}.png"), full_page=True)
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wider > 0:
            found.append(f"1.4.10: {wider} pixels wider than {width}")
    page.evaluate(AXE)
    result = page.evaluate("rules => axe.run(document, {runOnly: rules})", RULES)
    for kind in ("violations", "incomplete"):
        found += [f"{kind}: {rule['id']}: {rule['help']}: {rule['nodes'][0]['html'][:120]}" for rule in result[kind]]
    return found, len(result["passes"])


def main():
    worst = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name in sys.argv[1:]:
            context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
            found, passed = problems(context.new_page(), pathlib.Path(name))
            context.close()
            worst += len(found)
            print(f"{name}: {passed} rules hold" + "".join(f"\n  {problem}" for problem in found))
    return min(worst, 1)


if __name__ == "__main__":
    sys.exit(main())
