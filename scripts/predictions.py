#!/usr/bin/env python3
"""Judges the predicted times against the recorded ones and makes the tables and pictures of docs/predictions.md again:
  scripts/predictions.py [OPTIONS OF gemmscope judge]     judges every kernel, half an hour to two on four cores; PROGRAM=build/gemmscope
  scripts/predictions.py --points FILE.jsonl              draws what was judged already: assets/recorded/accuracy/h200.json, and its points
It writes assets/recorded/accuracy/h200.json, by which the program says its errors, what stands between the marks of the page, and docs/predictions/*.svg."""
import collections
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
program = os.environ.get("PROGRAM", str(root / "build" / "gemmscope"))
record = root / "assets" / "recorded" / "accuracy" / "h200.json"
sweeps = root / "assets" / "recorded" / "sweeps" / "h200"
page = root / "docs" / "predictions.md"
pictures = root / "docs" / "predictions"

TENSOR = {"binary_tensor", "tensor_tf32", "tensor_bf16", "dgemm_tensor"}
LOOSE = TENSOR | {"matrix_vector"}  # a goal of their own
GOALS = {"median": 0.06, "p90": 0.15, "tau": 0.9}
LOOSE_MEDIAN = 0.12


def judge(options):
    points = pathlib.Path(program).resolve().parent / "judged_points.jsonl"
    record.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([program, "judge", "every", "--output", str(record), "--points", str(points), *options], check=True)
    return points


def families():
    listed = subprocess.run([program, "list", "--json"], check=True, capture_output=True, text=True).stdout
    kernels = [one for line in listed.splitlines() for one in (lambda v: v if isinstance(v, list) else [v])(json.loads(line))]
    return {one["id"]: one["family"] for one in kernels if "family" in one}


def quantile(values, share):
    """As the program has it."""
    return sorted(values)[int(share * (len(values) - 1) + 0.5)]


def error(point):
    return point["predicted_ms"] / point["measured_ms"] - 1


def tau(line):
    """Kendall's tau-a of points (measured, predicted)."""
    agree = pairs = 0
    for n, (a, b) in enumerate(line):
        for c, d in line[n + 1:]:
            agree += ((a - c) * (b - d) > 0) - ((a - c) * (b - d) < 0)
            pairs += 1
    return agree / pairs


def median_tau(points):
    """Along each slider: settings that differ in it alone, three or more."""
    lines = collections.defaultdict(list)
    for p in points:
        for name in p["parameters"]:
            rest = tuple(sorted((k, v) for k, v in p["parameters"].items() if k != name))
            lines[p["kernel"], name, rest, p["m"], p["n"], p["k"]].append((p["measured_ms"], p["predicted_ms"]))
    found = [tau(line) for line in lines.values() if len(line) >= 3]
    return statistics.median(found) if found else None


def row(cells):
    return "| " + " | ".join(cells) + " |"


def size_of(one):
    if one["m"] is None:
        return "all"
    return f"{one['m']}³" if one["m"] == one["n"] == one["k"] else f"{one['m']} × {one['n']} × {one['k']}"


def missed(one):
    """Which of its kernel's goals the row of all sizes misses."""
    if one["kernel"] in LOOSE:
        return ["median"] if one["median"] > LOOSE_MEDIAN else []
    return [name for name in ("median", "p90") if one[name] > GOALS[name]] + (
        ["tau"] if one["tau"] is not None and one["tau"] < GOALS["tau"] else [])


def table(rows):
    lines = [row(["kernel", "size", "points", "median", "p90", "worst", "bias", "tau", "lines"]),
             row(["---", "---"] + ["---:"] * 7)]
    for one in rows:
        mark = ["**", "**"] if one["m"] is None else ["", ""]
        cells = [f"`{one['kernel']}`", size_of(one), str(one["points"]), *(f"{100 * one[n]:.1f} %" for n in ("median", "p90", "worst")),
                 f"{100 * one['bias']:+.1f} %", "–" if one["tau"] is None else f"{one['tau']:.2f}", str(one["lines"])]
        lines.append(row([cells[0]] + [mark[0] + c + mark[1] for c in cells[1:]]))
    return lines


def percent(value):
    return f"{100 * value:.1f} %"


def goals(rows, points, family):
    """The whole ladder beside its goals, and who misses what."""
    ladder = [p for p in points if family.get(p["kernel"]) == "ladder"]
    lines = []
    if ladder:
        errors = [abs(error(p)) for p in ladder]
        order = median_tau(ladder)
        lines = [row(["FP32 kernels of the ladder together", "goal", "reached"]), row(["---", "---:", "---:"]),
                 row(["median error", "≤ 6 %", percent(quantile(errors, 0.5))]), row(["90th percentile", "≤ 15 %", percent(quantile(errors, 0.9))]),
                 row(["Kendall's tau along each slider, median", "≥ 0.9", "–" if order is None else f"{order:.2f}"]), ""]
    wanted = [one for one in rows if one["m"] is None and (family.get(one["kernel"]) == "ladder" or one["kernel"] in LOOSE)]
    misses = [f"`{one['kernel']}` ({', '.join(missed(one))})" for one in wanted if missed(one)]
    reached = [f"`{one['kernel']}`" for one in wanted if not missed(one)]
    lines.append(f"All sizes together, kernels that reach their goals: {', '.join(reached) or 'none'}. That miss one: {', '.join(misses) or 'none'}.")
    return lines


def provenance(p):
    return [f"Measured on {p['device']}: {p['measured']}. Predicted for {p['arch']} by gemmscope {p['version']}, {p['date']}: `{p['command']}`.",
            "", f"The split: {p['rule']}."]


# A panel a kernel, both axes logarithmic; a point is a stroke without length, round at its ends.
PANEL, GAP, COLUMNS, MOST_POINTS = 150, 34, 4, 400
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"]  # Okabe and Ito


def panel(kernel, points, sizes, left, top):
    every = [p[n] for p in points for n in ("measured_ms", "predicted_ms")]
    low, high = math.log10(min(every)) - 0.1, math.log10(max(every)) + 0.1
    at = lambda ms: (math.log10(ms) - low) / (high - low) * PANEL
    place = lambda p: (left + at(p["measured_ms"]), top + PANEL - at(p["predicted_ms"]))
    errors = [abs(error(p)) for p in points]
    out = [f'<text x="{left}" y="{top - 5}">{kernel}</text>',
           f'<text class="tick" x="{left + 5}" y="{top + 13}">{percent(quantile(errors, 0.5))}, {percent(quantile(errors, 0.9))}</text>',
           f'<clipPath id="{kernel}"><rect x="{left}" y="{top}" width="{PANEL}" height="{PANEL}"/></clipPath>',
           f'<g clip-path="url(#{kernel})">']
    for factor, kind in ((0.85, "band"), (1, "equal"), (1.15, "band")):
        shift = math.log10(factor) / (high - low) * PANEL
        out.append(f'<path class="{kind}" d="M{left:.1f} {top + PANEL - shift:.1f}L{left + PANEL:.1f} {top - shift:.1f}"/>')
    for n, size in enumerate(sizes):
        some = [p for p in points if size_of(p) == size]
        some = some[::max(1, -(-len(some) // (MOST_POINTS // len(sizes))))]
        path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in map(place, some))
        out.append(f'<path d="{path}" stroke="{COLOURS[n % len(COLOURS)]}" class="points"/>')
    out.append("</g>")
    out.append(f'<rect class="frame" x="{left}" y="{top}" width="{PANEL}" height="{PANEL}"/>')
    for power in range(math.ceil(low), math.floor(high) + 1):
        word = f"{10.0 ** power:g}"
        out.append(f'<text class="tick" x="{left + at(10.0 ** power):.1f}" y="{top + PANEL + 11}" text-anchor="middle">{word}</text>')
        out.append(f'<text class="tick" x="{left - 3}" y="{top + PANEL - at(10.0 ** power) + 3:.1f}" text-anchor="end">{word}</text>')
    return out


def picture(name, kernels, points):
    sizes = sorted({size_of(p) for p in points if p["kernel"] in kernels}, key=lambda s: int(s.split("³")[0].split(" ")[0]))
    rows_of = -(-len(kernels) // COLUMNS)
    width, height = COLUMNS * (PANEL + GAP) + GAP, rows_of * (PANEL + GAP + 10) + 46
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
           f"<title>Predicted against measured milliseconds: {name}</title>",
           "<style>text{font:11px sans-serif;fill:#222}.tick{font-size:9px;fill:#555}.frame{fill:none;stroke:#888}.equal{stroke:#222}"
           ".band{stroke:#222;stroke-dasharray:3 3;stroke-width:.6}path{fill:none}.points{stroke-width:3;stroke-linecap:round;stroke-opacity:.6}</style>",
           f'<rect width="{width}" height="{height}" fill="#fff"/>',
           f'<text x="{GAP}" y="16">predicted ms (up) against measured ms; dashed: 15 % off; median and 90th percentile of the error</text>']
    x = GAP
    for n, size in enumerate(sizes):
        out.append(f'<path d="M{x + 4} 28h0" stroke="{COLOURS[n % len(COLOURS)]}" class="points" style="stroke-width:7"/><text x="{x + 11}" y="32">{size}</text>')
        x += 24 + 8 * len(size)
    for n, kernel in enumerate(kernels):
        left, top = GAP + n % COLUMNS * (PANEL + GAP), 58 + n // COLUMNS * (PANEL + GAP + 10)
        out += panel(kernel, [p for p in points if p["kernel"] == kernel], sizes, left, top)
    (pictures / f"{name}.svg").write_text("\n".join(out) + "\n</svg>\n")


def main(arguments):
    pictures.mkdir(parents=True, exist_ok=True)
    points_file = pathlib.Path(arguments[1]) if arguments[:1] == ["--points"] else judge(arguments)
    points = [json.loads(line) for line in points_file.read_text().splitlines()]
    first, *rows = [json.loads(line) for line in record.read_text().splitlines()]
    family = families()
    by_family = collections.defaultdict(list)
    for kernel in family:
        if any(p["kernel"] == kernel for p in points):
            by_family["ladder" if family[kernel] == "ladder" else "others"].append(kernel)
    order = {kernel: n for n, kernel in enumerate(family)}
    rows.sort(key=lambda one: order.get(one["kernel"], len(order)))
    blocks = {"provenance": provenance(first["provenance"]), "goals": goals(rows, points, family)}
    for name, kernels in by_family.items():
        picture(name, kernels, points)
        blocks[name] = [f"![predicted against measured times](predictions/{name}.svg)", "", *table([one for one in rows if one["kernel"] in kernels])]
    absent = sorted({file.stem for file in sweeps.glob("*.txt")} - {one["kernel"] for one in rows})
    blocks["goals"] += ["", f"Measured, but without a predicted point in the judged half: {', '.join(f'`{kernel}`' for kernel in absent) or 'none'}."]
    text = page.read_text()
    for name, lines in blocks.items():
        mark = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text = mark.sub(lambda found: found[1] + "\n".join(lines) + "\n" + found[2], text)
    page.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
