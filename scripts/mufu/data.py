#!/usr/bin/env python3
"""Writes tests/data/mufu from what record.cu recorded. Needs numpy and xxhash.

    scripts/mufu/data.py RECORDING
"""
import pathlib
import sys

import numpy
import xxhash

from recording import BINADE, ONE, Recording, turns_of

MINUS, OF_ANGLES = 0x80000000, ("sin", "cos")
DEVICE = "an NVIDIA H100 80GB HBM3 (sm_90, driver 580.159.04, CUDA 13.0) on 2026-11-25"
NARROW = ("ex2_f16", "tanh_f16", "ex2_bf16", "tanh_bf16")
WIDE = ("rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin", "cos", "tanh", "rcp64h", "rsqrt64h")
SOME = 61  # of a long run every 61st argument, which visits all patterns of the lower digits


def runs():
    """(function, first argument, step): all mantissas once, and some of other powers of two."""
    def of(function, whole, some):
        return [(function, first, 1) for first in whole] + [(function, first, SOME) for first in some]

    def binades(*exponents):
        return [ONE + e * BINADE for e in exponents]

    yield from of("rcp", [ONE], [MINUS | ONE])
    yield from of("rsqrt", [ONE], [])
    yield from of("sqrt", [ONE], [])
    yield from of("ex2", [ONE, MINUS | ONE], [sign | first for first in binades(-6, -3, -1, 3) for sign in (0, MINUS)])
    yield from of("lg2", binades(0, -1, 1), binades(-3, 2, 60))
    for function in OF_ANGLES:
        yield from of(function, binades(0, 1), binades(-6, -4, -2, -1, 2, 3, 4))
    yield from of("sin", [], [MINUS | ONE + BINADE])
    yield from of("tanh", binades(-1, 0, 1), binades(*range(-9, -1), 2, 3, 4))
    yield from of("rcp64h", [0x3FF00000], [])
    yield from of("rsqrt64h", [0x3FF00000], [])
    for function in NARROW:
        yield from of(function, [0], [])


def hash_of(results):
    return xxhash.xxh3_128_hexdigest(numpy.ascontiguousarray(results, dtype="<u4").tobytes())


def ends(recording, function, first, segment):
    """The ends and the middle of each segment of a run."""
    results = recording.run(function, first)
    places = numpy.concatenate([[n, n + segment // 2 - 1, n + segment - 1] for n in range(0, min(len(results), 128 * segment), segment)])
    return (first + places).astype(numpy.uint32), results[places]


def values(recording, function):
    """Arguments and results: of each segment, and some of all arguments."""
    segments = {"rcp": [(ONE, 1 << 16)], "rsqrt": [(ONE, 1 << 17)], "sqrt": [(ONE, 1 << 17)],
                "ex2": [(ONE, 1 << 17), (MINUS | ONE, 1 << 17)], "lg2": [(ONE, 1 << 17), (ONE - BINADE, 1 << 17)],
                "sin": [(ONE, 1 << 17), (ONE + BINADE, 1 << 17)], "cos": [(ONE, 1 << 17), (ONE + BINADE, 1 << 17)],
                "tanh": [(ONE + e * BINADE, 1 << 19) for e in range(-9, 4)],
                "rcp64h": [(0x3FF00000, 1 << 13)], "rsqrt64h": [(0x3FF00000, 1 << 14)]}[function]
    arguments, results = recording.everywhere(function)
    parts = [ends(recording, function, *segment) for segment in segments] + [(arguments[1785::3571], results[1785::3571])]
    arguments, results = (numpy.concatenate(column) for column in zip(*parts))
    return dict(zip((turns_of(arguments) if function in OF_ANGLES else arguments).tolist(), results.tolist()))


def main():
    recording, folder = Recording(sys.argv[1]), pathlib.Path(__file__).parents[2] / "tests/data/mufu"
    lines = ["# Whole runs: the hash (XXH3, 128 bits, of little-endian words) of what MUFU gives for `count` arguments from `first` on,",
             "# `step` apart. A count of zero is the 2^20 arguments i * 4096 + (i * 2654435761 mod 2^32 >> 20), from all of the 2^32.",
             f"# Recorded on {DEVICE}; made by scripts/mufu.",
             "# The arguments of sin and cos are angles, of which ptxas makes turns: times 1 / 2 pi, rounded to zero.",
             "function,first,step,count,hash"]
    for function, first, step in runs():
        results = recording.run(function, first)[::step]
        lines.append(f"{function},{first:08x},{step},{len(results)},{hash_of(results)}")
    lines += [f"{function},00000000,0,0,{hash_of(recording.everywhere(function)[1])}" for function in WIDE]
    (folder / "runs.csv").write_text("\n".join(lines) + "\n")
    lines = ["# What MUFU gave for single arguments, recorded with runs.csv: the ends and the middle of each segment, and some of all 2^32.",
             "# The arguments of sin and cos are turns.",
             "function,argument,result"]
    lines += [f"{function},{a:08x},{r:08x}" for function in WIDE for a, r in sorted(values(recording, function).items())]
    (folder / "values.csv").write_text("\n".join(lines) + "\n")


main()
