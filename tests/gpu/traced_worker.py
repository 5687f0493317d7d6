#!/usr/bin/env python3
"""A process that cannot be buried after its SIGKILL, as one that hangs in the kernel: a tracer of another group holds it.

The tracer ends with stdin. Says "traced", or "no tracing" where that is not allowed, and its number; also in the file that its argument
names.
"""
import ctypes, os, sys, time

seize, set_tracer = 0x4206, 0x59616D61  # PTRACE_SEIZE, PR_SET_PTRACER
libc = ctypes.CDLL(None)
libc.ptrace.argtypes = [ctypes.c_long] * 4
ready, done = os.pipe()
allowed, allow = os.pipe()
worker = os.getpid()
tracer = os.fork()
if tracer == 0:
    os.setsid()
    os.read(allowed, 1)
    os.write(done, b"1" if libc.ptrace(seize, worker, 0, 0) == 0 else b"0")
    sys.stdin.read()
    os._exit(0)
libc.prctl(set_tracer, ctypes.c_ulong(tracer), 0, 0, 0)
os.write(allow, b"1")
said = "traced" if os.read(ready, 1) == b"1" else "no tracing"
if len(sys.argv) > 1:
    with open(sys.argv[1] + ".new", "w") as out:
        out.write(f"{said} {worker}\n")
    os.rename(sys.argv[1] + ".new", sys.argv[1])
os.write(1, f"{said} {worker}\n".encode())  # at once: who listens reads once, and print() may write word by word
time.sleep(600)
