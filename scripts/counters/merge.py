"""Puts what scripts/record_counters.sh recorded of some kernels (KERNELS=...) into FOLDER among the rest: merge.py FOLDER. Lines of the same run,
program or form of an instruction are replaced, those of cases that are no longer in cases.txt go, and what is new of provenance is added."""
import pathlib
import sys

import compile as cases

DATA = pathlib.Path(__file__).parents[2] / "tests/data/counters"


def read(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return [line for line in lines if line.startswith("#")], [line for line in lines if not line.startswith("#")]


def provenance(old, new, what):
    added = [line for line in new if line not in old]
    return old + [f"# {what}: {line[2:]}" for line in added if not line.startswith("# made by")]


def merged(old, new, key, is_known=lambda line: True):
    lines = {key(line): line for line in old if is_known(line)}
    lines.update((key(line), line) for line in new)
    return list(lines.values())


def main():
    folder = pathlib.Path(sys.argv[1])
    known = list(cases.read_cases(DATA / "cases.txt"))
    order = {(source, " ".join(options), " ".join(run)): None for source, options, runs in known for run in runs}

    run = lambda line: tuple(line.split(";")[:3])
    for name in ("counters.csv", "opcodes.csv"):
        head, rows = read(DATA / name)
        new_head, new_rows = read(folder / name)
        if not new_rows:
            continue
        kernels = sorted({line.split(";")[0] for line in new_rows[1:]})
        all_rows = {run(line): line for line in merged(rows[1:], new_rows[1:], run, lambda line: run(line) in order)}
        text = provenance(head, new_head, ", ".join(kernels)) + rows[:1] + [all_rows[key] for key in order if key in all_rows]
        (DATA / name).write_text("\n".join(text) + "\n")

    head, rows = read(DATA / "machine_code.csv")
    new_head, new_rows = read(folder / "machine_code.csv")
    if not new_rows:
        return
    programs = [line.split(";") for line in new_rows if line.startswith("program;")]
    numbers = sorted({int(fields[2]) for fields in programs})
    recorded = {known[number][0] for number in numbers}

    def key(line):
        kind, *fields = line.split(";")
        if kind == "instruction":  # the architecture, the opcode's bits, and the form without a branch's target
            said = fields[4].rsplit(" ", 1)[0] if "BRA" in fields[4] or "CALL" in fields[4] else fields[4]
            return kind, fields[0], int(fields[2], 16) & 0xFFFF, said
        return (kind, *fields[:1]) if kind == "comment" else (kind, *fields[:2])

    new_rows = [line for line in new_rows if not line.startswith("comment;") or line.split(";")[1] in recorded]
    old_keys = {key(line) for line in rows if line.startswith("instruction;")}
    new_rows = [line for line in new_rows if not line.startswith("instruction;") or key(line) not in old_keys]  # one example is enough
    lines = [line for line in rows if line.startswith("instruction;")] + [line for line in new_rows if line.startswith("instruction;")]
    for kind in ("comment", "program"):
        lines += merged([line for line in rows if line.startswith(kind)], [line for line in new_rows if line.startswith(kind)], key)
    text = provenance(head, new_head, f"cases {', '.join(map(str, numbers))}") + lines
    (DATA / "machine_code.csv").write_text("\n".join(text) + "\n")


main()
