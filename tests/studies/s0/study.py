#!/usr/bin/env python3
# Prices the ten runs of arXiv 2509.22832 and prints them beside the measured step, the paper's own prediction, and the parts that it
# printed. `--write PAGE` puts the tables into a page; `--check PAGE` holds the page and the bars against today's numbers; `--samples DIR`
# calibrates the libraries from the paper's raw samples first and holds the same bars with those. Exits with 77 where that folder is absent.
# SPDX-License-Identifier: Apache-2.0
import argparse
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
BEGIN, END = "<!-- table: tests/studies/s0/study.py -->", "<!-- end of table -->"
CLUSTERS = {"P": "Perlmutter", "V": "Vista"}
BARS = {"P": 4.98, "V": 9.38}  # % mean absolute error: what the paper reports of itself
SKIPPED = 77                   # what ctest takes for a test that did not run
TOLERANCE = 0.02               # of the page's numbers: what rounding leaves


class Run:
    """One plan beside its row of runs.csv. Parts are those of a micro-batch or a step, in seconds."""

    def __init__(self, plan, row):
        self.row, self.cluster = row, row["config"][-1]
        self.step, self.measured = plan["totals"]["step_time_s"], float(row["measured_s"])
        self.error = self.step / self.measured - 1
        self.paper = float(row["paper_s"]) / self.measured - 1
        layers = [r for r in plan["layers"] if r["path"].startswith("decoder.")]
        counts = {r["stage"]: r["count"] for r in layers}
        busiest = max(counts, key=counts.get)
        here = [r for r in layers if r["stage"] == busiest]

        def collectives(**wanted):
            return [c for c in plan["collectives"] if all(c[k] == v for k, v in wanted.items())]

        def once(**wanted):
            return max((c["time_s"] for c in collectives(**wanted)), default=0)

        def summed(stage, **wanted):
            return sum(c["count"] * c["time_s"] for c in collectives(stage=stage, **wanted))

        gathers = max(summed(s, **{"class": "state"}) for s in counts)
        self.parts = {
            "forward": sum(r["forward_s"] for r in here),
            "backward": sum(r["backward_s"] + r["recompute_s"] for r in here),
            "tensor": once(op="all_reduce", **{"class": "activation"}),
            "send": once(op="send_recv"),
            "gradients": summed(0, **{"class": "gradient"}),
            "update": gathers + plan["totals"]["optimizer_s"],
        }
        self.theirs = {k: float(row["paper_" + k + "_us"]) * 1e-6 for k in self.parts}


TITLES = {
    "forward": "layer, forward", "backward": "layer, backward", "tensor": "TP all-reduce", "send": "send", "gradients": "DP all-reduce",
    "update": "update",
}


def price(planc, plans):
    run = subprocess.run([planc, "estimate", str(plans), "--format", "json", "--allow-oom", "--no-fixes"], capture_output=True, text=True)
    report = json.loads(run.stdout) if run.stdout else {"plans": [], "diagnostics": []}
    errors = [f"{d['code']}: {d['message']} ({d['file']}:{d['line']})" for d in report["diagnostics"] if d["severity"] == "error"]
    if not report["plans"]:
        errors.append(run.stderr.strip() or "nothing was priced")
    rows = {re.sub("[ -]", "_", r["config"].lower()): r for r in csv.DictReader(open(FOLDER / "runs.csv"))}
    return [Run(p, rows[p["name"]]) for p in report["plans"]], errors


def mean(runs, cluster, of=lambda r: r.error):
    errors = [abs(of(r)) for r in runs if r.cluster == cluster]
    return 100 * sum(errors) / len(errors) if errors else float("inf")


def milliseconds(seconds):
    return f"{seconds * 1e3:.3g}" if seconds < 1 else f"{seconds * 1e3:.0f}"


def tables(runs):
    lines = ["| run (PP-TP-DP) | measured | planc | error | paper's prediction |", "|---|--:|--:|--:|--:|"]
    for c, name in CLUSTERS.items():
        for r in (r for r in runs if r.cluster == c):
            lines.append(f"| {r.row['config']} | {r.measured:.2f} s | {r.step:.2f} s | {100 * r.error:+.1f} % | {100 * r.paper:+.1f} % |")
        lines.append(f"| **{name}**, mean of absolute errors | | | **{mean(runs, c):.1f} %** | {mean(runs, c, lambda r: r.paper):.1f} % |")
    lines += ["", "**Parts, milliseconds: planc / the paper's prediction**", ""]
    lines += ["| run | " + " | ".join(TITLES.values()) + " |", "|---" + "|--:" * len(TITLES) + "|"]
    for r in runs:
        lines.append(f"| {r.row['config']} | " + " | ".join(f"{milliseconds(r.parts[k])} / {milliseconds(r.theirs[k])}" for k in TITLES) + " |")
    return lines


def over_bars(runs, which):
    problems = [] if len(runs) == 10 else [f"{which}: {len(runs)} of 10 runs were priced"]
    for c, bar in BARS.items():
        if mean(runs, c) > bar:
            problems.append(f"{which}: {CLUSTERS[c]} is missed by {mean(runs, c):.2f} %, more than {bar} %")
    return problems


def calibrated(planc, samples):
    """The runs with libraries made of the raw samples alone, and what went wrong."""
    source = samples / "src" / "estimate_train_time" / "data" / "regressors"
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "s0"
        shutil.copytree(FOLDER, copy)
        for cluster in CLUSTERS.values():
            out = copy / "calibrated" / f"{cluster.lower()}.plan"
            run = subprocess.run([planc, "calibrate", "--stack", "neox.neox", "-o", str(out), str(source / cluster)], capture_output=True, text=True)
            if run.returncode:
                return [], [f"calibrate {cluster}: {run.stderr.strip()[-500:]}"]
        return price(planc, copy / "runs.plan")


def numbers(line):
    return [float(n) for n in re.findall(r"(?<![\w.])[+-]?\d+(?:\.\d+)?", line)]


def differs(old, new):
    """Lines whose words or numbers changed by more than rounding."""
    if len(old) != len(new):
        return [f"{len(old)} lines became {len(new)}"]
    changed = []
    for a, b in zip(old, new):
        x, y = numbers(a), numbers(b)
        same = len(x) == len(y) and all(abs(p - q) <= TOLERANCE * max(abs(p), abs(q), 10) for p, q in zip(x, y))
        if not same or re.sub(r"[+-]?\d+(?:\.\d+)?", "#", a) != re.sub(r"[+-]?\d+(?:\.\d+)?", "#", b):
            changed.append(f"{a}\n  is now\n{b}")
    return changed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("planc")
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--check", type=pathlib.Path)
    parser.add_argument("--samples", type=pathlib.Path)
    args = parser.parse_args()
    if args.samples and not args.samples.is_dir():
        print(f"skipped: {args.samples} is not there")
        return SKIPPED
    runs, problems = price(args.planc, FOLDER / "runs.plan")
    lines = tables(runs) if runs else []
    print("\n".join(lines))
    problems += over_bars(runs, "library of the study")
    page = args.write or args.check
    if page and not problems:
        text = page.read_text()
        head, rest = text.split(BEGIN)
        old, tail = rest.split(END)
        if args.write:
            page.write_text(head + BEGIN + "\n\n" + "\n".join(lines) + "\n\n" + END + tail)
        else:
            problems += differs(old.strip().splitlines(), lines)
    if args.samples:
        fresh, errors = calibrated(args.planc, args.samples)
        problems += errors or over_bars(fresh, "calibrated now")
        if fresh and not errors:
            print("\ncalibrated now: " + ", ".join(f"{CLUSTERS[c]} {mean(fresh, c):.2f} %" for c in CLUSTERS))
    for p in problems:
        print(p, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
