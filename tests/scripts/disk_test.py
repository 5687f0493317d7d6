"""A disk that is full, or may only be read, under the command line: a small tmpfs in a namespace of its own, which ordinary users
may make on most systems.

    tests/scripts/disk_test.py build/gemmscope"""
import errno
import json
import os
import shlex
import subprocess
import sys
import tempfile

program = os.path.realpath(sys.argv[1])
fake_worker = "exec python3 " + shlex.quote(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../gpu/fake_worker.py")) + " good"
unshare = ["unshare", "--user", "--map-root-user", "--mount"]


def check(condition, *what):
    if not condition:
        sys.exit("\n".join(map(str, what)))


def run(*arguments, **environment):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GEMMSCOPE_", "XDG_"))}
    kept.update(environment)
    done = subprocess.run([program, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={name: value for name, value in kept.items() if value is not None})
    return done.returncode, done.stdout, done.stderr


class Disk:
    def __init__(self, folder, bytes):
        os.makedirs(folder)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={bytes}", "tmpfs", folder], check=True)
        self.folder = folder
        self.ballast = os.path.join(folder, "ballast")

    def fill(self, left):
        """But for so many bytes."""
        descriptor = os.open(self.ballast, os.O_WRONLY | os.O_CREAT)
        try:
            while True:
                os.write(descriptor, b"x" * 4096)
        except OSError as full:
            check(full.errno == errno.ENOSPC, full)
        os.ftruncate(descriptor, os.fstat(descriptor).st_size - left)
        os.close(descriptor)

    def free(self):
        os.remove(self.ballast)

    def files(self, below):
        return [name for _, _, names in os.walk(os.path.join(self.folder, below)) for name in names]


product = ["trace", "naive", "-m", "32", "-n", "32", "-k", "8", "--json"]


def is_right(code, out, err):
    check(code == 0 and json.loads(out)["verified"]["passed"], "not a right product:", code, out, err)


def cache(disk):
    where = {"GEMMSCOPE_CACHE": os.path.join(disk.folder, "cache")}
    for left in (0, 4096, 8192):
        disk.fill(left)
        is_right(*run(*product, **where))
        check(all(len(name) == 32 for name in disk.files("cache")), "a file that is not whole was left:", disk.files("cache"))
        disk.free()
    is_right(*run(*product, **where))
    check(disk.files("cache"), "nothing is cached once there is room")


def record(disk):
    file = os.path.join(disk.folder, "points.json")
    command = ["bench", "naive", "--sizes", "32..512:16", "--json", "--output", file, "--worker", fake_worker]
    disk.fill(8192)
    code, out, err = run(*command)
    check(code == 2 and "No space left on device" in err, "a full disk is not said:", code, err)
    disk.free()
    code, out, err = run(*command)
    check(code == 0, "it does not go on once there is room:", err)
    with open(file) as lines:
        points = [(point["m"], point["kernel"]) for point in map(json.loads, lines) if "kernel" in point]
    check(len(points) == len(set(points)) == 31, "not every point once:", points)


def read_only_home(disk):
    home = os.path.join(disk.folder, "home")
    os.makedirs(home)
    subprocess.run(["mount", "-o", "remount,ro", disk.folder], check=True)
    is_right(*run(*product, HOME=home))
    code, out, err = run("bench", "naive", "--sizes", "32", "--output", os.path.join(home, "points.json"), "--worker", fake_worker, HOME=home)
    check(code == 2 and "Read-only file system" in err, "a disk that may only be read is not said:", code, err)
    subprocess.run(["mount", "-o", "remount,rw", disk.folder], check=True)


def no_home(disk):
    is_right(*run(*product, HOME=None, TMPDIR=disk.folder))
    own = os.path.join(disk.folder, f"gemmscope-{os.geteuid()}")
    check(os.stat(own).st_mode & 0o777 == 0o700, "others may look into what is kept without a home")


if len(sys.argv) == 2:
    if subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:
        print("skipped: this system lets users make no namespaces")
        sys.exit(77)
    sys.exit(subprocess.run([*unshare, sys.executable, __file__, program, "inside"]).returncode)
with tempfile.TemporaryDirectory() as folder:
    for number, part in enumerate((cache, record, read_only_home, no_home)):
        disk = Disk(os.path.join(folder, str(number)), 1 << 20)
        try:
            part(disk)
        finally:
            subprocess.run(["umount", disk.folder], check=True)
