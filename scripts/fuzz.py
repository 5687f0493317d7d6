#!/usr/bin/env python3
"""Lets libFuzzer look for inputs that break something, behind each door by which bytes come in (fuzz/*.cpp), under AddressSanitizer and UBSan.

  scripts/fuzz.py run SECONDS [DOOR...]   fuzzes each door, all of them by default, for so long on one processor
  scripts/fuzz.py keep [DOOR...]          keeps of what was found to reach new code as much as there is room for
  scripts/fuzz.py coverage [DOOR...]      which lines of a door's parser its corpus executes
  scripts/fuzz.py page                    writes docs/fuzzing.md from fuzz/campaigns.jsonl

`run` begins with the seeds, with fuzz/corpora and with what it found before, and adds a line for each door to fuzz/campaigns.jsonl. Where there are more
processors than doors ($JOBS, all of them by default), several share a door and its time. `keep` writes fuzz/corpora: the inputs that together reach what
all of them reach. What breaks a door is left in build-fuzz/found: build/replay_DOOR 0 FILE calls it again. Needs clang; with NO_BUILD=1 it takes
build-fuzz as it is, whose sources are those of $COMMIT. Exits with 1 if something was found."""
import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
build, coverage_build = root / "build-fuzz", root / "build-fuzz-coverage"
corpora, campaigns, page = root / "fuzz/corpora", root / "fuzz/campaigns.jsonl", root / "docs/fuzzing.md"
most_kept_bytes = 96 << 10  # of a door's corpus in the repository, compressed
limits = ["-timeout=20", "-rss_limit_mb=3000", "-max_len=1048576"]  # nothing that is fuzzed may take a second or grow without bound


def described_in(source):
    """What the head of a fuzzer's file says: what comes in by the door, and the sources that read it."""
    head = re.match(r"(?://.*\n)+", source.read_text())[0]
    reads, parser = re.fullmatch(r"(.*?)\n// Coverage: (.*)\n", head, re.S).groups()
    return {"reads": " ".join(line[3:] for line in reads.split("\n")), "parser": parser.split()}


doors = {path.stem: described_in(path) for path in sorted((root / "fuzz").glob("*.cpp")) if path.stem != "replay"}


def run(*command, **options):
    return subprocess.run([str(word) for word in command], cwd=root, **options)


def make(folder, preset, names):
    if os.environ.get("NO_BUILD"):
        return
    run("cmake", "--preset", preset, check=True, stdout=subprocess.DEVNULL)
    run("cmake", "--build", folder, "--target", *(f"fuzz_{name}" for name in names), check=True)


def fill(name, folder):
    """A door's corpus: seeds, a paragraph of a text being one, and what earlier campaigns kept."""
    corpus = folder / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    for line in (folder / f"fuzz/{name}.seeds").read_text().split():
        for seed in sorted(path for path in [root / line, *(root / line).rglob("*")] if path.is_file()):
            parts = re.split(rb"\n\s*\n", seed.read_bytes()) if seed.suffix == ".txt" else [seed.read_bytes()]
            for n, part in enumerate(parts):
                (corpus / f"{seed.name}.{n}.seed").write_bytes(part)
    kept = corpora / f"{name}.tar.xz"
    if kept.exists():
        with tarfile.open(kept) as archive:
            for member in archive:
                if member.isfile():
                    (corpus / pathlib.Path(member.name).name).write_bytes(archive.extractfile(member).read())
    return corpus


def keep(name):
    """The inputs that together reach what the corpus reaches, the smallest first, as far as there is room. Gives how many there are."""
    corpus, merged = build / "corpus" / name, build / "merged" / name
    shutil.rmtree(merged, ignore_errors=True)
    merged.mkdir(parents=True)
    try:
        run(build / f"fuzz_{name}", "-merge=1", *limits, merged, corpus, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=120)
    except subprocess.TimeoutExpired:
        merged = corpus  # more than that reaches
    inputs = sorted(merged.iterdir(), key=lambda path: (path.stat().st_size, path.name))
    corpora.mkdir(exist_ok=True)
    archive = corpora / f"{name}.tar.xz"
    count = len(inputs)
    while True:
        with tarfile.open(archive, "w:xz") as out:
            for path in inputs[:count]:
                member = tarfile.TarInfo(path.name)
                member.size = path.stat().st_size
                with path.open("rb") as data:
                    out.addfile(member, data)
        if archive.stat().st_size <= most_kept_bytes or count == 0:
            return len(inputs)
        count = int(count * 0.9)


def fuzz_on_one(name, corpus, found, seconds):
    """Executions, edges and seconds of a processor; begins again behind what it finds."""
    executions, edges, took, began = 0, 0, 0.0, time.monotonic()
    while (left := int(seconds - (time.monotonic() - began))) > 0:
        command = [build / f"fuzz_{name}", f"-max_total_time={left}", "-print_final_stats=1", *limits, f"-artifact_prefix={found / name}-", corpus]
        with tempfile.TemporaryFile() as output:
            fuzzer = subprocess.Popen([str(word) for word in command], cwd=root, stdout=subprocess.DEVNULL, stderr=output)
            _, status, used = os.wait4(fuzzer.pid, 0)
            fuzzer.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            said = output.read().decode(errors="replace")
        took += used.ru_utime + used.ru_stime
        executions += sum(int(n) for n in re.findall(r"stat::number_of_executed_units: (\d+)", said))
        edges = max([edges, *(int(n) for n in re.findall(r"\bcov: (\d+)", said))])
        if fuzzer.returncode != 0:
            print(f"{name}: found something:\n" + said[-3000:], flush=True)
    return executions, edges, took


def program_of(name):
    """What was fuzzed: a later commit that leaves the door's code alone builds the same program, and minutes go on counting."""
    return hashlib.sha256((build / f"fuzz_{name}").read_bytes()).hexdigest()[:16]


def breaks(name, path):
    """Once more and alone: what took too long may have shared its processor with others."""
    return run(build / f"fuzz_{name}", *limits, path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0


def fuzz(name, seconds, processors):
    corpus, found = fill(name, build), build / "found"
    found.mkdir(exist_ok=True)
    before = set(found.glob(f"{name}-*"))
    with concurrent.futures.ThreadPoolExecutor(processors) as pool:
        results = list(pool.map(lambda _: fuzz_on_one(name, corpus, found, seconds / processors), range(processors)))
    for path in set(found.glob(f"{name}-*")) - before:
        if not breaks(name, path):
            path.unlink()
    return {"door": name, "program": program_of(name), "seconds": round(sum(took for _, _, took in results)),
            "executions": sum(executions for executions, _, _ in results), "edges": max(edges for _, edges, _ in results),
            "found": len(set(found.glob(f"{name}-*")) - before)}


def described():
    processor = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")),
                     platform.processor())
    commit = os.environ.get("COMMIT") or run("git", "rev-parse", "--short=8", "HEAD", capture_output=True, text=True, check=False).stdout.strip()
    return {"date": datetime.date.today().isoformat(), "commit": commit, "processor": processor}


def add(lines):
    with campaigns.open("a") as out:
        for line in lines:
            out.write(json.dumps(line) + "\n")


def jobs():
    return int(os.environ.get("JOBS", os.cpu_count()))


def command_run(names, seconds):
    make(build, "fuzz", names)
    provenance = described()

    def fuzz_and_say(name):
        r = fuzz(name, seconds, max(1, jobs() // len(names)))
        add([provenance | r])
        print(f"{r['door']:16} {r['seconds']:6} s {r['executions']:12,} executions {r['edges']:7,} edges {r['found']:3} found", flush=True)
        return r["found"] > 0

    with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
        return any(list(pool.map(fuzz_and_say, names)))


def command_keep(names):
    with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
        for name, inputs in zip(names, pool.map(keep, names)):
            print(f"{name:16} {inputs:6,} inputs")
    return False


def parser_coverage(name):
    corpus = fill(name, coverage_build)
    raw = coverage_build / f"{name}.profraw"
    run(coverage_build / f"fuzz_{name}", "-runs=0", *limits, corpus, env=os.environ | {"LLVM_PROFILE_FILE": str(raw)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    data = raw.with_suffix(".profdata")
    run(tool("llvm-profdata"), "merge", "-sparse", raw, "-o", data, check=True)
    said = run(tool("llvm-cov"), "export", "-summary-only", f"-instr-profile={data}", coverage_build / f"fuzz_{name}",
               *(root / source for source in doors[name]["parser"]), check=True, capture_output=True, text=True).stdout
    lines = json.loads(said)["data"][0]["totals"]["lines"]
    return {"door": name, "lines": lines["count"], "covered": lines["covered"]}


def tool(name):
    version = re.search(r"version (\d+)", run("clang++", "--version", capture_output=True, text=True, check=True).stdout)[1]
    return shutil.which(f"{name}-{version}") or name


def command_coverage(names):
    make(coverage_build, "fuzz-coverage", names)
    provenance = described()
    results = [parser_coverage(name) for name in names]
    add(provenance | result for result in results)
    for r in results:
        print(f"{r['door']:16} {100 * r['covered'] / max(1, r['lines']):5.1f} % of {r['lines']:6,} lines")
    return False


def command_page():
    entries = [json.loads(line) for line in campaigns.read_text().splitlines()]
    minutes = lambda some: f"{sum(e['seconds'] for e in some) / 60:,.0f}"
    version = lambda entry: entry.get("program", entry["commit"])
    rows = []
    for name, door in doors.items():
        mine = [e for e in entries if e["door"] == name]
        campaign, covered = [e for e in mine if "seconds" in e], [e for e in mine if "lines" in e]
        cells = [f"`{name}`", door["reads"], "–", "–", "–", "–", "–"]
        if campaign:
            cells[2:6] = [minutes(campaign), minutes(e for e in campaign if version(e) == version(campaign[-1])), f"{sum(e['executions'] for e in campaign):,}",
                          f"{sum(e['found'] for e in campaign)}"]
        if covered:
            last = covered[-1]
            cells[6] = f"{100 * last['covered'] / max(1, last['lines']):.0f} % of {last['lines']:,}"
        rows.append(f"| {' | '.join(cells)} |")
    sessions = sorted({f"{e['date']}, {e['commit']}, {e['processor']}" for e in entries})
    text = page.read_text()
    for block, lines in {"doors": ["| door | what comes in by it | minutes of a core | of those with its last program | executions | found | lines that its corpus executes |",
                                   "| --- | --- | ---: | ---: | ---: | ---: | ---: |", *rows],
                         "campaigns": [f"- {s}" for s in sessions]}.items():
        text = re.sub(rf"(<!-- {block} -->\n).*?(<!-- end -->)", lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text, flags=re.S)
    page.write_text(text)
    return False


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = arguments.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run")
    one.add_argument("seconds", type=int)
    one.add_argument("doors", nargs="*", metavar="DOOR")
    for command in ("keep", "coverage"):
        commands.add_parser(command).add_argument("doors", nargs="*", metavar="DOOR")
    commands.add_parser("page")
    asked = arguments.parse_args()
    names = getattr(asked, "doors", None) or sorted(doors)
    if unknown := [name for name in names if name not in doors]:
        arguments.error(f"no such door: {', '.join(unknown)}; there are {', '.join(sorted(doors))}")
    if asked.command == "run":
        return command_run(names, asked.seconds)
    return {"keep": command_keep, "coverage": command_coverage}[asked.command](names) if asked.command != "page" else command_page()


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
