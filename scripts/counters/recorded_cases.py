"""Cases for record_profiles.sh: of every kernel that multiplies matrices and was recorded, its fastest setting at each cube. To
standard output; those that say most about the ladder come first, so that a run that is cut short is not lost.
recorded_cases.py PROGRAM RECORD [SIZE ...]     sizes: 4096 2048 1024 8192 256 512 1536 3072 if none is named"""
import json
import pathlib
import subprocess
import sys

SIZES = [4096, 2048, 1024, 8192, 256, 512, 1536, 3072]
MANY_LAUNCHES = {"strassen", "out_of_core", "managed"}  # or memory that launch.py does not ask for
MOST_DOUBLES = 4096  # launch.py fills them on the host


def main():
    program, record = sys.argv[1], pathlib.Path(sys.argv[2])
    sizes = [int(size) for size in sys.argv[3:]] or SIZES
    listed = json.loads(subprocess.run([program, "list", "--json"], check=True, capture_output=True, text=True).stdout)
    kernels = {kernel["id"]: kernel for kernel in listed if kernel.get("operation") == "product" and kernel["id"] not in MANY_LAUNCHES}
    fastest = {}
    for line in record.read_text().splitlines()[1:]:
        sample = json.loads(line)
        key = sample["kernel"], sample["m"]
        if sample["m"] == sample["n"] == sample["k"] and (key not in fastest or sample["gflops"] > fastest[key]["gflops"]):
            fastest[key] = sample
    print("# Made by scripts/counters/recorded_cases.py, in the form of tests/data/counters/cases.txt.")
    for size in sizes:
        for kernel in kernels.values():
            sample = fastest.get((kernel["id"], size))
            if sample and not (kernel["operands"] == "f64" and size > MOST_DOUBLES):
                options = " ".join(f"-p {name}={value}" for name, value in sample["parameters"].items())
                print(f"{kernel['id']} | {options} | -m {size} -n {size} -k {size}")


main()
