#!/usr/bin/env python3
"""Makes the pictures and tables of docs/stories/ again, each from the comment above it:
  scripts/stories.py [PAGE.md ...]      all pages if none is named; PROGRAM=build/gemmscope
  scripts/stories.py --check            changes nothing; exits with 1 where a picture is missing or what was measured is not what a page says
A comment is one of
  <!-- picture: VIEW KERNEL OPTIONS -->     as `gemmscope render` takes them; below it the picture's ![...](FILE)
  <!-- counters: KERNEL ... OPTIONS -->     what the CPU engine counts, at 256 x 256 x 256 if no size is given, in the PTX of this machine's NVRTC
  <!-- measured: SIZE KERNEL=="THEN" ... --> the recorded H200 beside what the document says (THEN)
and a KERNEL of a table may have parameters: shared_tile:TILE=8,PAD=1."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
program = os.environ.get("PROGRAM", str(root / "build" / "gemmscope"))
recorded = root / "assets" / "recorded" / "h200.json"


def gemmscope(*arguments):
    return subprocess.run([program, *arguments], check=True, cwd=root, capture_output=True, text=True).stdout


def split(subject):
    """("shared_tile", {"TILE": 8}) of shared_tile:TILE=8"""
    kernel, _, parameters = subject.partition(":")
    return kernel, {name: int(value) for name, value in (p.split("=") for p in parameters.split(",") if p)}


def row(cells):
    return "| " + " | ".join(cells) + " |"


def table(heads, rows):
    return [row(heads), row(["---"] + ["---:"] * (len(heads) - 1))] + [row(r) for r in rows]


def counters(arguments):
    rows, compiler = [], re.search(r"^NVRTC\s+found\s+([\d.]+)", gemmscope("doctor"), re.MULTILINE)[1]
    given = next((i for i, a in enumerate(arguments) if a.startswith("-")), len(arguments))
    for subject in arguments[:given]:
        kernel, parameters = split(subject)
        options = arguments[given:] + [o for name, value in parameters.items() for o in ("-p", f"{name}={value}")]
        counted = json.loads(gemmscope("trace", kernel, *options, "--json"))["counters"]
        fma = counted["ffma_thread_instructions"] + counted["dfma_thread_instructions"]
        loads = counted["shared_load"]
        wavefronts = f"{loads['wavefronts'] / loads['instructions']:.2f}" if loads["instructions"] else "none"
        rows.append([f"`{subject}`", f"{counted['instructions_executed']:,}", f"{100 * fma / 32 / counted['instructions_executed']:.0f} %", wavefronts,
                     f"{loads['wavefronts_excessive']:,}", f"{counted['global_load']['sectors'] + counted['async_copy']['sectors']:,}"])
    return table(["kernel", f"warp instructions of NVRTC {compiler}'s PTX", "of them FMA", "wavefronts a shared read", "excessive", "sectors read"], rows)


def measured(arguments):
    size, rows = int(arguments[0]), []
    samples = [json.loads(line) for line in recorded.read_text().splitlines()[1:]]
    for argument in arguments[1:]:
        subject, _, then = argument.partition("==")
        kernel, parameters = split(subject)
        for s in samples:
            if s["kernel"] == kernel and s["m"] == s["n"] == s["k"] == size and parameters.items() <= s["parameters"].items():
                rows.append([f"`{subject}`", then, f"{s['gflops'] / 1000:.2f}", f"{s['ratio']:.2f}"])
                break
        else:
            sys.exit(f"stories.py: {subject} was not recorded at {size}")
    return table(["kernel", "the source", f"TFLOPS at {size}, H200", "of cuBLAS there"], rows)


TABLES = {"counters": counters, "measured": measured}


def remade(page, check):
    """The page's text with its tables made again, and its pictures drawn; if `check`, only what needs no compiler."""
    lines, out = page.read_text().splitlines(), []
    while lines:
        line = lines.pop(0)
        out.append(line)
        said = re.fullmatch(r"<!-- (\w+): (.*) -->", line)
        if not said:
            continue
        kind, arguments = said[1], shlex.split(said[2])
        if check and kind == "counters":
            continue  # another NVRTC's are other ones
        if kind in TABLES:
            while lines and lines[0].startswith("|"):
                lines.pop(0)
            out += TABLES[kind](arguments)
        elif kind == "picture":
            image = re.fullmatch(r"!\[.*\]\((.*)\)", lines[0]) if lines else None
            if not image:
                sys.exit(f"stories.py: {page}: no picture below {line}")
            file = page.parent / image[1]
            if not check:
                gemmscope("render", *arguments, "-o", str(file))
            elif not file.exists():
                sys.exit(f"stories.py: {file} is missing; run scripts/stories.py")
        else:
            sys.exit(f"stories.py: {page}: {kind} is none of picture, {', '.join(TABLES)}")
    return "\n".join(out) + "\n"


def main(arguments):
    check = arguments[:1] == ["--check"]
    pages = [pathlib.Path(a) for a in arguments[check:]] or sorted((root / "docs" / "stories").glob("*.md"))
    stale = False
    for page in pages:
        text = remade(page, check)
        if not check:
            page.write_text(text)
        elif text != page.read_text():
            stale = True
            print(f"stories.py: {page} would change; run scripts/stories.py")
    sys.exit(stale)


main(sys.argv[1:])
