#!/usr/bin/env python3
"""A GPU worker without a GPU: behaves, or misbehaves in the way its argument names."""
import base64, json, os, signal, sys, time

mode = sys.argv[1]
pid_file = sys.argv[2] if len(sys.argv) > 2 else None
if pid_file:
    with open(pid_file, "a") as out:
        out.write(f"{os.getpid()}\n")


asked = 0  # the number of the request in hand


def say(**message):
    if asked:
        message.setdefault("id", asked)
    print(json.dumps(message), flush=True)


driver = "1.3" if mode == "other_driver" else "1.2"
names = ["Fake", "Second fake"] if mode == "two_gpus" else ["NVIDIA H200"] if mode == "h200" else ["Fake"]


arch = "sm_90"
if mode == "another_each_time":  # at every start but the first one's, which ends after three answers
    with open(os.environ["FAKE_STARTS"], "a") as starts:
        starts.write("x")
    arch = "sm_90" if os.path.getsize(os.environ["FAKE_STARTS"]) == 1 else "sm_80"


def hello(version=16):
    say(type="hello", version=version, host=os.environ.get("FAKE_HOST", "fakehost"), driver=driver, cuda="13.0", cublas="", cublas_missing="a fake has none",
        devices=[dict(name=name, arch=arch, multiprocessors=1, sm_clock_mhz=1000, memory_clock_mhz=1000, memory_bus_bits=64,
                      memory_bytes=1 << 40, l2_bytes=1 << 20, shared_bytes=1 << 17) for name in names])


def answer(request):
    if request["type"] == "ping":
        time.sleep(0.05 if mode == "slow_ping" else 0)
        return say(type="pong")
    if request["type"] == "peaks":
        say(type="peaks", peaks=dict(fma_gflops=240.5, fp64_gflops=121.25, copy_gb_s=12.5, fma_clock_mhz=990,
                                     fp64_clock_mhz=980, copy_clock_mhz=1000, l1_gb_s=90.5, l2_gb_s=40.25,
                                     l1_clock_mhz=970, l2_clock_mhz=960, driver=driver, cuda="13.0",
                                     date="2026-01-01"))
        return
    launch = request["launch"]
    if request["type"] == "sweep":  # the larger the parameters, the faster
        ms = 100 / sum(launch["parameters"].values())
        sizes = [dict(ms=ms * (1 if mode != "slower" else 1.5), samples=6, spread=0.01, cublas_ms=1.0, cublas="13.0.2 invented", failed="")
                 for _ in request["sizes"]]
        if mode == "sweep_short":
            sizes = sizes[1:]
        if mode == "sweep_nothing":
            sizes = [dict(size, ms=0) for size in sizes]
        if mode == "sweep_long_words":
            sizes = [dict(size, cublas="x\n" * 5000) for size in sizes]
        if mode == "sweep_long_reasons":
            sizes = [dict(size, ms=0, samples=0, failed="y\n\x1b" * 5000) for size in sizes]
        say(type="swept", sizes=sizes, sm_clock_mhz=1980, lost=False)
        return
    if request["type"] == "timeline":
        grid = [launch["grid"][axis] for axis in "xyz"]
        count = grid[0] * grid[1] * grid[2]
        say(type="timeline", timeline=dict(
            kernel=launch["kernel"], parameters=launch["parameters"], m=launch["m"], n=launch["n"], k=launch["k"], grid=grid,
            block=[launch["block"][axis] for axis in "xyz"], plain_ms=2.0, recorded_ms=2.0, device=names[request["device"]],
            multiprocessors=2, driver=driver, cuda="13.0", date="2026-01-01", multiprocessor=[i % 2 for i in range(count)],
            start_ns=[1000 * (i // 2) for i in range(count)], end_ns=[1000 * (i // 2 + 1) for i in range(count)]))
        return
    if request["type"] == "stream":  # of one tile and one piece: in, product, out
        say(type="streamed", record=dict(
            kernel=launch["kernel"], parameters=launch["parameters"], m=launch["m"], n=launch["n"], k=launch["k"],
            operands=launch["operands"], measured=True, shape=request["shape"], with_c=False, in_core_ms=0.04, max_rel_error=0.0,
            device=names[request["device"]], driver=driver, cuda="13.0", date="2026-01-01", command="", start_us=[0, 10, 40],
            end_us=[10, 40, 50]))
        return
    if request["type"] == "run":
        say(type="ran", hash="h", ms=1.5, device="Fake", max_rel_error=None, element="f32",
            c=base64.b64encode(b"\0\0\x80\x3f\0\0\0\x40").decode())
        return
    for done in (1, 2):
        say(type="progress", phase="samples", done=done, of=2)
    quick = request.get("quick", True)  # of a library's product: nothing beside it
    cublas = None if quick else dict(mode="pedantic_fp32", median_ms=1.0, gflops=2.0)
    # The larger the parameters, the faster: a search has something to find.
    median = 100 / sum(launch["parameters"].values()) if mode == "tiles" else 2.0
    say(type="point", notes=["invented"],
        point=dict(kernel=launch["kernel"], parameters=launch["parameters"], m=launch["m"], n=launch["n"], k=launch["k"],
                   samples=min(request["max_samples"], 20), median_ms=median, min_ms=1.0, back_to_back_ms=None, gflops=2 / median, cublas=cublas,
                   ratio=None if quick else 1 / median, max_rel_error=0.0, device=names[request["device"]], sm_clock_mhz=1000, driver=driver,
                   cuda="13.0", date="2026-01-01"))


if mode == "silent":
    time.sleep(60)
if mode == "exits":
    print("no such queue: gpu", file=sys.stderr)
    sys.exit(4)
if mode == "missing_driver":
    say(type="refusal", failure=3, what="no NVIDIA driver", where="", todo="install it", fatal=True)
    sys.exit(3)
if mode == "greeting":
    print("Welcome to lab-gpu!\n\nLast login: yesterday", flush=True)
if mode == "endless_greeting":
    while True:
        print("y", flush=True)
if mode == "endless_line":
    sys.stdout.write("{" + "x" * 1000)
    sys.stdout.flush()
    time.sleep(60)
if mode == "peaks_before_hello":
    answer(dict(type="peaks"))
    time.sleep(60)
hello(15 if mode == "version" else 16)
if mode == "peaks_unasked":
    answer(dict(type="peaks"))
if mode == "dies_idle":
    sys.exit(0)

answered = 0
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "quit":
        break
    asked = request["id"]
    if mode == "hello_again":
        hello()
    if "FAKE_WORKER_ASKED" in os.environ:  # a test waits for it
        open(os.environ["FAKE_WORKER_ASKED"], "w").close()
    if mode == "late":  # the answer to an earlier request
        asked -= 1
    if mode == "other_kind":
        request = dict(type="peaks")
    if mode == "refuses_another":
        say(type="refusal", id=7, failure=1, what="C is wrong", where="", todo="", fatal=False)
    if mode == "progress_of_another":
        say(type="progress", id=7, phase="samples", done=1, of=9)
    if mode == "twice":
        answer(request)
    if mode == "deep":
        print('{"type":"point","id":%d,"point":{"a":%s}' % (asked, "[" * (1 << 20)), flush=True)
        time.sleep(60)
    while mode == "chatty":
        say(type="progress", phase="samples", done=1, of=9)
    while mode == "padded":
        sys.stdout.write(json.dumps(dict(type="progress", id=asked, phase="samples", done=1, of=9)) + " " * (1 << 22) + "\n")
    if mode == "lost_at_second" and answered == 1:
        print("Connection to lab closed by remote host.", file=sys.stderr, flush=True)
        sys.exit(255)
    if mode == "crash":
        say(type="progress", phase="samples", done=1, of=9)
        print("an assertion failed\n", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "hang":
        say(type="progress", phase="samples", done=1, of=9)
        time.sleep(60)
    if mode == "slow":
        time.sleep(3)
    if mode == "garbage":
        print("{\"type\": \"poi", flush=True)
    elif mode == "unknown":
        say(type="tea")
    elif mode == "halves":  # a message in two writes
        text = json.dumps(dict(type="refusal", id=asked, failure=1, what="in halves", where="", todo="", fatal=False)) + "\n"
        for part in (text[:20], text[20:]):
            sys.stdout.write(part)
            sys.stdout.flush()
            time.sleep(0.05)
    elif mode == "refuse" or (mode == "refuses_first" and answered == 0):
        say(type="refusal", failure=1, what="C is wrong", where="", todo="", fatal=False)
    elif mode == "fatal":
        say(type="refusal", failure=1, what="an illegal address", where="", todo="", fatal=True)
        time.sleep(60)
    else:
        answer(request)
    answered += 1
    if mode == "another_each_time" and arch == "sm_90" and answered == 3:
        break
