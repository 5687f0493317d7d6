#!/usr/bin/env python3
"""Faults of the machine, as the real window meets them: docs/faults.md."""

import errno
import json
import os
import subprocess
import sys
import tempfile
import time

from screen import Display, Window, check, patience, run

unshare = ["unshare", "--user", "--map-root-user", "--mount"]


def ready(state):
    return state["faces"]["prepared"] == "ready" and state["faces"]["block"] == "ready"


def subject(state):
    return state["view"]["subject"]


def begins(window):
    window.settled(lambda s: s["page"] == "start" and "start.explore" in s["marks"], "the start page of a first start")
    window.key("Escape")
    window.settled(lambda s: s["page"] == "none" and ready(s), "the window after Esc")


def changes_the_rung(window, key):
    before = subject(window.settled(ready, "a picture"))["kernel"]
    window.key(key)
    return subject(window.settled(lambda s: subject(s)["kernel"] != before and ready(s), f"another rung after {key}"))["kernel"]


def kept(home):
    with open(os.path.join(home, "state", "view.json")) as file:
        return json.load(file)["subject"]["kernel"]


def waits_until_kept(home, kernel):
    deadline = time.monotonic() + 60 * patience
    while kept(home) != kernel:
        check(time.monotonic() < deadline, f"{kernel} is not kept, {kept(home)} is")
        time.sleep(0.01)


def full_disk(program, display):
    """While the state is written: the window says so, what was kept before stays, and it goes on once there is room."""
    home = tempfile.mkdtemp(prefix="gemmscope-gui-")
    disk = os.path.join(home, "state")
    os.makedirs(disk)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=True)
    ballast = os.path.join(disk, "ballast")
    window = Window(program, display, home=home)
    try:
        begins(window)
        first = changes_the_rung(window, "Up")
        waits_until_kept(home, first)
        with open(ballast, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError as full:
                check(full.errno == errno.ENOSPC, full)
        window.key("Up")
        window.until(lambda s: any("No space left on device" in words for words in s["notices"]), "a notice of the full disk")
        check(kept(home) == first, "what was kept is gone")
        check(not [name for name in os.listdir(disk) if name.startswith(".")], f"something was left on the full disk: {os.listdir(disk)}")
        os.remove(ballast)
        waits_until_kept(home, changes_the_rung(window, "Up"))
    finally:
        window.close()
        subprocess.run(["umount", disk], check=False)


def two_windows(program, display):
    """On one state: each writes all of it, the last one's counts, and it is whole."""
    home = tempfile.mkdtemp(prefix="gemmscope-gui-")
    one = Window(program, display, home=home)
    begins(one)
    waits_until_kept(home, changes_the_rung(one, "Up"))  # the other begins with it: without a state it would show the start page
    other = Window(program, display, home=home, probe="other.json")
    try:
        for window, key in ((one, "Up"), (other, "Down"), (one, "Up"), (other, "Down")):
            window.focus()
            kernel = changes_the_rung(window, key)
            waits_until_kept(home, kernel)
    finally:
        other.end()
        one.end()
    check(one.process.returncode == other.process.returncode == 0, f"they ended with {one.process.returncode} and {other.process.returncode}")
    os.remove(one.probe)
    again = Window(program, display, home=home)
    state = again.until(ready, "a picture")
    check(not state["notices"] and subject(state)["kernel"] == kernel == kept(home), f"not {kernel} as it was kept: {state['notices']}")
    again.close()


def strange_names(program, display):
    """Of files, in the folder of kernels: no UTF-8. They are named, and the window goes on."""
    home = tempfile.mkdtemp(prefix="gemmscope-gui-")
    os.makedirs(os.path.join(home, "kernels"))
    with open(os.path.join(os.fsencode(home), b"kernels", b"strange \xff\xc3.cu"), "w") as file:
        file.write("int no_kernel;\n")
    window = Window(program, display, home=home)
    try:
        window.until(lambda s: any("strange" in words for words in s["notices"]), "why the file is not shown")
        window.key("Escape", "Escape")
        changes_the_rung(window, "Up")
    finally:
        window.close()


def old_opengl(program, display):
    """And no display at all."""
    home = tempfile.mkdtemp(prefix="gemmscope-gui-")
    for environment, says in (({"MESA_GL_VERSION_OVERRIDE": "2.1"}, "draws with OpenGL 3.3 and this machine has 2.1"),
                              ({"DISPLAY": ":no_display"}, "without a display, \"gemmscope render window")):
        done = subprocess.run([program], capture_output=True, text=True,
                              env=dict(os.environ, DISPLAY=display.name, HOME=home, LIBGL_ALWAYS_SOFTWARE="1", WAYLAND_DISPLAY="") | environment)
        check(done.returncode == 3 and says in done.stderr, f"{environment}: {done.returncode}, {done.stderr}")


def lost_display(program, display):
    """While the window compiles and executes: it ends at once and says why; what was kept is shown on another display."""
    lost = Display()
    window = Window(program, lost)
    begins(window)
    waits_until_kept(window.folder, changes_the_rung(window, "Up"))
    window.key("Up")
    lost.server.kill()
    lost.close()
    code, said = window.process.wait(60 * patience), window.output()
    check(code == 3 and said.endswith("gemmscope: the display was lost\n"), f"the window ended with {code}: {said}")
    window.end()
    os.remove(window.probe)
    kernel = kept(window.folder)
    again = Window(program, display, home=window.folder)
    state = again.settled(ready, "the window on another display")
    check(subject(state)["kernel"] == kernel, f"{subject(state)['kernel']} is shown, {kernel} was kept")
    again.close()


def sizes(program, _):
    """From 320 x 200 to 7680 x 4320 and back: every panel that is shown is inside of the window."""
    display = Display(7680, 4320)
    try:
        window = Window(program, display)
        begins(window)
        for width, height in ((320, 200), (7680, 4320), (640, 360), (1600, 900)):
            window.resize(width, height)
            state = window.settled(lambda s: s["marks"]["panel.transport"][2] == width, f"the layout of {width} x {height}", 240)
            outside = {name: mark for name, mark in state["marks"].items()
                       if name.startswith("panel.") and (mark[0] + mark[2] > width + 1 or mark[1] + mark[3] > height + 1)}
            check(not outside, f"outside of {width} x {height}: {outside}")
            if len(sys.argv) > 2 and os.path.isdir(sys.argv[2]):  # for who wants to see them
                subprocess.run(["import", "-display", display.name, "-window", window.id, f"{sys.argv[2]}/{width}x{height}.png"], check=True)
        window.close()
    finally:
        display.close()


def main(program, display):
    program = os.path.realpath(program)
    for part in (old_opengl, strange_names, two_windows, lost_display, sizes, full_disk):
        if part is full_disk and sys.argv[-1] != "inside":
            print("full_disk: skipped, this system lets users make no namespaces")
            continue
        start = time.monotonic()
        part(program, display)
        print(f"{part.__name__}: {time.monotonic() - start:.1f} s", flush=True)


if sys.argv[-1] != "inside" and subprocess.run([*unshare, "true"], capture_output=True).returncode == 0:
    sys.exit(subprocess.run([*unshare, sys.executable, __file__, *sys.argv[1:], "inside"]).returncode)
run(main)
