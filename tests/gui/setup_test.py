#!/usr/bin/env python3
"""NVRTC from the window, where none is found: the button fetches it by the system's pip, and what could not be compiled is shown. The
wheels are made here, of the NVRTC of this machine, so that no network is needed."""

import base64
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

from screen import Window, check, run


def nvrtc_here(program):
    said = json.loads(subprocess.run([program, "doctor", "--json"], capture_output=True, text=True).stdout)
    return next((re.search(r"(/\S*/libnvrtc\.so\.\d+)$", part["detail"]) for part in said if part["part"] == "NVRTC" and part["found"]), None)


def wheel(folder, name, version, files):
    """`files`: of the wheel, each with the file here that it is; as large as they are, since nothing is packed."""
    name = name.replace("-", "_")
    about = f"{name}-{version}.dist-info"
    texts = {f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
             f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: setup_test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = [f"{about}/RECORD,,"]
    with zipfile.ZipFile(os.path.join(folder, f"{name}-{version}-py3-none-any.whl"), "w") as packed:
        for place, text in texts.items():
            packed.writestr(place, text)
            record.append(f"{place},sha256={digest(text.encode())},{len(text)}")
        for place, file in files.items():
            packed.write(file, place)
            with open(file, "rb") as held:
                record.append(f"{place},sha256={digest(held.read())},{os.path.getsize(file)}")
        packed.writestr(f"{about}/RECORD", "\n".join(record) + "\n")


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def wheels_of(listed, cuda):
    """The names and versions that `gemmscope setup` asks for."""
    with open(listed) as lines:
        words = [line.split() for line in lines if not line.startswith("#")]
    return [of[2].split("==") for of in words if of[0] == cuda and of[1] == "compile"]


def test(program, display):
    program = os.path.realpath(program)
    here = nvrtc_here(program)
    if not here or subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode or shutil.which("nvidia-smi"):
        print("skipped: no NVRTC to make a wheel of, no pip, or a driver that says which CUDA it wants")
        sys.exit(77)
    library = here.group(1)
    folder = tempfile.mkdtemp(prefix="gemmscope-setup-")
    index = os.path.join(folder, "index")
    os.makedirs(index)
    data = os.path.join(folder, "data")
    os.environ.update(GEMMSCOPE_DATA=data, GEMMSCOPE_CACHE=os.path.join(folder, "cache"), PIP_NO_INDEX="1", PIP_FIND_LINKS=index,
                      GEMMSCOPE_NVRTC=os.path.join(data, "cuda", "lib", os.path.basename(library)))
    built_in = [one for one in glob.glob(os.path.join(os.path.dirname(library), "libnvrtc-builtins.so.*")) if ".alt." not in one]
    files = {f"nvidia/cu13/lib/{os.path.basename(one)}": one for one in [library, *built_in]}
    listed = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "assets", "cuda_wheels.txt")
    for name, version in wheels_of(listed, "13"):
        wheel(index, name, version, files if name.endswith("nvrtc") else {})
    window = Window(program, display)
    try:
        window.key("Escape")
        window.settled(lambda s: s["page"] == "none" and s["faces"]["prepared"] == "failed" and "fetch" in s["marks"], "the button that fetches NVRTC")
        window.click("fetch")
        window.until(lambda s: any("have come" in words for words in s["notices"]), "that it has come is said", 240)
        state = window.settled(lambda s: s["faces"]["prepared"] == "ready" and s["faces"]["block"] == "ready", "a kernel that is compiled by it")
        check("fetch" not in state["marks"], "the button is still there")
        check(sorted(os.listdir(data)) == ["cuda"], f"something was left beside it: {os.listdir(data)}")
    finally:
        window.close()
        shutil.rmtree(folder, ignore_errors=True)


run(test)
