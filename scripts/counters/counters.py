"""Sums ncu's source page over the instructions of a kind, as ../shared/hardware/README.md maps them: FOLDER holds launches.json,
provenance, and ncu.1.csv and ncu.2.csv of two profiles of the same launches. Writes counters.csv to standard output; a number that is not
the same in both is written as the lower~the higher."""
import csv
import json
import pathlib
import re
import sys

import elf

KINDS = {"shared_load": "LDS", "shared_store": "STS", "global_load": "LDG", "global_store": "STG", "async_copy": "LDGSTS"}
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


def total(rows, column, name=None):
    return sum(number(row[column]) for row in rows if name is None or opcode(row["Source"]) == name)


def counters(rows):
    yield "instructions_executed", total(rows, "Instructions Executed")
    yield "ffma_thread_instructions", total(rows, THREADS, "FFMA")
    for kind, name in KINDS.items():
        for field, column in (SHARED if "shared" in kind else GLOBAL).items():
            yield f"{kind}.{field}", total(rows, column, name)


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
    folder = pathlib.Path(sys.argv[1])
    launches = json.loads((folder / "launches.json").read_text())
    profiles = [kernels(folder / f"ncu.{turn}.csv") for turn in (1, 2)]
    for profiled in profiles:
        if len(profiled) != len(launches):
            sys.exit(f"{len(launches)} launches and {len(profiled)} profiles")
    sys.stdout.write((folder / "provenance").read_text())
    sys.stdout.write("# made by scripts/record_counters.sh: ncu --clock-control none --section SourceCounters, --page source --print-source sass --csv\n")
    sys.stdout.write("# code: FNV-1a of the kernel's machine code, sm_90\n")
    earlier = earlier_rows(pathlib.Path(sys.argv[2]))
    names = None
    for launch, *both in zip(launches, *profiles):
        first, second = (dict(counters(rows)) for rows in both)
        values = {name: text(first[name], second[name]) for name in first}
        if names is None:
            names = list(values)
            print("source;options;run;code;" + ";".join(names))
        code = dict(elf.text_sections(folder / pathlib.Path(launch["cubin"]).name))[launch["entry"]]
        row = [launch["source"], launch["options"], launch["run"], elf.code_name(code)] + [values[n] for n in names]
        print(";".join(widened(row, earlier.get(tuple(row[:3]), row))))


if __name__ == "__main__":
    main()
