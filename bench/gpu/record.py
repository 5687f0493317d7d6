#!/usr/bin/env python3
"""Puts the lines that the microbenchmarks printed into a record, and makes the page that shows it.

    record.py THEME.lines...             called by scripts/record_machine.sh, which says the rest in its environment
    record.py --page RECORD.json         prints the page
"""
import json
import os
import pathlib
import re
import sys

HEADS = {"pipes": "One instruction", "mixes": "FFMAs with something among them", "banks": "Operands of an instruction", "shared": "Shared memory",
         "l1": "L1", "memory": "L2 and memory", "sync": "Barriers", "code": "Instructions, branches and constants", "launch": "Launches",
         "copies": "Asynchronous copies", "order": "Which warp is next", "wgmma": "Products of a warpgroup"}


def record(files):
    env = os.environ
    name = re.sub(r"^nvidia ", "", env["DEVICE"].lower()).split()[0]
    path = pathlib.Path(env["OUT"]) / f"{name}.json"
    themes = json.loads(path.read_text())["themes"] if path.exists() else {}
    for file in map(pathlib.Path, files):
        themes[file.stem] = [json.loads(line) for line in file.read_text().splitlines()]
    provenance = {key: env[key.upper()] for key in ("device", "driver", "compiler", "clocks", "date", "command")}
    lines = ['{"provenance": ' + json.dumps(provenance) + ', "themes": {']
    for at, theme in enumerate(t for t in HEADS if t in themes):
        lines.append(("," if at else "") + json.dumps(theme) + ": [")
        lines.append(",\n".join(json.dumps(result) for result in themes[theme]) + "]")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "}}\n")
    print(path)


def page(path):
    recorded = json.loads(pathlib.Path(path).read_text())
    of = recorded["provenance"]
    print(f"""# What the parts of an {of['device'].removeprefix('NVIDIA ')} cost

Each row is the median of repeated runs, and the range that they covered. They were measured on one {of['device']} (driver {of['driver']},
{of['compiler']}) on {of['date']}, by `{of['command'].strip()}`; nvidia-smi then said {of['clocks']}. `bench/gpu` holds the programs,
`assets/recorded/microbenchmarks` the numbers, and `bench/gpu/record.py --page` makes this page of them.

A cycle is one of the SM's clock. Loops were unrolled to n and to 2n steps, and the difference of both times is told, so that no loop is in it.""")
    for theme, results in recorded["themes"].items():
        print(f"\n## {HEADS[theme]}\n\n| name | value | range | unit | how |\n|---|---:|---:|---|---|")
        for r in results:
            print(f"| `{r['name']}` | {r['value']:g} | {r['spread']:g} | {r['unit']} | {r['how']} |")


if sys.argv[1] == "--page":
    page(sys.argv[2])
else:
    record(sys.argv[1:])
