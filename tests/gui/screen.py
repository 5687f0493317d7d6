"""A display of its own, the program in it, and a hand and an eye for tests: xdotool types and clicks, the probe file
(--probe) says what the window shows. Nothing sleeps for a fixed time: every step waits until the probe says what is
expected, or fails with what it says instead."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

crashes = [-number for number in (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV)]
guard = os.environ.get("GEMMSCOPE_HEAP_GUARD")  # the library of heap_guard.cpp, to run the program under
patience = float(os.environ.get("GEMMSCOPE_PATIENCE", 1))  # how many times longer to wait: a sanitizer is slow


class Failed(Exception):
    pass


class Display:
    """Xvfb on a free display."""

    def __init__(self, width=1600, height=900):
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise Failed("Xvfb did not start")
        self.name = f":{number}"

    def close(self):
        self.server.terminate()
        self.server.wait()


class Window:
    """The program with an empty home, or that of a window before; `state()` is the newest probe. `started` gets the process before
    anything is waited for."""

    def __init__(self, program, display, *arguments, home=None, probe="probe.json", started=lambda process: None):
        self.folder = home or tempfile.mkdtemp(prefix="gemmscope-gui-")
        self.probe = os.path.join(self.folder, probe)
        self.kernels = os.path.join(self.folder, "kernels")
        os.makedirs(self.kernels, exist_ok=True)
        self.environment = dict(os.environ, DISPLAY=display.name, HOME=self.folder, GEMMSCOPE_STATE=os.path.join(self.folder, "state"),
                                LIBGL_ALWAYS_SOFTWARE="1")
        for name in ("WAYLAND_DISPLAY", "GTK_THEME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"):
            self.environment.pop(name, None)  # the developer's own desktop
        if os.path.exists(self.probe):  # of a window before: it would pass for a first frame of this one
            os.remove(self.probe)
        self.log = open(os.path.join(self.folder, "log"), "w+")
        self.process = subprocess.Popen([program, "--probe", self.probe, "--kernels", self.kernels, *arguments], cwd=self.folder,
                                        env=self.environment | ({"LD_PRELOAD": guard} if guard else {}), stdout=self.log, stderr=self.log)
        started(self.process)
        self.until(lambda s: True, "a first frame")
        # "gemmscope" is all of the title; without a window manager nobody gives the window the keyboard.
        self.id = self._xdo("search", "--sync", "--all", "--pid", str(self.process.pid), "--name", "^gemmscope$").split()[0]
        self.focus()

    def focus(self):
        """Where there are several, without a window manager."""
        self._xdo("windowfocus", "--sync", self.id)

    def resize(self, width, height):
        self._xdo("windowsize", "--sync", self.id, str(width), str(height))

    def state(self):
        try:
            with open(self.probe) as file:
                return json.load(file)
        except FileNotFoundError:
            return None

    def until(self, expected, what, seconds=60):
        seconds *= patience
        deadline = time.monotonic() + seconds
        while True:
            state = self.state()
            if state is not None and expected(state):
                return state
            if self.process.poll() is not None:
                raise Failed(f"the program ended with {self.process.returncode} while waiting for {what}\n{self.output()}")
            if time.monotonic() > deadline:
                state = dict(state or {}, marks=None)
                raise Failed(f"waited {seconds} s for {what}; the window shows {json.dumps(state)}\n{self.output()}")
            time.sleep(0.01)

    def settled(self, expected, what, seconds=60):
        return self.until(lambda s: s["settled"] and expected(s), what, seconds)

    def key(self, *names):
        self._xdo("key", "--clearmodifiers", *names)

    def type(self, text):
        self._xdo("type", "--clearmodifiers", "--delay", "2", text)

    def copy(self, text):
        """To the clipboard, as another program would; needs xclip."""
        subprocess.run(["xclip", "-selection", "clipboard"], input=text, text=True, env=self.environment, check=True, timeout=60)

    def move(self, x, y):
        x, y = round(x), round(y)
        self._xdo("mousemove", "--window", self.id, str(x), str(y))
        self.until(lambda s: s["mouse"][:2] == [x, y], f"the mouse at {x}, {y}")

    def point(self, mark, across=0.5, down=0.5):
        """Moves the mouse to a part of what is marked, once it has stopped moving about."""
        state = self.settled(lambda s: mark in s["marks"], f"{mark} to be there")
        x, y, width, height = state["marks"][mark]
        self.move(x + across * width, y + down * height)

    def click(self, mark, across=0.5, down=0.5):
        self.point(mark, across, down)
        self._xdo("click", "1")

    def turn_wheel(self, mark, notches):
        """Over the middle of what is marked; up, or down where `notches` is negative."""
        self.point(mark)
        for _ in range(abs(notches)):
            self._xdo("click", "4" if notches > 0 else "5")

    def click_now(self, mark):
        """Clicks without waiting for rest, while the window plays."""
        x, y, width, height = self.state()["marks"][mark]
        self.move(x + width / 2, y + height / 2)
        self._xdo("click", "1")

    def drag(self, mark, start, end):
        """Presses the button at `start` (a share of the width), moves in steps to `end`, lets go."""
        state = self.settled(lambda s: mark in s["marks"], f"{mark} to be there")
        x, y, width, height = state["marks"][mark]
        self.move(x + start * width, y + height / 2)
        self._xdo("mousedown", "1")
        self.until(lambda s: s["mouse"][2], "the mouse's button down")
        for part in range(1, 9):
            self.move(x + (start + (end - start) * part / 8) * width, y + height / 2)
        self._xdo("mouseup", "1")
        self.until(lambda s: not s["mouse"][2], "the mouse's button up")

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self):
        """As a crash would end it; what it has written stays."""
        self.process.kill()
        self.process.wait()
        self.log.close()
        os.remove(self.probe)

    def end(self):
        """As a system that shuts down asks it to; what it has written stays."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20 * patience)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()

    def close(self):
        """What a window that crashed leaves is kept: its log, its last state and, where the limit allows one, its core."""
        self.end()  # of one that crashed, too: its display may be gone a moment before it
        if self.process.returncode in crashes:
            print(f"what the window left: {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def output(self):
        self.log.flush()
        self.log.seek(0)
        return self.log.read()

    def _xdo(self, *arguments):
        done = subprocess.run(["xdotool", *arguments], env=self.environment, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise Failed(f"xdotool {' '.join(arguments)}: {done.stderr.strip()}\n{self.output()}")
        return done.stdout


def check(condition, what):
    if not condition:
        raise Failed(what)


def run(test, *tools, skip_code=77):
    """Runs test(program, display) and turns its outcome into an exit code. `tools`: what else it needs."""
    for tool in ("Xvfb", "xdotool", *tools):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            sys.exit(skip_code)
    display = Display()
    try:
        test(sys.argv[1], display)
    except Failed as reason:
        print(f"FAILED: {reason}")
        sys.exit(1)
    finally:
        display.close()
