#!/usr/bin/env python3
"""Makes the pictures and tables of docs/stories/, docs/inner_loops.md and docs/champion_log.md again, each from the comment above it:
  scripts/stories.py [PAGE.md ...]      all pages if none is named; PROGRAM=build/gemmscope
  scripts/stories.py --check            changes nothing; exits with 1 where a picture is missing or what was measured is not what a page says
A comment is one of
  <!-- picture: VIEW KERNEL OPTIONS -->     as `gemmscope render` takes them; below it the picture's ![...](FILE)
  <!-- counters: KERNEL ... OPTIONS -->     what the CPU engine counts, at 256 x 256 x 256 if no size is given, in the PTX of this machine's NVRTC
  <!-- measured: SIZE KERNEL=="THEN" ... --> the recorded H200 beside what the document says (THEN)
  <!-- predicted: SIZE KERNEL KERNEL+SWITCH ... -->  times without a GPU, with their errors, beside the recorded H200: `gemmscope predict KERNEL --what-if SWITCH`
  <!-- loops: KERNEL ... -->                what a turn of each main loop is made of: `gemmscope compile KERNEL --loop`
  <!-- least: KERNEL KERNEL|KERNEL ... -->  the least ratio to cuBLAS with the settings of today, of several kernels that of the best at each size, of
                                       the repetitions docs/champion_log/*.jsonl, of scripts/record.sh; KERNEL@DATE, or KERNEL@h200_18: since then,
                                       or since that repetition, its code is what it is
  <!-- log: CHAPTER ... -->                the steps of chapters of the champion's log, as assets/champion_log.toml has them
  <!-- loop: KERNEL LINES -->               the first LINES of its instructions, with their scheduling fields
and a KERNEL of a table may have parameters: shared_tile:TILE=8,PAD=1."""
import functools
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tomllib

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


@functools.cache
def compiler(name):
    found = re.search(rf"^{name}\s+found\s+([\d.]+)|^pack\s+found\s.*\b{name} ([\d.]+)", gemmscope("doctor"), re.MULTILINE)
    return f"{name} {found[1] or found[2]}" if found else f"no {name}"


def compilers():
    return f"{compiler('NVRTC')}, {compiler('ptxas')}"


def counters(arguments):
    rows = []
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
    return table(["kernel", f"warp instructions of {compiler('ptxas')}'s SASS", "of them FMA", "wavefronts a shared read", "excessive", "sectors read"], rows)


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


@functools.cache
def best_settings(kernel, size, device):
    """Of today: those that gemmscope tune found for the size on the device, or the kernel's initial ones; None: it was tuned, but not for these"""
    tuned = root / "kernels" / f"{kernel}.tuned.toml"
    if not tuned.exists():
        return json.loads(gemmscope("show", kernel, "--json"))["values"]
    points = tomllib.loads(tuned.read_text())["best"]
    return next((p["parameters"] for p in points if (p["m"], p["n"], p["k"], p["device"]) == (*size, device)), None)


def least(columns):
    """A row a size at which the first was measured, a column a kernel or several; below them geometric means of the squares and of all sizes."""
    size_of = lambda point: (point["m"], point["n"], point["k"])
    measured = []
    for path in sorted((root / "docs" / "champion_log").glob("*.jsonl")):
        measured += [{**json.loads(line), "run": path.stem} for line in path.read_text().splitlines()[1:]]
    sizes = list(dict.fromkeys(size_of(p) for p in measured if p["kernel"] == columns[0].partition("@")[0]))
    points = {}  # (kernel, m, n, k) -> of each run
    for point in measured:
        if best_settings(point["kernel"], size_of(point), point["device"]) in (None, point["parameters"]):
            points.setdefault((point["kernel"], *size_of(point)), []).append(point)

    def counts(point, since):
        gpu, _, number = since.rpartition("_")
        name, _, run = point["run"].rpartition("_")
        return name == gpu and int(run) >= int(number) if gpu else point["date"] >= since

    def of(column, size):
        found = []
        for kernel, _, since in (one.partition("@") for one in column.split("|")):
            found.append([p["ratio"] for p in points.get((kernel, *size), []) if counts(p, since)])
        return max(filter(None, found), key=min, default=[])

    def shown(column, size):
        found = of(column, size)
        return f"{min(found):.3f} of {len(found)}" if found else ""

    def mean(column, which):  # of fewer sizes it is another mean
        found = [of(column, size) for size in sizes if which(size)]
        return f"{statistics.geometric_mean(map(min, found)):.3f}" if all(found) else ""

    square = lambda size: len(set(size)) == 1
    rows = [[f"{size[0]}" if square(size) else " x ".join(map(str, size))] + [shown(column, size) for column in columns] for size in sizes]
    rows += [[f"geometric mean, {what}"] + [mean(column, which) for column in columns] for what, which in (("squares", square), ("all", lambda size: True))]
    return table(["M x N x K", *(" or ".join(f"`{kernel.partition('@')[0]}`" for kernel in column.split("|")) for column in columns)], rows)


def recorded_speed(subject, size):
    """GFLOPS that the H200 reached with these parameters at that size; None: it was not measured"""
    kernel, parameters = split(subject)
    options = [o for name, value in parameters.items() for o in ("-p", f"{name}={value}")]
    try:
        return json.loads(gemmscope("speed", kernel, "--size", size, "--device", "NVIDIA H200", *options, "--json"))["gflops"]
    except subprocess.CalledProcessError:
        return None


def predicted(arguments):
    size, rows = arguments[0], []
    for argument in arguments[1:]:
        subject, _, switch = argument.partition("+")
        kernel, parameters = split(subject)
        options = [o for name, value in parameters.items() for o in ("-p", f"{name}={value}")]
        asked = ["--what-if", switch] if switch else []
        told = json.loads(gemmscope("predict", kernel, "-m", size, "-n", size, "-k", size, *options, *asked, "--json"))
        time = told["what_if"][0] if switch else told
        error = told["error"]
        known = f"{100 * error['median']:.1f} %, {100 * error['p90']:.1f} %" if error else "not validated"
        if told["not_validated"] and error:
            known = "unreliable: " + known
        lost = ", ".join(f"{r['reason'].replace('_', ' ')} {100 * r['share']:.0f} %" for r in told["reasons"][:2])
        speed = None if switch else recorded_speed(subject, size)
        rows.append([f"`{argument}`", f"{time['ms']:.2f}", f"{time['gflops'] / 1000:.1f}", "no GPU has this" if switch else known, "" if switch else lost,
                     f"{speed / 1000:.1f}" if speed else ""])
    return table([f"kernel ({compilers()})", f"predicted ms at {size}", "TFLOPS", "median error, 90 % within", "its warps wait most for", "TFLOPS recorded, H200"], rows)


def main_loop(subject):
    kernel, parameters = split(subject)
    options = [o for name, value in parameters.items() for o in ("-p", f"{name}={value}")]
    return json.loads(gemmscope("compile", kernel, *options, "--loop", "--json"))


def loops(arguments):
    rows = []
    for subject in arguments:
        loop = main_loop(subject)
        fma, steps = loop["products"], loop["k_steps"]
        loads = ", ".join(f"{count / steps:g} of {bytes_of} bytes" for bytes_of, count in loop["shared_loads"].items())
        rows.append([f"`{subject}`", f"{steps:g}", f"{fma / steps:g}", f"{100 * fma / loop['instructions']:.1f} %", f"{loop['instructions'] / fma:.2f}",
                     f"{loop['stall_cycles'] / fma:.2f}", f"{loop['reused'] / fma:.2f}", loads or "none"])
    return table([f"kernel ({compilers()})", "k-steps a turn", "FFMAs a k-step", "FFMAs among the instructions", "instructions an FFMA", "stall cycles an FFMA",
                  "operands kept an FFMA", "shared loads a k-step"], rows)


def loop(arguments):
    lines = main_loop(arguments[0])["body"][: int(arguments[1])]
    width = max(len(line["text"]) for line in lines)
    return ["```", *(f"{line['address']:5x}  {line['text']:{width}}  {line['control']}" for line in lines), "```"]


def figure(one):
    """"49.7 TFLOPS at 8192, from 45.7; 0.971 of cuBLAS" of a figure as `gemmscope log --json` has it"""
    sizes = [one["m"], one["n"], one["k"]]
    size = f"{sizes[0]}" if len(set(sizes)) == 1 else " x ".join(map(str, sizes))
    words = f"{one['value']:g} {one['unit']} at {size}"
    if one["before"]:
        words += f", from {one['before']:g}"
    if one["cublas_tflops"]:
        words += f" ({one['ratio']:.3g} of cuBLAS)"
    return words + (f", {one['of']}" if one["of"] else "")


def log(chapters):
    rows = []
    steps = [json.loads(line) for line in gemmscope("log", "--json").splitlines()]
    for step in sorted((s for s in steps if s["chapter"] in chapters), key=lambda s: chapters.index(s["chapter"])):
        outcome = "" if step["kept"] else " **Dead end.**"
        setting = f" ({step['setting']})" if step["setting"] else ""
        devices = sorted({one["device"] for one in step["measured"]} - {"NVIDIA H200"})
        measured = "; ".join(map(figure, step["measured"])) + (f"; on {', '.join(devices)}" if devices else "")
        rows.append([f"**{step['title']}**{setting}", step["hypothesis"], step["predicted"] or "not predicted then", measured, (step["cause"] or "") + outcome])
    heads = ["step", "hypothesis", "predicted", "measured", "cause"]
    return [row(heads), row(["---"] * len(heads))] + [row(r) for r in rows]


TABLES = {"counters": counters, "measured": measured, "least": least, "predicted": predicted, "loops": loops, "log": log, "loop": loop}


def checkable(kind, text):
    """Whether `kind` should come out again as it stands in the text: other compilers make other code, and the model of time grows."""
    return kind not in ("counters", "predicted", "loops", "loop") or (kind in ("loops", "loop") and compilers() in text)


def drop_made(lines):
    """Takes the table or the block of code off the front."""
    if lines[:1] == ["```"]:
        del lines[: lines.index("```", 1) + 1]
    while lines and lines[0].startswith("|"):
        lines.pop(0)


def remade(page, check):
    """The page's text with its tables made again, and its pictures drawn; if `check`, only what comes out the same on every machine."""
    text = page.read_text()
    lines, out = text.splitlines(), []
    while lines:
        line = lines.pop(0)
        out.append(line)
        said = re.fullmatch(r"<!-- (\w+): (.*) -->", line)
        if not said:
            continue
        kind, arguments = said[1], shlex.split(said[2])
        if check and not checkable(kind, text):
            continue
        if kind in TABLES:
            drop_made(lines)
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
    pages = [pathlib.Path(a) for a in arguments[check:]] or [*sorted((root / "docs" / "stories").glob("*.md")), root / "docs" / "inner_loops.md",
                                                                 root / "docs" / "champion_log.md"]
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
