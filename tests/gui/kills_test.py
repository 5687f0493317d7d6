#!/usr/bin/env python3
"""Kills the real window, and a program that measures beside it, again and again at random moments while they work. Whatever the
moment: the state that is restored is one that the window had, files of the user's own are whole, every point that was measured is there
once, nobody outlives the window, and what was half written is taken away.

    tests/gui/kills_test.py build/gemmscope [KILLS [SEED]]"""

import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from screen import Display, Failed, Window, check, patience

fake_worker = "exec python3 " + shlex.quote(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../gpu/fake_worker.py")) + " good"
measured = ["bench", "naive", "naive_uncoalesced", "--sizes", "16..4096:16", "--json", "--output", "points.json", "--worker", fake_worker]


def text_of(view):
    return json.dumps(view, sort_keys=True)


def environment(home):
    return dict(os.environ, HOME=home, GEMMSCOPE_STATE=os.path.join(home, "state"))


def state_file(home):
    return os.path.join(home, "state", "view.json")


def kept(home):
    """The view on disk; None: none yet. What is half written is an error."""
    try:
        with open(state_file(home)) as file:
            return text_of(json.load(file))
    except FileNotFoundError:
        return None


def had(probe):
    """Every view of the window that it may have kept."""
    try:
        with open(probe + ".views") as file:
            return {text_of(json.loads(line)) for line in file if line.endswith("\n")}
    except FileNotFoundError:
        return set()


def acts(window, random):
    """One of the things that users do, at once and without waiting for what comes of it."""
    window.key(*random.choice((["Up"], ["Down"], ["F6"], ["F7"], ["d"], ["period"], ["bracketright"], ["space"], ["greater"], ["less"], ["plus"],
                               ["minus"], ["Escape", "Tab"], ["1"], ["2"], ["3"], ["4"], ["5"], ["ctrl+s"], ["ctrl+z"], ["o"])))


class Killer:
    """Kills processes a while after the first has started."""

    def __init__(self, seconds, *processes):
        self.seconds, self.processes, self.timer, self.done = seconds, list(processes), None, False

    def start(self, process):
        self.processes.append(process)
        self.timer = threading.Timer(self.seconds, self.kill)
        self.timer.start()

    def kill(self):
        self.done = True
        for process in self.processes:
            process.kill()

    def end(self):
        self.timer.join()
        for process in self.processes:
            process.wait()


def first_shown(program, display, home, killer, random):
    """The first state that the window showed, at which it was worked until it was killed; None: it did not live as long."""
    first = None
    try:
        window = Window(program, display, home=home, started=killer.start)
        first = window.state()
        while window.process.poll() is None:
            acts(window, random)
    except Failed:
        if not killer.done:
            raise
    return first


def works_until_killed(program, display, home, seconds, random):
    """The views that the window had."""
    old = os.path.join(home, "probe.json.views")
    if os.path.exists(old):
        os.remove(old)
    before = kept(home)
    killer = Killer(seconds, subprocess.Popen([program, *measured], cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(home)))
    try:
        first = first_shown(program, display, home, killer, random)
    finally:
        killer.end()
    if first and before is not None:
        check(first["view"]["subject"] == json.loads(before)["subject"], f"what was kept is {before}, and {first['view']} is shown")
        check(not any("kept as" in words for words in first["notices"]), f"the state was damaged: {first['notices']}")
    now, views = kept(home), had(os.path.join(home, "probe.json"))
    check(before is None or now is not None, "the state is gone")
    check(now is None or now == before or now in views, f"a state that the window never had: {now}")
    return views


def descendants(home):
    """Processes with that home, by their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if f"HOME={home}".encode() in file.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            continue
    return found


def is_half_written(file):
    return os.path.basename(file).startswith(".gemmscope-part-")


def files_of(home):
    return [os.path.join(folder, name) for folder, _, names in os.walk(home) for name in names]


def is_whole_png(path):
    with open(path, "rb") as file:
        return file.read().endswith(b"IEND\xaeB`\x82")


def main(program, kills, seed):
    draw = random.Random(seed)
    home = tempfile.mkdtemp(prefix="gemmscope-kills-")
    own = os.path.join(home, "kernels", "mine.cu")
    os.makedirs(os.path.dirname(own))
    with open(os.path.join(os.path.dirname(__file__), "../../kernels/naive.cu")) as file:
        mine = file.read().replace("naive(int", "mine(int")
    with open(own, "w") as file:
        file.write(mine)
    display = Display()
    start, different = time.monotonic(), set()
    try:
        for number in range(kills):
            different |= works_until_killed(program, display, home, draw.uniform(0.1, 4), draw)
            deadline = time.monotonic() + 60 * patience
            while descendants(home):
                check(time.monotonic() < deadline, f"they outlive the window: {descendants(home)}")
                time.sleep(0.01)
            if sys.stdout.isatty():
                print(f"\r{number + 1} of {kills}", end="", flush=True)
        left = list(filter(is_half_written, files_of(home)))
        for file in left:  # as if some minutes had passed
            os.utime(file, (time.time() - 300,) * 2)
        window = Window(program, display, home=home)
        if window.until(lambda s: s["faces"]["block"] == "ready", "a picture")["view"]["playing"]:  # as when it was killed
            window.key("space")
        window.settled(lambda s: True, "rest where it played")
        window.key("F7")
        theme = window.settled(lambda s: True, "rest")["view"]["theme"]
        deadline = time.monotonic() + 60 * patience
        while json.loads(kept(home) or "{}").get("theme") != theme:
            check(time.monotonic() < deadline, "the last state is not kept")
            time.sleep(0.01)
        window.process.terminate()
        check(window.process.wait(60 * patience) == 0, f"the window ended with {window.process.returncode}")
        cached = os.path.join(home, ".cache", "gemmscope", "compile")
        new = os.path.join(home, "new.cu")
        with open(new, "w") as file:
            file.write("__global__ void never_compiled_before(int* x) { x[0] = 1; }\n")
        check(subprocess.run([program, "compile", new], capture_output=True, env=environment(home)).returncode == 0, "nothing can be compiled any more")
        written = {home, os.path.join(home, "state"), cached}  # after the kills
        stays = [file for file in files_of(home) if is_half_written(file) and os.path.dirname(file) in written]
        check(not stays, f"what was half written stays: {stays}")
        with open(own) as file:
            check(file.read() == mine, "the user's kernel has changed")
        pictures = [file for file in files_of(os.path.join(home, "pictures")) if file.endswith(".png")]
        check(all(map(is_whole_png, pictures)), "a picture is not whole")
        done = subprocess.run([program, *measured], cwd=home, capture_output=True, text=True, env=environment(home))
        check(done.returncode == 0, f"the record cannot be continued: {done.stderr}")
        with open(os.path.join(home, "points.json")) as file:
            points = [(point["kernel"], point["m"]) for point in map(json.loads, file) if "kernel" in point]
        check(len(points) == len(set(points)) == 512, f"{len(points)} points, {len(set(points))} of them different, of 512")
        cubins = len(files_of(cached))
        print(f"\r{kills} kills with seed {seed} in {time.monotonic() - start:.0f} s: {len(different)} different views, {cubins} entries are "
              f"cached, {len(pictures)} pictures saved; {len(left)} files were half written")
    finally:
        display.close()
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    for tool in ("Xvfb", "xdotool"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            sys.exit(77)
    try:
        main(os.path.realpath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10, int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    except Failed as failure:
        print(f"FAILED: {failure}")
        sys.exit(1)
