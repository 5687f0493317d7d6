"""Sums ncu's source page over the instructions of a kind, by their opcodes: FOLDER holds launches.json,
provenance, and ncu.1.csv and ncu.2.csv of two profiles of the same launches. counters.py FOLDER EARLIER OUT, folders of records, writes OUT's
counters.csv and opcodes.csv; a number that is not the same in both is written as the lower~the higher."""
import collections
import csv
import json
import pathlib
import re
import sys

import elf

KINDS = {"shared_load": ("LDS", "LDSM"), "shared_store": ("STS", "STSM"), "global_load": ("LDG",), "global_store": ("STG",), "async_copy": ("LDGSTS",)}
SHARED = {"instructions": "Instructions Executed", "wavefronts": "L1 Wavefronts Shared", "wavefronts_ideal": "L1 Wavefronts Shared Ideal",
          "wavefronts_excessive": "L1 Wavefronts Shared Excessive"}
GLOBAL = {"instructions": "Instructions Executed", "sectors": "L2 Theoretical Sectors Global", "sectors_ideal": "L2 Theoretical Sectors Global Ideal"}
THREADS = "Predicated-On Thread Instructions Executed"


def kernels(path):
    """One list of rows for each kernel that was profiled, in order."""
    header, found = None, []
    with open(path, newline="") as file:
        for row in csv.reader(file):
            if "Source" in row and "Instructions Executed" in row:
                header = row
                found.append([])
            elif header and len(row) == len(header):
                found[-1].append(dict(zip(header, row)))
    return [rows for rows in found if rows]


def opcode(source):
    return re.sub(r"^@!?U?P\w+\s+", "", source.strip()).split(".")[0].split()[0]


def number(text):
    return int(float(text.replace(",", ""))) if text.strip() else 0


def total(rows, column, names=None):
    return sum(number(row[column]) for row in rows if names is None or opcode(row["Source"]) in names)


def counters(rows):
    yield "instructions_executed", total(rows, "Instructions Executed")
    yield "ffma_thread_instructions", total(rows, THREADS, ("FFMA",))
    for kind, names in KINDS.items():
        for field, column in (SHARED if "shared" in kind else GLOBAL).items():
            yield f"{kind}.{field}", total(rows, column, names)


def opcodes(rows):
    """Of each opcode that was executed: warp instructions, and the threads of them whose guard was true."""
    sums = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        sums[opcode(row["Source"])][0] += number(row["Instructions Executed"])
        sums[opcode(row["Source"])][1] += number(row[THREADS])
    return {name: both for name, both in sums.items() if both[0]}


def opcodes_text(first, second):
    """FFMA 16384 524288, IMAD ...: by name."""
    absent = [0, 0]
    pairs = {name: zip(first.get(name, absent), second.get(name, absent)) for name in sorted(first | second)}
    return ",".join(" ".join([name, *(text(*ends) for ends in both)]) for name, both in pairs.items())


def text(first, second):
    return str(first) if first == second else f"{min(first, second)}~{max(first, second)}"


def widened(row, earlier):
    """The cells of a line, each with what an earlier recording of the same run and machine code said, too."""
    if row[:4] != earlier[:4]:
        return row
    numbers = ([int(end) for cell in cells for end in cell.split("~")] for cells in zip(row[4:], earlier[4:]))
    return row[:4] + [text(min(ends), max(ends)) for ends in numbers]


def earlier_rows(path):
    """By source, options and run; none where there is no such file."""
    lines = path.read_text().splitlines() if path.exists() else []
    rows = [line.split(";") for line in lines if not line.startswith(("#", "source;"))]
    return {tuple(row[:3]): row for row in rows}


def main():
    folder, earlier, out = map(pathlib.Path, sys.argv[1:4])
    launches = json.loads((folder / "launches.json").read_text())
    profiles = [kernels(folder / f"ncu.{turn}.csv") for turn in (1, 2)]
    for profiled in profiles:
        if len(profiled) != len(launches):
            sys.exit(f"{len(launches)} launches and {len(profiled)} profiles")
    head = (folder / "provenance").read_text()
    head += "# made by scripts/record_counters.sh: ncu --clock-control none --section SourceCounters, --page source --print-source sass --csv\n"
    head += "# code: FNV-1a of the kernel's machine code, sm_90\n"
    known = earlier_rows(earlier / "counters.csv")
    counted, executed, names = [], [], []
    for launch, *both in zip(launches, *profiles):
        first, second = (dict(counters(rows)) for rows in both)
        names = list(first)
        code = dict(elf.text_sections(folder / pathlib.Path(launch["cubin"]).name))[launch["entry"]]
        run = [launch["source"], launch["options"], launch["run"], elf.code_name(code)]
        row = run + [text(first[name], second[name]) for name in names]
        counted.append(widened(row, known.get(tuple(row[:3]), row)))
        executed.append(run + [opcodes_text(*map(opcodes, both))])
    runs = ["source", "options", "run", "code"]
    (out / "counters.csv").write_text(head + lines([runs + names, *counted]))
    head += "# opcodes: name, warp instructions executed, thread instructions whose guard was true\n"
    (out / "opcodes.csv").write_text(head + lines([runs + ["opcodes"], *executed]))


def lines(rows):
    return "".join(";".join(row) + "\n" for row in rows)


if __name__ == "__main__":
    main()
