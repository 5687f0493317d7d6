#!/usr/bin/env python3
"""A process that cannot be buried after its SIGKILL, as one that hangs in the kernel: a tracer of another group holds it.

Says "traced", or "no tracing" where that is not allowed, and its number. The tracer ends with stdin. With an argument it says so in
the file of that name first, and ends when that file is gone: who closes stdin before he kills would free the process.
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
    said = f"{'traced' if libc.ptrace(seize, worker, 0, 0) == 0 else 'no tracing'} {worker}\n"
    if len(sys.argv) == 1:
        os.write(done, said.encode())
        sys.stdin.read()
        os._exit(0)
    with open(sys.argv[1] + ".new", "w") as out:
        out.write(said)
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    os.write(done, said.encode())
    while os.path.exists(sys.argv[1]): time.sleep(0.01)
    os._exit(0)
libc.prctl(set_tracer, ctypes.c_ulong(tracer), 0, 0, 0)
os.write(allow, b"1")
os.write(1, os.read(ready, 100))  # at once: who listens reads once, and print() may write word by word
time.sleep(600)
