#!/usr/bin/env python3
"""Fits the coefficients of app/sim/lanes/special_function_tables.inc to what record.cu recorded, and writes them to standard output.

    scripts/mufu/fit.py RECORDING

Each result bounds the polynomial of its segment from below and above: two inequalities that are linear in the segment's coefficients.
A linear program finds the coefficients in the middle of those that satisfy all, from the tightest inequalities, which are added until
none is missing. Rounded to whole numbers they are tested with all inequalities. Takes some minutes; needs numpy and scipy.
"""
import sys

import numpy
from scipy.optimize import linprog

from recording import BINADE, ONE, Recording, turns_of

COLUMNS = 150


def truncated_squares():  # as in special_function.cpp
    x = numpy.arange(1 << 15, dtype=numpy.int64)
    return ((x >> 7) ** 2 >> 1) + sum((x >> (14 - n) & 1) * ((x & 127) >> n) for n in range(7))


SQUARES = truncated_squares()


class Path:
    """A row of `Datapath` in special_function.cpp. `cut`: digits that are cut off before the result is made."""

    def __init__(self, digits, shift0, shift2, rounding, unit, cut=0):
        self.digits, self.shift0, self.shift2, self.rounding, self.unit, self.cut = digits, shift0, shift2, rounding, unit, cut
        self.x = numpy.arange(1 << digits, dtype=numpy.int64)
        self.square = SQUARES[self.x >> (digits - 15)]

    def bounds(self, results):
        """The least value that gives a result and the least one beyond, in units of the path."""
        exponent = (results >> 23).astype(numpy.int64) - 150
        value = numpy.ldexp(((results & 0x7FFFFF) | (results >= BINADE) * BINADE).astype(numpy.float64), exponent - self.unit - self.cut)
        beyond = value + numpy.ldexp(1.0, exponent - self.unit - self.cut)
        return [numpy.ceil(bound).astype(numpy.int64) << self.cut for bound in (value, beyond)]

    def segment(self, low, high, given):
        """c0, c1, c2 such that each sum that is `given` lies from `low` to before `high`."""
        guess = middle(numpy.stack([numpy.ones(len(self.x)), self.x / len(self.x), self.square / 2.0**15], 1)[given],
                       low[given] - self.rounding, high[given] - self.rounding)
        c1, c2 = round(guess[1] / 2**self.digits), round(guess[2] / 2 ** (15 + self.shift2))
        rest = c1 * self.x + (c2 * self.square << self.shift2) + self.rounding
        least, most = (low - rest)[given].max(), (high - rest)[given].min() - 1
        c0 = most >> self.shift0
        if c0 << self.shift0 < least:
            sys.exit(f"no coefficients: {guess}, {least} to {most}")
        return int(c0), c1, c2

    def table(self, results, given=None):
        low, high = self.bounds(results)
        given = numpy.ones(len(results), dtype=bool) if given is None else given
        parts = [slice(n, n + len(self.x)) for n in range(0, len(results), len(self.x))]
        return [self.segment(low[part], high[part], given[part]) for part in parts]


def middle(terms, low, high):
    """Coefficients by which `terms` are as far within their bounds as can be."""
    start = numpy.linalg.lstsq(terms, (low + high) / 2, rcond=None)[0]
    low, high = low - terms @ start, high - terms @ start
    chosen = set(numpy.linspace(0, len(low) - 1, 33).astype(int).tolist())
    for _ in range(40):
        rows, ones = sorted(chosen), numpy.ones((len(chosen), 1))
        solved = linprog([0] * 3 + [1], bounds=[(None, None)] * 4, method="highs",
                         A_ub=numpy.concatenate([numpy.hstack([-terms[rows], -ones]), numpy.hstack([terms[rows], -ones])]),
                         b_ub=numpy.concatenate([-low[rows], high[rows]]))
        sums = terms @ solved.x[:3]
        outside = numpy.maximum(low - sums, sums - high)
        worst = [int(part[outside[part].argmax()]) for part in numpy.array_split(numpy.arange(len(low)), 64)]
        new = {n for n in worst if outside[n] > solved.x[3] + 1e-7} - chosen
        if not new:
            break
        chosen |= new
    return start + solved.x[:3]


def quarter_of_sine(recording):
    """The sine of each of 2^23 parts of a quarter of a turn: sines and cosines in all quarters, without their signs."""
    results, known = numpy.zeros(BINADE, dtype=numpy.uint32), numpy.zeros(BINADE, dtype=bool)
    for function in ("sin", "cos"):
        for binade in range(-6, 5):
            first = ONE + binade * BINADE
            turns = turns_of(numpy.arange(first, first + BINADE, dtype=numpy.uint32)).view(numpy.float32).astype(numpy.float64)
            parts = numpy.floor(turns * 2**25).astype(numpy.int64) + (BINADE if function == "cos" else 0)
            place = numpy.where(parts & BINADE, ~parts, parts) & (BINADE - 1)
            results[place] = recording.run(function, first) & 0x7FFFFFFF
            known[place] = True
    return results, known


def table_of_tanh(recording, path):
    rows = []
    for binade, digits in zip(range(-8, 3), (0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3)):
        rows += path.table(recording.run("tanh", ONE + binade * BINADE)[:: 1 << (6 - digits)])
    return rows


def write(name, what, rows):
    print(f"// {what}\nconstexpr Segment {name}_segments[] = {{")
    line = "   "
    for row in rows:
        text = " {%d, %d, %d}," % row
        if len(line) + len(text) > COLUMNS:
            print(line)
            line = "   "
        line += text
    print(f"{line}\n}};")


def main():
    recording = Recording(sys.argv[1])
    binade, two = numpy.arange(BINADE), numpy.arange(2 * BINADE)
    print(HEAD, end="")
    write("rcp", "1 / x, x from 1 to 2: 128 segments.", Path(16, 13, 0, 2023, -39).table(recording.run("rcp", ONE)))
    write("rsqrt", "1 / sqrt(x), x from 1 to 2 and from 2 to 4: 64 segments each.",
          Path(17, 14, 2, 16383, -40).table(recording.run("rsqrt", ONE), two > 0))
    write("sqrt", "sqrt(x), x from 1 to 2 and from 2 to 4: 64 segments each.", Path(17, 15, 1, 32767, -40).table(recording.run("sqrt", ONE)))
    write("ex2", "2^x, x from 0 to 1: 64 segments.", Path(17, 13, 0, 6114, -37).table(recording.run("ex2", ONE)))  # of 1 + x: twice as much
    write("lg2", "log2(x), x from 1 to 2: 64 segments.", Path(17, 12, 1, 837, -38, cut=2).table(recording.run("lg2", ONE), binade > 0))
    write("sin", "The sine of x quarters of a turn, x from 0 to 1: 64 segments.", Path(17, 12, 0, 0, -37).table(*quarter_of_sine(recording)))
    write("tanh", "tanh(x): of each power of two from 2^-8 to 4 the segments that tanh's `binades` says.",
          table_of_tanh(recording, Path(17, 16, 2, 0, -40)))


HEAD = """\
// Coefficients of the special function unit: {c0, c1, c2} of each segment. Included by special_function.cpp, which says what is done with them.
// Written by scripts/mufu/fit.py. Fitted to what MUFU gave on an NVIDIA H100 80GB HBM3 (sm_90, driver 580.159.04, CUDA 13.0) on 2026-11-25 for
// every mantissa of the ranges that the comments name. They hold for sm_90; no other architecture was recorded.
"""

main()
