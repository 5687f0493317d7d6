#!/usr/bin/env python3
"""What warps wait for, as predicted and as Nsight Compute found it on an H200: makes docs/waits_h200.md again, between its marks.
  scripts/compare_waits.py     predicts every launch of assets/recorded/waits/h200.json, some seconds each; PROGRAM=build/gemmscope"""
import json
import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
record = root / "assets" / "recorded" / "waits" / "h200.json"
page = root / "docs" / "waits_h200.md"

# What the program tells apart and Nsight Compute does not: its samples of tensor_bf16's polls and of WARPGROUP.DEPBAR have these states.
STATES = {"mbarrier": "long_scoreboard", "wgmma": "barrier"}
LARGEST = 3
TIE = 0.1  # of the third largest: who is so near to it may take its place


def predicted_waits(launch):
    """Cycles of warps by reason, of each issued instruction: as Nsight Compute has them. None: the program cannot predict the launch."""
    program = os.environ.get("PROGRAM", str(root / "build" / "gemmscope"))
    command = [program, "predict", launch["kernel"], "--json"]
    for name, value in launch["parameters"].items():
        command += ["-p", f"{name}={value}"]
    for name in "mnk":
        command += [f"-{name}", str(launch[name])]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if not run.stdout:
        sys.stderr.write(run.stderr)
        return None
    told = json.loads(run.stdout)
    return as_sampled(told["reasons"], told["issued_cycles"])


def as_sampled(reasons, issued):
    """Of each issued instruction, by Nsight Compute's states. None: nothing was issued."""
    if not issued:
        return None
    waits = {"selected": 1}
    for one in reasons:
        state = STATES.get(one["reason"], one["reason"])
        waits[state] = waits.get(state, 0) + one["cycles"] / issued
    return waits


def waited(waits):
    """The reasons that cost anything, the largest first, without the cycles that issued."""
    return sorted((reason for reason in waits if reason != "selected" and waits[reason] > 0), key=lambda reason: -waits[reason])


def may_be_largest(waits):
    """The reasons that are, or by a tie may be, among the largest."""
    order = waited(waits)
    if len(order) <= LARGEST:
        return set(order)
    return {reason for reason in order if waits[reason] >= (1 - TIE) * waits[order[LARGEST - 1]]}


def largest(waits):
    return waited(waits)[:LARGEST]


def common(recorded, predicted):
    """How many of the largest reasons are the same: each largest one of the one that may be of the other."""
    return min(len([r for r in largest(recorded) if r in may_be_largest(predicted)]), len([p for p in largest(predicted) if p in may_be_largest(recorded)]))


def agree(recorded, predicted):
    return set(largest(recorded)) <= may_be_largest(predicted) and set(largest(predicted)) <= may_be_largest(recorded)


def row(cells):
    return "| " + " | ".join(cells) + " |"


def setting(launch):
    return " ".join(f"{name}={value}" for name, value in launch["parameters"].items())


def told(waits, order):
    return ", ".join(f"{reason} {waits.get(reason, 0):.2f}" for reason in order)


def summary(pairs):
    alike = [common(launch["waits"], predicted) for launch, predicted in pairs]
    all_three = sum(agree(launch["waits"], predicted) for launch, predicted in pairs)
    first = sum(waited(launch["waits"])[0] in may_be_largest(predicted) for launch, predicted in pairs)
    return (f"The {LARGEST} largest reasons agree in {all_three} of {len(pairs)} launches; two of them or more in {sum(n >= 2 for n in alike)}. "
            f"The recorded largest one is among the predicted {LARGEST} in {first}.")


def launches_table(pairs):
    lines = [row(["kernel", "size", "recorded, the largest first", "predicted", "agree"]), row(["---", "---:", "---", "---", "---"])]
    for launch, predicted in pairs:
        same = "yes" if agree(launch["waits"], predicted) else f"{common(launch['waits'], predicted)} of {LARGEST}"
        lines.append(row([f"`{launch['kernel']}` {setting(launch)}", str(launch["m"]), told(launch["waits"], largest(launch["waits"])),
                          told(predicted, largest(predicted)), same]))
    return lines


def reasons_tables(pairs):
    """Of each launch every reason that costs a hundredth of an issue or more in either."""
    lines = []
    for launch, predicted in pairs:
        lines += [f"### `{launch['kernel']}` {setting(launch)}, {launch['m']}³", "",
                  row(["reason", "recorded", "predicted"]), row(["---", "---:", "---:"])]
        both = {reason: max(launch["waits"].get(reason, 0), predicted.get(reason, 0)) for reason in {*launch["waits"], *predicted}}
        for reason in sorted(both, key=lambda reason: (-both[reason], reason)):
            if both[reason] >= 0.01:
                lines.append(row([reason, f"{launch['waits'].get(reason, 0):.2f}", f"{predicted[reason]:.2f}" if reason in predicted else "–"]))
        lines.append("")
    return lines


def provenance(p):
    return [f"Recorded on {p['device']}: driver {p['driver']}, CUDA {p['cuda']}, {p['tool']}, {p['date']}. Predicted by `scripts/compare_waits.py`."]


def put(text, name, lines):
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.S)
    assert pattern.search(text), f"{page} has no mark {name}"
    return pattern.sub(lambda found: found[1] + "\n".join(lines).rstrip() + "\n" + found[2], text)


def main():
    recorded = json.loads(record.read_text())
    pairs = [(launch, predicted_waits(launch)) for launch in recorded["launches"]]
    missing = [launch["kernel"] for launch, predicted in pairs if predicted is None]
    if missing:
        sys.exit(f"no prediction of {', '.join(missing)}")
    text = page.read_text()
    for name, lines in {"provenance": provenance(recorded["provenance"]), "summary": [summary(pairs)], "launches": launches_table(pairs),
                        "reasons": reasons_tables(pairs)}.items():
        text = put(text, name, lines)
    page.write_text(text)
    print(summary(pairs))


if __name__ == "__main__":
    main()
