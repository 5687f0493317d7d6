"""What Nsight Compute's source page calls ideal for single accesses to shared memory, those of 8 and 16 bytes of shared_wavefronts_h200.csv:
    ideal.py launches CSV CUBIN     launches.json for launch.py, to standard output
    ideal.py table CSV NCU_CSV      CSV's lines with the ideal wavefronts appended, to standard output"""
import csv
import json
import sys

import counters

EVERY = {("load", "16"): 1, ("load", "8"): 2, ("store", "16"): 3, ("store", "8"): 6}  # one in so many is taken


def accesses(path):
    seen = dict.fromkeys(EVERY, 0)
    with open(path, newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            kind = row["op"], row["bytes"]
            if kind not in EVERY:
                continue
            seen[kind] += 1
            if seen[kind] % EVERY[kind] == 0:
                yield row


def launches(path, cubin):
    for row in accesses(path):
        kind = int(row["bytes"]) * (1 if row["op"] == "load" else -1)
        yield {"cubin": cubin, "entry": "access", "grid": [1, 1, 1], "block": [32, 1, 1], "shared": 0,
               "arguments": ["integers=" + row["offsets"], "floats=32", f"i32={kind}"]}


def table(path, profile):
    rows, profiles = list(accesses(path)), counters.kernels(profile)
    if len(rows) != len(profiles):
        sys.exit(f"{len(rows)} launches and {len(profiles)} profiles")
    print("op,bytes,wavefronts,ideal,offsets")
    for row, profiled in zip(rows, profiles):
        name = "LDS" if row["op"] == "load" else "STS"
        wavefronts, ideal = (counters.total(profiled, counters.SHARED[field], name) for field in ("wavefronts", "wavefronts_ideal"))
        print(row["op"], row["bytes"], wavefronts, ideal, row["offsets"], sep=",")


if sys.argv[1] == "launches":
    print(json.dumps(list(launches(*sys.argv[2:]))))
else:
    table(*sys.argv[2:])
