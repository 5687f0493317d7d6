"""Makes assets/recorded/waits/*.json of what ncu printed: FOLDER holds launches.json of compile.py, provenance, and ncu.csv, the raw page of
one profile of those launches. `waits` are warps of a scheduler in each state for every cycle in which it issues; `selected` is the one that issues.
waits.py FOLDER writes them to standard output; waits.py --columns cuts ncu's page, from standard input, down to the columns that are read."""
import csv
import json
import pathlib
import re
import sys

STATE = re.compile(r"smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio")
METRICS = {  # ncu's name: field, unit that ncu prints, what to divide by
    "gpu__time_duration.sum": ("time_us", "ns", 1e3),
    "sm__cycles_elapsed.max": ("cycles", "cycle", 1),
    "smsp__inst_executed.sum": ("warp_instructions", "inst", 1),
    "l1tex__t_sector_hit_rate.pct": ("l1_hit_percent", "%", 1),
    "lts__t_sectors.sum": ("l2_sectors", "sector", 1),
    "lts__t_sector_hit_rate.pct": ("l2_hit_percent", "%", 1),
    "dram__bytes_read.sum": ("dram_read_bytes", "byte", 1),
    "dram__bytes_write.sum": ("dram_write_bytes", "byte", 1),
}


LAUNCH = ("ID", "Kernel Name", "Block Size", "Grid Size")


def columns():
    """The page also names the machine and all that its device can do."""
    rows = list(csv.reader(line for line in sys.stdin if line.startswith('"')))  # the others are ncu's remarks
    kept = [at for at, name in enumerate(rows[0]) if name in LAUNCH or name in METRICS or STATE.fullmatch(name)]
    csv.writer(sys.stdout, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([row[at] for at in kept] for row in rows)


def number(text):
    value = float(text.replace(",", ""))
    return int(value) if value.is_integer() else round(value, 4)


def triple(text):
    return [int(part) for part in text.strip("()").split(",")]


def main():
    folder = pathlib.Path(sys.argv[1])
    launches = json.loads((folder / "launches.json").read_text())
    units, *rows = csv.DictReader((folder / "ncu.csv").read_text().splitlines())
    if len(launches) != len(rows):
        sys.exit(f"waits.py: {len(launches)} launches and {len(rows)} profiles")
    missing = [name for name in METRICS if name not in units]
    states = {name: STATE.fullmatch(name)[1] for name in units if STATE.fullmatch(name)}
    if missing or not states:
        sys.exit(f"waits.py: ncu.csv has no {', '.join(missing) or 'states of warps'}")
    for name, (_, unit, _) in METRICS.items():
        if units[name] != unit:
            sys.exit(f"waits.py: {name} is in {units[name]}, not in {unit}; print it with --print-units base")
    provenance = dict(line.split(": ", 1) for line in (folder / "provenance").read_text().splitlines())
    said = []
    for launch, row in zip(launches, rows):
        if triple(row["Grid Size"]) != launch["grid"] or triple(row["Block Size"]) != launch["block"]:
            sys.exit(f"waits.py: launch {row['ID']} is of {row['Kernel Name']}, not of {launch['source']} {launch['options']} {launch['run']}")
        run = {name: launch[name] for name in ("parameters", "m", "n", "k", "grid", "block")}
        counted = {field: number(str(float(row[name].replace(",", "")) / divisor)) for name, (field, _, divisor) in METRICS.items()}
        waits = {state: number(row[name]) for name, state in states.items()}
        said.append(json.dumps({"kernel": launch["source"], **run, **counted, "waits": dict(sorted(waits.items(), key=lambda of: -of[1]))}))
    print(json.dumps({"provenance": provenance})[:-1] + ', "launches": [')
    print(",\n".join(said) + "]}")


if sys.argv[1] == "--columns":
    columns()
else:
    main()
