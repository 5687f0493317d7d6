#!/usr/bin/env python3
"""Remote GPUs over a real sshd on the loopback interface, with the invented GPU behind it, through a proxy that delays every byte,
cuts the connection in the middle or swallows it: a list of points, a sweep, and a run in the real window.

    tests/scripts/remote_test.py build/gemmscope build/fake_cuda:build/fake_cublas
"""

import getpass
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gui"))
os.environ["PATH"] += ":/usr/sbin"
from screen import Display, Failed, Window, check  # noqa: E402

DELAY = 0.06  # seconds each way


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Proxy:
    """Passes connections on, every byte late. `cut_at`: the bytes of a client after which its connection is cut, once; `swallow`: nothing
    passes any more, though nobody hangs up."""

    def __init__(self, to):
        self.to, self.delay, self.cut_at, self.swallow, self.refuse = to, DELAY, None, False, False
        self.connections, self.asked = 0, False
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.server.accept()
            if self.refuse:
                client.close()
                continue
            self.connections += 1
            server = socket.create_connection(("127.0.0.1", self.to))
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for ends in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source, target, of_client):
        """A thread reads and one writes what is due, so that a delay is one and not a lower rate."""
        due, more, passed = [], threading.Condition(), 0

        def write():
            while True:
                with more:
                    more.wait_for(lambda: due)
                    at, data = due.pop(0)
                if data is None:
                    break
                time.sleep(max(0, at - time.monotonic()))
                if self.swallow:
                    continue
                try:
                    target.sendall(data)
                except OSError:
                    break
            for one in (source, target):
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

        threading.Thread(target=write, daemon=True).start()
        while True:
            try:
                data = source.recv(1 << 16)
            except OSError:
                data = b""
            passed += len(data)
            self.asked = of_client and passed > 10_000 or self.asked  # the login takes 4 KB
            cut = of_client and self.cut_at is not None and passed >= self.cut_at
            if cut:
                self.cut_at = None
            with more:
                due.append((time.monotonic() + self.delay, None if cut or not data else data))
                more.notify()
            if cut or not data:
                return


class Remote:
    def __init__(self, program, libraries):
        self.folder = tempfile.mkdtemp(prefix="gemmscope-remote-")
        os.chmod(self.folder, 0o755)
        self.program, self.port = program, free_port()
        self.environment = dict(os.environ, GEMMSCOPE_STATE=os.path.join(self.folder, "state"))
        for name in ("host_key", "key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(name)], check=True)
        shutil.copy(self.path("key.pub"), self.path("authorized_keys"))
        self.write("sshd_config", f"ListenAddress 127.0.0.1\nPort {self.port}\nHostKey {self.path('host_key')}\n"
                   f"AuthorizedKeysFile {self.path('authorized_keys')}\nStrictModes no\nPermitRootLogin yes\nUsePAM no\n"
                   f"PidFile {self.path('sshd.pid')}\n")
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)
        self.sshd = subprocess.Popen([shutil.which("sshd"), "-D", "-f", self.path("sshd_config"), "-E", self.path("sshd.log")])
        self.proxy = Proxy(self.port)
        self.write("worker", f"#!/bin/sh\necho $$ >>{self.path('pids')}\nexec env LD_LIBRARY_PATH={libraries} CUDA_HOME= CUDA_PATH= {program} worker\n")
        os.chmod(self.path("worker"), 0o755)
        options = ["-i", self.path("key"), "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]
        there = [f"{getpass.getuser()}@127.0.0.1"]
        until(lambda: subprocess.run(["ssh", "-p", str(self.port), *options, *there, "true"], capture_output=True).returncode == 0, "a login")
        # As a user would write it who wants to know of a silent loss.
        self.command = " ".join(["ssh", "-p", str(self.proxy.port), *options, "-o", "ConnectTimeout=4", "-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=2", *there,
                                 self.path("worker")])

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def run(self, *arguments, code=0):
        done = subprocess.run([self.program, *arguments], env=self.environment, capture_output=True, text=True, timeout=120)
        check(done.returncode == code, f"{' '.join(arguments)}: exit {done.returncode}, expected {code}\n{done.stdout}{done.stderr}")
        return done

    def workers(self):
        """Those that run."""
        if not os.path.exists(self.path("pids")):
            return []
        with open(self.path("pids")) as file:
            return [pid for pid in map(int, file.read().split()) if runs(pid)]

    def close(self):
        self.sshd.terminate()
        self.sshd.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def until(condition, what, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Failed(f"waited {seconds} s for {what}")
        time.sleep(0.02)


def is_remembered_and_tried(remote):
    remote.run("machines", "lab", remote.command)
    row = json.loads(remote.run("machines", "lab", "--json").stdout)[0]
    check(row["found"] and "Fake GPU" in row["detail"], f"the machine's answer: {row}")
    far = float(row["detail"].split(" ms there and back")[0].split()[-1])
    check(far >= 2000 * DELAY, f"{far} ms there and back, though every byte is {1000 * DELAY} ms late each way")
    rows = {check["part"]: check for check in json.loads(remote.run("doctor", "--json").stdout)}
    check(rows["machine lab"]["found"] and "Fake GPU" in rows["machine lab"]["detail"], f"doctor: {rows['machine lab']}")
    remote.proxy.refuse = True
    row = json.loads(remote.run("machines", "lab", "--json").stdout)[0]
    check(not row["found"] and "the GPU worker exited with status 255" in row["detail"], f"of one that is away: {row}")
    remote.proxy.refuse = False
    remote.run("device", "--worker", "nowhere", code=3)


def loses_nothing_of_a_list(remote):
    """Cut while the second request goes there: the first point stays, and the same command continues."""
    points = ["bench", "naive", "--sizes", "32,48,64", "--worker", "lab", "--json", "--output", remote.path("points.json")]
    remote.proxy.cut_at = 30_000  # a request takes some 18 KB, the login 4
    lost = remote.run(*points, code=3)
    check("the GPU worker exited with status 255" in lost.stderr and "run it again" in lost.stderr, f"what was said: {lost.stderr}")
    with open(remote.path("points.json")) as file:
        kept = sum('"kernel"' in line for line in file)
    check(1 <= kept < 3, f"{kept} points were kept, of 3")
    remote.run(*points)
    with open(remote.path("points.json")) as file:
        sizes = [json.loads(line)["m"] for line in file if '"kernel"' in line]
    check(sorted(sizes) == [32, 48, 64], f"every point once: {sizes}")
    until(lambda: not remote.workers(), "the end of every worker whose connection is gone")


def notices_a_silent_loss(remote):
    remote.proxy.asked = False
    running = subprocess.Popen([remote.program, "bench", "naive", "--sizes", "512", "--time-limit", "600", "--worker", "lab"], env=remote.environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: remote.proxy.asked, "a request")
    remote.proxy.swallow = True
    said = running.communicate(timeout=100)[1]
    remote.proxy.swallow = False
    check(running.returncode == 3 and "not responding" in said, f"of a connection that is silent: exit {running.returncode}, {said}")


def finishes_a_sweep(remote):
    """The connection is cut, then ssh is killed; every point is there once."""
    command = [remote.program, "sweep", "naive", "naive_uncoalesced", "--space", "tiles", "--sizes", "32,48", "--output", remote.path("records")]
    of = int(subprocess.run([*command, "--plan"], env=remote.environment, capture_output=True, text=True, check=True).stdout.split()[-2])
    before = remote.proxy.connections
    remote.proxy.cut_at = 300_000
    running = subprocess.Popen([*command, "--worker", "lab"], env=remote.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: remote.proxy.connections == before + 2, "a second connection")
    until(lambda: len(points(remote)) > of // 2, "half of the points")
    for pid in ssh_of(running.pid):
        os.kill(pid, signal.SIGKILL)
    said = running.communicate(timeout=200)[1]
    check(running.returncode == 0, f"the sweep: exit {running.returncode}, {said}")
    all_points = points(remote)
    check(len(all_points) == of and len(set(all_points)) == of, f"{len(all_points)} points, {len(set(all_points))} of them once, of {of}\n{said}")
    check("lab: the GPU worker exited with status 255" in said and "lab: the GPU worker was killed by signal 9" in said, f"what was said: {said}")


def points(remote):
    """Settings and sizes of the records, without what was measured."""
    found = []
    for folder, _, names in os.walk(remote.path("records")):
        for name in names:
            with open(os.path.join(folder, name)) as file:
                found += [(name, *line.split()[:-5]) for line in file if line[0].isdigit() and line.endswith("\n")]
    return found


def ssh_of(pid):
    """That it has started, by a shell."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat") as file:
                name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
            parent = int(rest.split()[1])
            with open(f"/proc/{parent}/stat") as file:
                grandparent = int(file.read().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue  # it has ended
        if name == "ssh" and pid in (parent, grandparent):
            found.append(int(process))
    return found


def runs_from_the_window(remote, display):
    """A machine is typed in, tried and chosen; a run and its C are cut, and come at the next R."""
    window = Window(remote.program, display)
    try:
        window.until(lambda s: s["page"] == "start", "the start page", 180)
        window.key("Escape", "F3")
        window.settled(lambda s: s["page"] == "machines", "the page of machines")
        window.click("machines.name")
        window.type("lab")
        window.click("machines.command")
        window.type(remote.command)
        window.click("machines.add")
        tried = window.until(lambda s: s["machines"].get("lab", {}).get("answer"), "an answer of the machine", 180)["machines"]["lab"]
        check(tried["answer"] == "Fake GPU" and tried["round_trip_ms"] >= 2000 * DELAY, f"its answer: {tried}")
        window.click("machine.lab.use")
        window.until(lambda s: s["machines"]["lab"]["chosen"], "that it is chosen", 180)
        window.key("Escape")
        window.until(lambda s: s["page"] == "none", "the window", 180)
        view = dict(window.state()["view"], middle_tab="result", plot_tab="sizes", speed_m=128, speed_n=128, speed_k=64)
        view["subject"].update(m=128, n=128, k=32)
        window.copy(json.dumps(view))
        window.key("ctrl+v")
        window.until(lambda s: s["view"]["subject"]["m"] == 128 and s["view"]["middle_tab"] == "result", "a small product in the Result view", 180)
        remote.proxy.cut_at = 12_000  # in the first request
        window.key("r")
        cut = window.until(lambda s: s["gpu"] in ("failed", "absent"), "the end of a run whose connection is cut", 180)
        check("the GPU worker exited with status 255" in cut["gpu_reason"] and cut["result"] == "failed", f"of a cut connection: {cut['gpu_reason']}, {cut['result']}")
        window.key("r")
        window.until(lambda s: s["result"] == "shown", "C of the remote GPU", 180)
        window.until(lambda s: s["gpu"] == "idle", "all of the run", 180)
        window.key("r")
        window.until(lambda s: s["gpu"] == "running", "a third run", 180)
        for pid in remote.workers():
            os.kill(pid, signal.SIGKILL)
        window.until(lambda s: s["gpu"] in ("failed", "idle"), "its end, however far it was", 180)
        window.key("r")
        window.until(lambda s: s["gpu"] == "idle" and s["result"] == "shown", "another run", 180)
        folder = window.folder
        window.kill()
        again = Window(remote.program, display, home=folder)
        try:
            again.until(lambda s: s["machines"].get("lab", {}).get("chosen"), "that it is still chosen in the next window", 180)
        finally:
            again.close()
    finally:
        if window.process.poll() is None:
            window.close()
    until(lambda: not remote.workers(), "the end of the window's worker")


def main():
    program, libraries = os.path.abspath(sys.argv[1]), ":".join(os.path.abspath(folder) for folder in sys.argv[2].split(":"))
    for tool in ("sshd", "ssh", "ssh-keygen"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            sys.exit(77)
    checks = json.loads(subprocess.run([program, "doctor", "--json"], capture_output=True, text=True).stdout)
    if not all(check["found"] for check in checks if check["part"] in ("NVRTC", "ptxas")):
        print("skipped: there is no compiler")
        sys.exit(77)
    remote = Remote(program, libraries)
    parts = [(part, (remote,)) for part in (is_remembered_and_tried, loses_nothing_of_a_list, notices_a_silent_loss, finishes_a_sweep)]
    display = Display() if all(shutil.which(tool) for tool in ("Xvfb", "xdotool", "xclip")) else None
    if display:
        parts.append((runs_from_the_window, (remote, display)))
    else:
        print("without the window: Xvfb, xdotool or xclip is not installed")
    try:
        for part, arguments in parts:
            start = time.monotonic()
            part(*arguments)
            print(f"{part.__name__}: {time.monotonic() - start:.1f} s", flush=True)
    except Failed as reason:
        print(f"FAILED: {reason}")
        sys.exit(1)
    finally:
        if display:
            display.close()
        remote.close()


main()
