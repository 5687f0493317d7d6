"""Makes assets/recorded/profiles/*.json of what ncu printed: FOLDER holds launches.json of compile.py, provenance, and ncu.csv of
one profile of those launches. Writes a line of JSON for each launch to standard output; its fields are those of app/measure/profile.h."""
import csv
import json
import pathlib
import sys

BYTES_OF_A_SECTOR = 32
METRICS = {  # ncu's name: field, unit that ncu prints, what to divide by
    "l1tex__t_sector_hit_rate.pct": ("l1_hit_percent", "%", 1),
    "lts__t_sector_hit_rate.pct": ("l2_hit_percent", "%", 1),
    "dram__bytes_read.sum": ("dram_read_bytes", "byte", 1),
    "gpu__time_duration.sum": ("time_ms", "ns", 1e6),
    "lts__t_sectors_srcunit_tex.sum": ("l2_bytes", "sector", 1 / BYTES_OF_A_SECTOR),
}
OPTIONAL = {"lts__t_sectors_srcunit_tex.sum"}  # older recordings lack it
PROVENANCE = ("device", "driver", "cuda", "tool", "date", "command")


def whole(value):
    return int(value) if value.is_integer() else value


def number(text):
    return whole(float(text.replace(",", "")))


def profiled(path):
    """Of each launch, in order, its rows: one a metric."""
    lines = [line for line in path.read_text().splitlines() if line.startswith('"')]  # the others are ncu's remarks
    launches = {}
    for row in csv.DictReader(lines):
        launches.setdefault(int(row["ID"]), []).append(row)
    return [rows for _, rows in sorted(launches.items())]


def metrics(rows):
    found = {}
    for row in rows:
        if row["Metric Name"] not in METRICS:
            continue
        field, unit, divisor = METRICS[row["Metric Name"]]
        if row["Metric Unit"] != unit:
            sys.exit(f"profiles.py: {row['Metric Name']} is in {row['Metric Unit']}, not in {unit}; profile with --print-units base")
        value = number(row["Metric Value"])
        found[field] = value if divisor == 1 else whole(value / divisor)
    missing = [name for name, (field, _, _) in METRICS.items() if field not in found and name not in OPTIONAL]
    if missing:
        sys.exit(f"profiles.py: launch {rows[0]['ID']} has no {', '.join(missing)}; ask ncu for them with --metrics")
    return {field: found[field] for field, _, _ in METRICS.values() if field in found}


def triple(text):
    return [int(part) for part in text.strip("()").split(",")]


def main():
    folder = pathlib.Path(sys.argv[1])
    launches, seen = json.loads((folder / "launches.json").read_text()), profiled(folder / "ncu.csv")
    if len(launches) != len(seen):
        sys.exit(f"profiles.py: {len(launches)} launches and {len(seen)} profiles")
    said = dict(line.split(": ", 1) for line in (folder / "provenance").read_text().splitlines())
    for launch, rows in zip(launches, seen):
        if "parameters" not in launch:
            sys.exit(f"profiles.py: {launch['source']} is no kernel of the catalogue; take it out of the cases")
        if triple(rows[0]["Grid Size"]) != launch["grid"] or triple(rows[0]["Block Size"]) != launch["block"]:
            sys.exit(f"profiles.py: launch {rows[0]['ID']} is of {rows[0]['Kernel Name']}, not of {launch['source']} {launch['options']} {launch['run']}")
        run = {name: launch[name] for name in ("parameters", "m", "n", "k")}
        print(json.dumps({"kernel": launch["source"], **run, **metrics(rows), **{name: said[name] for name in PROVENANCE}}, separators=(",", ":")))


main()
