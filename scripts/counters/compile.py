"""Compiles every case of a file (tests/data/counters/cases.txt says what they look like) with gemmscope into FOLDER: launches.json
says how each is launched, ARCH.N.cubin is its machine code. compile.py PROGRAM CASES FOLDER "75 80 ..." ["KERNEL ..."]: the first architecture of
the cases is 90, which is launched; with names of kernels only their cases, which keep their numbers."""
import concurrent.futures
import json
import pathlib
import subprocess
import sys

LAUNCHED = "90"


def output(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def read_cases(path):
    """A line is SOURCE | options of compile and trace | options of the run; runs of one machine code are separated by ";"; none: compiled only."""
    for line in pathlib.Path(path).read_text().splitlines():
        if line and not line.startswith("#"):
            source, options, runs = (part.strip() for part in line.split("|"))
            yield source, options.split(), [run.split() for run in runs.split(";") if run]


def value(options, name, default):
    return options[options.index(name) + 1] if name in options else default


def catalogue_launch(program, source, options, run):
    shown = json.loads(output(program, "show", source, *options, *run, "--json"))
    m, n, k = (value(run, name, "256") for name in ("-m", "-n", "-k"))
    m_, n_, k_ = int(m), int(n), int(k)
    shape = {"grid": shown["grid"], "block": shown["block"], "shared": shown["dynamic_shared_bytes"], "parameters": shown["values"],
             "m": m_, "n": n_, "k": k_}
    if shown["operation"] != "product":  # element by element from A; words of bits take as much room as floats
        words = {"add_one": m_ * n_, "pack_rows": m_ * ((n_ + 31) // 32), "pack_columns": (m_ + 31) // 32 * n_}[shown["operation"]]
        return {**shape, "arguments": [f"i32={m}", f"i32={n}", f"floats={m_ * n_}", f"floats={words}"]}
    matrices = {"A": (4, m_, k_), "B": (5, k_, n_), "C": (7, m_, n_)}  # place among the arguments, rows, columns
    if shown["operands"] == "b1":  # words of 32 elements along k
        words = (k_ + 31) // 32
        matrices |= {"A": (4, m_, words), "B": (5, words, n_)}
    operands, result = {"bf16": ("bf16", "floats"), "f64": ("doubles", "doubles")}.get(shown["operands"], ("floats", "floats"))
    factor = "f64=" if result == "doubles" else "f32="
    types = {"A": operands, "B": operands, "C": result}
    sizes = {"floats": 4, "bf16": 2, "doubles": 8}

    def leading(name):  # elements from one row to the next
        _, _, columns = matrices[name]
        elements = max(shown["row_alignment"] // sizes[types[name]], 1)
        return (columns + elements - 1) // elements * elements

    def matrix(name):  # and, where rows are aligned, how far they are apart
        stored = f"{types[name]}={matrices[name][1] * leading(name)}"
        return [stored, f"i32={leading(name)}"] if shown["row_alignment"] else [stored]

    maps = [("tf32" if box["to_tf32"] else types[box["of"]],) + matrices[box["of"]] + (box["rows"], box["columns"], box["swizzle_bytes"])
            for box in shown.get("tensor_maps", [])]
    return {**shape,
            "arguments": [f"i32={m}", f"i32={n}", f"i32={k}", factor + value(run, "--alpha", "1"), *matrix("A"), *matrix("B"),
                          factor + value(run, "--beta", "0"), *matrix("C"),
                          *("map=" + ",".join(map(str, numbers)) for numbers in maps)]}


def file_launch(run):
    arguments = [run[i + 1] for i, word in enumerate(run) if word == "--arg"]
    buffers = [a if "[" not in a else "floats=" + a[a.index("[") + 1:-1] for a in arguments]
    triple = [[int(x) for x in (value(run, name, "1") + ",1,1").split(",")[:3]] for name in ("--grid", "--block")]
    return {"grid": triple[0], "block": triple[1], "shared": 0, "arguments": buffers}


def main():
    program, cases, folder, architectures = sys.argv[1], list(read_cases(sys.argv[2])), pathlib.Path(sys.argv[3]), sys.argv[4].split()
    only = sys.argv[5].split() if len(sys.argv) > 5 else []
    chosen = [number for number, (source, *_) in enumerate(cases) if not only or source in only]
    jobs = [(number, arch) for number in chosen for arch in architectures]

    def compile_one(job):
        number, arch = job
        source, options, _ = cases[number]
        cubin = folder / f"{arch}.{number}.cubin"
        command = [program, "compile", source, *options, "--arch", "sm_" + arch, "--json", "-o", str(cubin)]
        if arch == LAUNCHED:
            return number, arch, json.loads(output(*command))
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:  # some kernels need instructions that an older architecture lacks
            print(f"left out: {source} for sm_{arch}: {done.stderr.strip()}", file=sys.stderr)
        return number, arch, None

    with concurrent.futures.ThreadPoolExecutor() as pool:
        compiled = {(number, arch): said for number, arch, said in pool.map(compile_one, jobs)}
        launches = []
        for number in chosen:
            source, options, runs = cases[number]
            for run in runs:
                is_file = source.endswith(".cu")
                launch = file_launch(run) if is_file else catalogue_launch(program, source, options, run)
                launches.append({"source": source, "options": " ".join(options), "run": " ".join(run), "entry": compiled[number, LAUNCHED]["entry"],
                                 "cubin": str(folder / f"{LAUNCHED}.{number}.cubin"), **launch})
    (folder / "launches.json").write_text(json.dumps(launches, indent=1))


if __name__ == "__main__":
    main()
