#!/usr/bin/env python3
"""Predicts the launches of public kernels that assets/recorded/public/h200.jsonl holds as an H200 measured them, and makes the table of
docs/predictions_public.md again:
  scripts/predict_public.py SOURCES        PROGRAM=build/gemmscope; a few minutes
SOURCES holds clones of their repositories as OWNER+NAME or NAME, each at the commit that its address names."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
program = os.environ.get("PROGRAM", str(root / "build" / "gemmscope"))
page = root / "docs" / "predictions_public.md"


def source(sources, url):
    owner, name, path = re.fullmatch(r"https://github.com/([^/]+)/([^/]+)/blob/[0-9a-f]+/(.*)", url).groups()
    for folder in (f"{owner}+{name}", name):
        if (sources / folder / path).exists():
            return sources / folder / path
    sys.exit(f"{sources} has neither {owner}+{name}/{path} nor {name}/{path}")


def predict(sources, launch):
    command = [program, "predict", source(sources, launch["url"]), "--entry", launch["entry"], "--grid", launch["grid"], "--block", launch["block"],
               "--dynamic-shared", launch["dynamic_shared"], "--json"]
    for argument in launch["args"]:
        command += ["--arg", argument]
    for symbol in launch["symbols"]:
        command += ["--symbol", symbol]
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{launch['name']}: {run.stderr.strip()}")
    return json.loads(run.stdout)["ms"] * 1e3


def quantile(values, share):
    return sorted(values)[int(share * (len(values) - 1) + 0.5)]


def summary(errors):
    return f"{quantile(errors, 0.5):.1%}, {quantile(errors, 0.9):.1%}, {max(errors):.1%}".replace("%", " %")


def put(text, name, body):
    return re.sub(f"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m: m[1] + body + m[2], text, flags=re.S)


def main():
    sources = pathlib.Path(sys.argv[1])
    _, *launches = map(json.loads, (root / "assets" / "recorded" / "public" / "h200.jsonl").read_text().splitlines())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        predicted = list(pool.map(lambda launch: predict(sources, launch), launches))
    errors = [us / launch["us"] - 1 for us, launch in zip(predicted, launches)]
    sizes = [abs(e) for e in errors]
    products = [size for size, launch in zip(sizes, launches) if launch["product"]]
    rows = "".join(f"| [{l['name']}]({l['url']}) | {l['size']} | {l['us']:.1f} | {us:.1f} | {100 * e:+.1f} % |\n" for l, us, e in zip(launches, predicted, errors))
    text = page.read_text()
    text = put(text, "summary", f"Median, 90th percentile and worst error of all {len(sizes)} launches: {summary(sizes)}; of the {len(products)} products of matrices: {summary(products)}.\n")
    text = put(text, "launches", "| kernel | size | measured, us | predicted, us | error |\n| --- | ---: | ---: | ---: | ---: |\n" + rows)
    page.write_text(text)
    print(f"{page}: {summary(sizes)}")


if __name__ == "__main__":
    main()
