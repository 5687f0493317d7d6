#!/usr/bin/env python3
"""Drives the real window at random on a display of its own, and watches what it takes of the machine.

  scripts/soak.py run SECONDS [SEED]     keys, mouse, files that change, workers and compilers that die; PROGRAM=build/gemmscope
  scripts/soak.py page                   writes docs/soak.md and its picture from docs/soak/samples.jsonl

`run` needs Xvfb, xdotool, xclip and the suite's invented GPU (build/fake_cuda). A sample every ten seconds goes to docs/soak/samples.jsonl, and everything that
was done to build/soak.log. Six times nobody touches the window for a while: what it takes then is what it keeps. It ends
with 1 if the window ended, hung, or grew from the first of these rests to the last: memory by more than 5 %, handles or threads at all; or if a turn of
its loop took over 250 ms."""
import collections
import datetime
import json
import multiprocessing
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import time

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "tests/gui"))
from screen import Display, Failed, Window  # noqa: E402

program = pathlib.Path(os.environ.get("PROGRAM", root / "build/gemmscope")).resolve()
samples_file, page = root / "docs/soak/samples.jsonl", root / "docs/soak.md"
rests = 6  # the first after a sixth of the time, when caches are warm
most_remembered = 32  # settings: app/session/memo.cpp
handles_of_child = 3  # to each compiler and worker: a socket and two pipes
most_growth, most_turn_ms = 0.05, 250
most_told = 6  # of the longest turns

keys = ["Up", "Down", "ctrl+Up", "ctrl+Down", "Left", "Right", "Next", "Prior", "Home", "End", "bracketleft", "bracketright", "comma", "period",
        "space", "Tab", "shift+Tab", "minus", "plus", "less", "greater", "h", "g", "r", "d", "e", "c", "s", "p", "t", "i", "b", "w", "l", "m",
        *"123456789", "shift+Left", "shift+Right", "shift+Up", "shift+Down", "alt+l", "alt+m", "alt+b", "alt+p", "alt+s", "alt+n",
        "ctrl+z", "ctrl+y", "ctrl+equal", "ctrl+minus", "ctrl+0", "F1", "F2", "F5", "shift+F5", "F6", "F7", "F4", "BackSpace", "Return",
        "Escape", "Escape", "Escape"]
spoilers = [lambda text, r: text[:r.randrange(len(text))],
            lambda text, r: text.replace("__syncthreads();", "", 1),
            lambda text, r: text.replace("float", "double", r.randrange(1, 4)),
            lambda text, r: text.replace("+", "-", r.randrange(1, 9)),
            lambda text, r: "".join(r.sample(text.splitlines(keepends=True), len(text.splitlines()))),
            lambda text, r: "for (;;) ;" + text,
            lambda text, r: text]


def each(folder, read):
    for entry in folder.iterdir():
        try:
            yield read(entry)
        except (FileNotFoundError, ProcessLookupError):
            pass  # a handle that was closed meanwhile, or a thread that ended


def stand_by(processor, longest_ms):
    os.sched_setaffinity(0, {processor})
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pass  # then it also waits for its turn
    while True:
        began = time.monotonic()
        time.sleep(0.01)
        longest_ms.value = max(longest_ms.value, (time.monotonic() - began) * 1e3)


class Bystanders:
    """On each processor one sleeps 10 ms at a time, before all others: where that takes long, the processor stood still, and not the window."""

    def __init__(self):
        self.lately = {processor: multiprocessing.Value("d", 0) for processor in sorted(os.sched_getaffinity(0))}
        self.longest_ms = 0
        for processor, longest_ms in self.lately.items():
            multiprocessing.Process(target=stand_by, args=(processor, longest_ms), daemon=True).start()

    def since_last(self):
        """The longest sleep on each processor since the last call."""
        found = []
        for longest_ms in self.lately.values():
            found.append(round(longest_ms.value))
            longest_ms.value = 0
        self.longest_ms = max([self.longest_ms, *found])
        return found


class Soak:
    def __init__(self, window, seconds, seed):
        self.window, self.random, self.seconds = window, random.Random(seed), seconds
        self.began = time.monotonic()
        self.log = open(root / "build/soak.log", "w")
        self.sources = [path.read_text() for path in sorted((root / "kernels").glob("*.cu"))]
        self.done, self.rested = collections.Counter(), 0
        self.bystanders, self.told = Bystanders(), set()  # long turns, by their milliseconds
        self.first = window.settled(lambda s: not s["busy"], "the first view")["view"]

    def elapsed(self):
        return time.monotonic() - self.began

    def marks(self):
        state = self.window.state()
        return sorted((state or {}).get("marks", {}).items())

    # A hand that does not wait for the window to rest, as a user's does not.
    def xdo(self, *words):
        self.window._xdo(*(str(word) for word in words))

    def point(self, x, y):
        self.xdo("mousemove", "--window", self.window.id, max(0, round(x)), max(0, round(y))) # a small window clips what is marked

    def press(self):
        key = self.random.choice(keys)
        self.xdo("key", "--clearmodifiers", key)
        return key

    def place(self):
        marks = self.marks()
        if not marks:
            return None
        name, (x, y, width, height) = self.random.choice(marks)
        self.point(x + self.random.random() * width, y + self.random.random() * height)
        return name

    def click(self):
        name = self.place()
        self.xdo("click", self.random.choice([1, 1, 1, 1, 3]))
        return name

    def drag(self):
        sliders = [mark for mark in self.marks() if mark[0].startswith(("slider.", "transport.scrubber", "splitter."))]
        if not sliders:
            return None
        name, (x, y, width, height) = self.random.choice(sliders)
        self.point(x + self.random.random() * width, y + height / 2)
        self.xdo("mousedown", 1)
        for _ in range(self.random.randrange(3, 12)):
            self.point(x + self.random.random() * width, y + height / 2)
        self.xdo("mouseup", 1)
        return name

    def wheel(self):
        name = self.place()
        self.xdo("click", "--repeat", self.random.randrange(1, 6), self.random.choice([4, 5]))
        return name

    def type(self):
        text = self.random.choice(["gemm", "128", "acc += a * b;", "\t// why", "0", "[((("])
        self.xdo("type", "--delay", 2, text)
        return text

    def size(self):
        width, height = self.random.choice([(1600, 900), (1280, 720), (1024, 768), (640, 480), (320, 200)])
        self.xdo("windowsize", self.window.id, width, height)
        return f"{width} x {height}"

    def file(self):
        path = pathlib.Path(self.window.kernels) / f"own_{self.random.randrange(3)}.cu"
        if path.exists() and self.random.random() < 0.2:
            path.unlink()
            return f"{path.name} removed"
        path.write_text(self.random.choice(spoilers)(self.random.choice(self.sources), self.random))
        return f"{path.name} written"

    def children(self):
        tasks = pathlib.Path(f"/proc/{self.window.process.pid}/task")
        return [int(child) for children in each(tasks, lambda task: (task / "children").read_text()) for child in children.split()]

    def kill(self):
        children = self.children()
        if not children:
            return None
        child = self.random.choice(children)
        words = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
        os.kill(child, signal.SIGKILL)
        return b" ".join(words[1:2]).decode(errors="replace")

    def act(self):
        action = self.random.choices([self.press, self.click, self.drag, self.wheel, self.type, self.size, self.file, self.kill],
                                     [40, 25, 12, 8, 4, 1, 3, 3])[0]
        try:
            what = action()
        except (ProcessLookupError, FileNotFoundError):
            what = None  # it ended by itself
        self.done[action.__name__] += 1
        self.log.write(f"{self.elapsed():8.1f} {action.__name__} {what}\n")
        self.log.flush()

    def sample(self):
        process = pathlib.Path(f"/proc/{self.window.process.pid}")
        status = (process / "status").read_text()
        state = self.window.state() or {}
        return {"seconds": round(self.elapsed(), 1),
                "resident_mb": int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024,
                "own_mb": sum(int(n) for n in re.findall(r"Private_Dirty:\s+(\d+)", (process / "smaps_rollup").read_text())) / 1024,
                "remembered_mb": state.get("remembered_bytes", 0) / 2**20,
                "threads": int(re.search(r"Threads:\s+(\d+)", status)[1]),
                # Matrices are memory. How many compilers and workers there are, two of each at most, hangs on what was done last.
                "handles": sum(not target.startswith("/memfd:") for target in each(process / "fd", os.readlink)) - handles_of_child * len(self.children()),
                "turns": state.get("turns"),
                "longest": [turn | {"ms": round(turn["ms"]), "cpu_ms": round(turn["cpu_ms"]), "shown": where(turn)} for turn in state.get("longest", [])[:most_told]],
                "bystander_ms": self.bystanders.longest_ms, "done": dict(self.done)}

    def answers(self):
        """Whether the window draws a frame of what a key does, within a minute."""
        before = (self.window.state() or {}).get("turns")
        self.point(self.random.randrange(300), self.random.randrange(180))
        state = self.window.until(lambda s: s.get("turns") != before, "an answer")
        stood_still = self.bystanders.since_last()
        for turn in state["longest"]:
            if turn["ms"] not in self.told:
                self.told.add(turn["ms"])
                self.log.write(f"{self.elapsed():8.1f} turn of {turn['ms']:.0f} ms, computed {turn['cpu_ms']:.0f}: {turn['part_ms']}, {where(turn)}; "
                               f"bystanders {stood_still}\n")

    def rest(self):
        """Nobody touches it, and it shows what it showed first: what it takes then hangs on nothing but what happened before."""
        self.xdo("mouseup", 1)
        self.window.resize(1600, 900)
        self.window.copy(json.dumps(self.first))
        is_first = lambda s: not s["busy"] and s["view"]["subject"] == self.first["subject"]
        for _ in range(10):  # what was typed last may still be looked at
            self.xdo("key", "--delay", 200, "Escape", "Escape", "Escape", "ctrl+v")
            time.sleep(2)
            if is_first(self.window.state()):
                break
        self.window.settled(is_first, "the first view", 180)
        self.same_products()
        time.sleep(20)  # the window gives back what it has freed, and ends what it has no work for
        threads = []
        for _ in range(3):  # a worker that has just done something is there for two seconds more
            sample = self.sample()
            threads.append(sample["threads"])
            time.sleep(3)
        return sample | {"rest": True, "threads": min(threads)}

    def show(self, wanted=lambda state: True, **fields):
        view = self.first | fields
        self.window.copy(json.dumps(view))
        shown = lambda s: s["view"]["subject"] == view["subject"] and s["view"]["course"] == view["course"]
        for _ in range(10):  # a key is lost where an editor or a field has the keyboard
            self.xdo("key", "ctrl+v")
            due = time.monotonic() + 5
            while not shown(self.window.state()) and time.monotonic() < due:
                time.sleep(0.01)
            if shown(self.window.state()):
                break
            self.xdo("key", "--delay", 200, "Escape", "Escape", "Escape")
        self.window.until(lambda s: shown(s) and not s["busy"] and s["faces"]["grid"] == "ready" and wanted(s), "a view's products", 180)

    def same_products(self):
        """Of recent settings and lessons the window keeps products, and each view keeps what it drew last. At each rest these are of the same
        settings, more than the window keeps, and of the same step of a lesson, whose executions begin anew where the kernels have changed."""
        own = pathlib.Path(self.window.kernels)
        for path in own.glob("*.cu"):
            path.unlink()
        time.sleep(2)  # the window sees that they are gone
        (own / "own_0.cu").write_text((root / "kernels/naive.cu").read_text().replace("naive", "own_0"))
        time.sleep(2)
        self.rested += 1
        first = self.first["subject"]
        # With inputs that no step was told of yet, and beside a size that was not predicted yet: what is known is not made again.
        self.show(lambda s: s["settled"], subject=first | {"seed": 100 + self.rested}, course=self.first["course"] | {"lesson": "03_reuse", "step": 0, "exercise": ""})
        for tab in ("banks", "sectors", "timeline", "shared", "registers", "compare", "result", "blocks", "stream"):
            self.show(middle_tab=tab, baseline=first | {"kernel": "naive", "parameters": {"BX": 32, "BY": 8}, "m": 256 + 8 * self.rested})
            time.sleep(1)
        for n in range(most_remembered + 2):
            self.show(subject=first | {"m": 64 + 8 * n, "n": 64, "k": 64})
        self.show(lambda s: s["settled"])

    def run(self, keep):
        """`keep` is given each sample as it is taken: what ends a run early does not take them along."""
        samples, due = [], 0.0

        def take(sample):
            samples.append(sample)
            keep(sample)

        for n in range(1, rests + 1):
            while self.elapsed() < self.seconds * n / rests:
                self.act()
                if self.elapsed() >= due:
                    self.answers()
                    take(self.sample())
                    due = self.elapsed() + 10
                time.sleep(self.random.random() * 0.1)
            take(self.rest())
            print(f"{self.elapsed():.0f} s: {kept_mb(samples[-1]):.0f} MB kept, {samples[-1]['remembered_mb']:.0f} remembered", flush=True)
        return samples


def where(turn):
    """What the window showed in a long turn, in short."""
    view, subject = turn["shown"], turn["shown"]["subject"]
    kernel = f"{subject['kernel']} {subject['m']} x {subject['n']} x {subject['k']}"
    stage = f"stage of {view['stage']['first']}" if view["stage"]["shown"] else view["middle_tab"]
    return f"{kernel}, {stage}, {view['language']}"


def kept_mb(sample):
    """Of its own memory, without the products of recent settings and lessons: those are bounded, and how many there are hangs on what was done last."""
    return sample["own_mb"] - sample["remembered_mb"]


def faults(samples):
    """What must not be, in words."""
    first, *_, last = (s for s in samples if s.get("rest"))
    found = []
    for what, value, most in (("MB", lambda s: s["own_mb"], 1 + most_growth), ("threads", lambda s: s["threads"], 1), ("handles", lambda s: s["handles"], 1)):
        if value(last) > value(first) * most:
            found.append(f"{value(first):.0f} {what} after a sixth of the time, {value(last):.0f} at the end")
    longest = max((turn["ms"] for turn in samples[-1]["longest"]), default=0)
    if longest > most_turn_ms:
        found.append(f"the longest of {sum(samples[-1]['turns'])} turns took {longest} ms, over {most_turn_ms}")
    return found


def command_run(seconds, seed):
    resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)  # a crash after an hour is not seen twice
    os.environ["LD_LIBRARY_PATH"] = f"{program.parent}/fake_cuda:{program.parent}/fake_cublas"
    display = Display()
    try:
        window = Window(str(program), display)
        commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=root, capture_output=True, text=True, check=False).stdout.strip()
        head = {"date": datetime.date.today().isoformat(), "commit": commit, "seed": seed, "seconds": seconds, "processors": os.cpu_count()}
        soak = Soak(window, seconds, seed)
        samples_file.parent.mkdir(exist_ok=True)
        file = open(samples_file, "w", buffering=1)
        keep = lambda line: file.write(json.dumps(line) + "\n")
        keep(head)
        try:
            samples = soak.run(keep)
        except Failed as reason:
            print(f"FAILED after {soak.elapsed():.0f} s: {reason}")
            return True
        finally:
            soak.log.close()
            file.close()
            window.close()
    finally:
        display.close()
    found = faults(samples)
    print(f"{sum(samples[-1]['done'].values())} actions; " + ("; ".join(found) or "nothing grew"))
    return bool(found)


def chart(samples):
    """Memory over time, an SVG."""
    width, height, left, bottom = 760, 260, 60, 40
    end, top = samples[-1]["seconds"], max(s["resident_mb"] for s in samples) * 1.15
    x = lambda s: left + (width - left - 20) * s["seconds"] / end
    y = lambda mb: height - bottom - (height - bottom - 20) * mb / top
    line = lambda what: " ".join(f"{x(s):.1f},{y(s[what]):.1f}" for s in samples)
    step = next(n for n in (50, 100, 200, 500, 1000, 2000) if top / n <= 6)
    grid = "".join(f'<line x1="{left}" x2="{width - 20}" y1="{y(mb):.1f}" y2="{y(mb):.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 8}" y="{y(mb) + 4:.1f}" text-anchor="end">{mb}</text>' for mb in range(0, int(top) + 1, step))
    every = max(1, round(end / 6 / 60)) * 60
    ticks = "".join(f'<text x="{left + (width - left - 20) * at / end:.1f}" y="{height - bottom + 20}" text-anchor="middle">{at // 60}</text>'
                    for at in range(0, int(end) + 1, every))
    dots = "".join(f'<circle cx="{x(s):.1f}" cy="{y(s["own_mb"]):.1f}" r="5" fill="#0b6bcb"/>' for s in samples if s.get("rest"))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="14" fill="#222">'
            f'<rect width="{width}" height="{height}" fill="#fff"/>{grid}{ticks}'
            f'<polyline points="{line("resident_mb")}" fill="none" stroke="#8a8a8a" stroke-width="2"/>'
            f'<polyline points="{line("own_mb")}" fill="none" stroke="#0b6bcb" stroke-width="2.5"/>'
            f'<polyline points="{line("remembered_mb")}" fill="none" stroke="#c2620a" stroke-width="2"/>{dots}'
            f'<text x="265" y="14" fill="#666">resident</text><text x="340" y="14" fill="#0b6bcb">its own, dots: at rest</text>'
            f'<text x="505" y="14" fill="#c2620a">of that, recent settings and lessons</text>'
            f'<text x="{left}" y="14">MB</text><text x="{width - 20}" y="{height - 4}" text-anchor="end">minutes</text></svg>\n')


def command_page():
    head, *samples = (json.loads(line) for line in samples_file.read_text().splitlines())
    (root / "docs/soak/memory.svg").write_text(chart(samples))
    turns, first, last = samples[-1]["turns"], next(s for s in samples if s.get("rest")), samples[-1]
    rows = [f"| {name} | {value(first):.0f} {unit}| {max(value(s) for s in samples):.0f} {unit}| {value(last):.0f} {unit}|"
            for name, value, unit in (("its own memory, without the products of recent settings and lessons", kept_mb, "MB "), ("all of its own memory", lambda s: s["own_mb"], "MB "),
                                      ("resident memory", lambda s: s["resident_mb"], "MB "), ("threads", lambda s: s["threads"], ""), ("handles", lambda s: s["handles"], ""))]
    done = ", ".join(f"{n:,} x {name}" for name, n in sorted(last["done"].items(), key=lambda item: -item[1]))
    found = faults(samples)
    text = page.read_text()
    for block, lines in {
            "figures": [f"| | at rest after {first['seconds'] / 60:.0f} minutes | most | at rest at the end |", "| --- | ---: | ---: | ---: |", *rows],
            "turns": ["| turns of the loop | under 16 ms | 16 to 64 ms | 64 to 256 ms | longer | longest sleep of 10 ms beside it |", "| ---: | ---: | ---: | ---: | ---: | ---: |",
                      f"| {sum(turns):,} | {sum(turns[:5]):,} | {sum(turns[5:7]):,} | {sum(turns[7:9]):,} | {sum(turns[9:]):,} | {last['bystander_ms']:,.0f} ms |", "",
                      "| the longest turns | of that, its thread computed | of that, by part | shown |", "| ---: | ---: | --- | --- |",
                      *(f"| {turn['ms']} ms | {turn['cpu_ms']} ms | {', '.join(f'{name} {ms}' for name, ms in turn['part_ms'].items())} | {turn['shown']} |"
                        for turn in last["longest"])],
            "run": [f"{head['date']}, {head['commit']}, `scripts/soak.py run {head['seconds']} {head['seed']}`, {head['processors']} processors, llvmpipe: {done}. "
                    + ("Found: " + "; ".join(found) + "." if found else f"Nothing grew by more than it may, and no turn took over {most_turn_ms} ms.")]}.items():
        text = re.sub(rf"(<!-- {block} -->\n).*?(<!-- end -->)", lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text, flags=re.S)
    page.write_text(text)
    return False


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["run"] and len(words) in (2, 3) and all(word.isdigit() for word in words[1:]):
        sys.exit(command_run(int(words[1]), int(words[2]) if len(words) == 3 else 1))
    if words == ["page"]:
        sys.exit(command_page())
    sys.exit(__doc__)
