#!/usr/bin/env python3
"""heap_guard_test.py GUARD: whether the heap guard sees what it is there for, in a Python that damages its own heap."""
import subprocess
import sys

begin = """
import ctypes
c = ctypes.CDLL(None)
c.malloc.restype = ctypes.c_void_p
c.free.argtypes = [ctypes.c_void_p]
memory = c.malloc(20)
"""
turn_over = """
for _ in range(20000):
    c.free(c.malloc(20))
"""
cases = [
    ("a whole heap", "ctypes.memset(memory, 1, 20)\nc.free(memory)" + turn_over, None),
    ("a byte behind", "ctypes.memset(memory + 20, 1, 1)\nc.free(memory)", "something wrote behind it: 20 bytes"),
    ("a byte before", "ctypes.memset(memory - 1, 1, 1)\nc.free(memory)", "something wrote before it: 20 bytes"),
    ("a byte after free", "c.free(memory)\nctypes.memset(memory + 7, 1, 1)" + turn_over, "something wrote to it after it was freed: 20 bytes"),
    ("freed twice", "c.free(memory)\nc.free(memory)", "freed twice: 20 bytes"),
]

failed = 0
for name, does, expected in cases:
    run = subprocess.run([sys.executable, "-c", begin + does], env={"LD_PRELOAD": sys.argv[1]}, capture_output=True, text=True, timeout=60)
    said = expected is None or (f"heap guard: {expected}" in run.stderr and " allocated by\n" in run.stderr)
    if said and (run.returncode == 0) == (expected is None):
        continue
    failed += 1
    print(f"{name}: ended with {run.returncode}\n{run.stderr}")
print(f"{len(cases) - failed} passed, {failed} failed")
sys.exit(failed > 0)
