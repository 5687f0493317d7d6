#!/usr/bin/env python3
"""How fast the register file lets a kernel's main loop issue its FMAs, counted from the machine code.

    nvdisasm -c kernel.cubin | scripts/fma_operands.py

The register file has two banks, even and odd registers, that deliver one register each per cycle; a register that an earlier
instruction read in the same operand place and marked `.reuse` comes from the operand cache, as long as nothing else of its bank
was read in that place since (found by measuring on an H200; the same as published for Ampere: Huerta et al., "Analyzing Modern
NVIDIA GPU cores", 2025). So an instruction takes as many cycles as registers it must fetch from the busier bank, one at least.
Prints the FMAs and instructions of the innermost loop that holds 128 FMAs or more, its cycles by that rule, FMAs per cycle, and
the share of FMAs by (registers fetched, cycles). Latencies, and waiting for memory, come on top.
"""
import collections
import re
import sys

INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z0-9_.]+)\s*(.*?)\s*;")
READS_AFTER_FIRST = ("FFMA", "FADD", "FMUL", "IMAD", "IADD", "LOP", "LEA", "MOV", "SHF", "SEL", "LD")  # the first operand is written


def read(lines):
    """[(opcode, operands)], {label: index}"""
    code, labels = [], {}
    for line in lines:
        if label := re.match(r"(\.L_x_\d+):", line):
            labels[label[1]] = len(code)
        elif found := INSTRUCTION.match(line):
            code.append((found[1], found[2]))
    return code, labels


def main_loop(code, labels):
    loops = []
    for end, (opcode, operands) in enumerate(code):
        target = re.search(r"`\((\.L_x_\d+)\)", operands)
        begin = labels.get(target[1], end + 1) if target and opcode.startswith("BRA") else end + 1
        if begin <= end and sum(name.startswith("FFMA") for name, _ in code[begin:end]) >= 128:
            loops.append(code[begin : end + 1])
    return min(loops, key=len, default=None)


def registers_read(opcode, operands):
    """(operand place, register, kept for the next)"""
    parts = [part.strip() for part in operands.split(",")]
    if opcode.startswith(READS_AFTER_FIRST):
        parts = parts[1:]
    for place, part in enumerate(parts[:3]):
        if found := re.search(r"\bR(\d+)(\.reuse)?", part):
            yield place, int(found[1]), found[2] is not None


def issue(loop):
    """Cycles of one turn, and how many FMAs fetch how many registers in how many cycles; the second turn, with a warm cache."""
    cache = {}
    for _ in range(2):
        cycles, kinds = 0, collections.Counter()
        for opcode, operands in loop:
            reads = list(registers_read(opcode, operands))
            fetched = {register for place, register, _ in reads if cache.get((register % 2, place)) != register}
            for place, register, kept in reads:
                cache[register % 2, place] = register if kept else None
            taken = max(1, *(sum(r % 2 == bank for r in fetched) for bank in (0, 1)))
            cycles += taken
            if opcode.startswith("FFMA"):
                kinds[len(fetched), taken] += 1
    return cycles, kinds


loop = main_loop(*read(sys.stdin))
if loop is None:
    sys.exit("fma_operands.py: no loop with 128 FMAs or more; is this what nvdisasm -c prints?")
cycles, kinds = issue(loop)
fmas = sum(kinds.values())
print(f"{fmas} FFMA of {len(loop)} instructions, {cycles} cycles, {fmas / cycles:.3f} FFMA per cycle")
for (fetched, taken), count in sorted(kinds.items()):
    print(f"{count / fmas:6.1%} fetch {fetched} registers in {taken} cycle{'s' if taken > 1 else ''}")
