#!/usr/bin/env python3
"""Puts the lines that the microbenchmarks printed into a record, and makes the page that shows it.

    record.py THEME.lines...             called by scripts/record_machine.sh, which says the rest in its environment
    record.py --page RECORD.json...      prints the page, a column a record
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


def page(paths):
    """The first record is of the device that the others are compared with."""
    records = [json.loads(pathlib.Path(path).read_text()) for path in paths]
    names = [r["provenance"]["device"].removeprefix("NVIDIA ").split()[0] for r in records]
    print(f"""# What the parts of an {' and an '.join(names)} cost

Each row is the median of repeated runs; the range is what those of the {names[0]} covered. `bench/gpu` holds the programs,
`assets/recorded/microbenchmarks` the numbers, and `bench/gpu/record.py --page` makes this page of them.
""")
    for of in (r["provenance"] for r in records):
        print(f"- {of['device']}, driver {of['driver']}, {of['compiler']}, {of['date']}, by `{of['command'].strip()}`; nvidia-smi then said {of['clocks']}" +
              (f"; {of['note']}" if "note" in of else ""))
    print("\nA cycle is one of the SM's clock. Loops were unrolled to n and to 2n steps, and the difference of both times is told, so that no loop is in it.")
    others = [{r["name"]: r["value"] for theme in record["themes"].values() for r in theme} for record in records[1:]]
    for theme, results in records[0]["themes"].items():
        print(f"\n## {HEADS[theme]}\n\n| name | {' | '.join(names)} | range | unit | how |\n|---|{'---:|' * len(names)}---:|---|---|")
        for r in results:
            values = [r["value"], *(other.get(r["name"], "") for other in others)]
            print(f"| `{r['name']}` | {' | '.join(f'{v:g}' if v != '' else '' for v in values)} | {r['spread']:g} | {r['unit']} | {r['how']} |")


if sys.argv[1] == "--page":
    page(sys.argv[2:])
else:
    record(sys.argv[1:])
