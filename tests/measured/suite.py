#!/usr/bin/env python3
# Writes every complete row of the published runs as a plan, prices them all, and prints how far the prices are off, per source.
# SPDX-License-Identifier: Apache-2.0
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # no caches in the tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sources
from sources.common import Incomplete, file_text

def rows_of(truth, source):
    """The rows of a source in the order of the table."""
    with open(os.path.join(truth, "training.csv"), newline="") as table:
        return [r for r in csv.DictReader(table) if r["source"] in source.SOURCES]


def runs_of(truth, source):
    """(complete rows as runs, [(id, what is missing)])."""
    complete, incomplete = [], []
    for row in rows_of(truth, source):
        try:
            complete.append(source.run(row))
        except Incomplete as e:
            incomplete.append((row["id"], str(e)))
    extra = getattr(source, "extra_runs", None)
    return complete + (extra(truth) if extra else []), incomplete


def price(planc, path):
    """The report of one planc process, and what it wrote to stderr."""
    done = subprocess.run([planc, "estimate", path, "--format", "json", "--allow-oom"], capture_output=True, text=True)
    return (json.loads(done.stdout) if done.stdout.strip() else {"plans": [], "diagnostics": []}), done.stderr


def ranks(values):
    """Ranks from 1, ties share their mean."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    out = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            out[order[k]] = (i + j) / 2 + 1
        i = j + 1
    return out


def spearman(a, b):
    """Rank correlation; none below three pairs or without spread."""
    if len(a) < 3 or len(set(a)) < 2 or len(set(b)) < 2:
        return None
    return statistics.correlation(ranks(a), ranks(b))


def summary(pairs):
    """Statistics of (predicted, measured) pairs: n, median, mean, p90, worst and signed mean of the error in percent, Spearman's rho."""
    errors = [100 * (p / m - 1) for p, m in pairs]
    size = sorted(abs(e) for e in errors)
    return {"n": len(size), "median": statistics.median(size), "mean": statistics.fmean(size),
            "p90": size[min(len(size) - 1, int(0.9 * len(size)))], "worst": size[-1], "bias": statistics.fmean(errors),
            "rho": spearman([p for p, _ in pairs], [m for _, m in pairs])}


def table(groups):
    """The statistics as lines of a Markdown table."""
    lines = ["| source | n | median | mean | p90 | worst | bias | rank correlation |", "|---|--:|--:|--:|--:|--:|--:|--:|"]
    for name, pairs in groups.items():
        s = summary(pairs)
        rho = "" if s["rho"] is None else f"{s['rho']:.2f}"
        lines.append(f"| {name} | {s['n']} | {s['median']:.1f} % | {s['mean']:.1f} % | {s['p90']:.1f} % | {s['worst']:.1f} % | {s['bias']:+.1f} % | {rho} |")
    return lines


def left_out(missing):
    """One line per reason for which rows are not priced."""
    by_reason = {}
    for row, reason in missing:
        by_reason.setdefault(reason, []).append(row)
    return [f"* without {reason}: {len(rows)} ({rows[0]}{' to ' + rows[-1] if len(rows) > 1 else ''})" for reason, rows in by_reason.items()]


def renew(page, lines):
    """Puts lines between the markers of a page."""
    with open(page) as f:
        before, _, rest = f.read().partition("<!-- errors -->\n")
    _, _, after = rest.partition("<!-- end -->")
    with open(page, "w") as f:
        f.write(before + "<!-- errors -->\n" + "\n".join(lines) + "\n<!-- end -->" + after)


class Tally:
    """What pricing gave so far: errors by group and by kind of run, and what was not priced."""

    def __init__(self):
        self.groups, self.kinds, self.missing, self.failed = {}, {}, [], []

    def add(self, run, found, show):
        """The measured values of a run's plan as planc predicts them."""
        if len(found) != len(run.measured or (1,)):
            self.failed.append(run.name)
        for m in found:
            pair = m["predicted"], m["measured"]
            self.groups.setdefault(run.group, []).append(pair)
            self.kinds.setdefault(f"all {run.kind} runs", []).append(pair)
            if show:
                print(f"{run.group:28} {run.name:20} {pair[1]:10.4g} {pair[0]:10.4g} {100 * (pair[0] / pair[1] - 1):+7.2f} %")


def price_source(source, arguments, folder, tally):
    """Writes the plans of a source into one file and prices them with one process."""
    name = source.__name__.rpartition(".")[2]
    runs, incomplete = runs_of(arguments.truth, source)
    tally.missing += incomplete
    if not runs:
        tally.failed.append(f"{name}: no complete row")
        return
    path = os.path.join(folder, name + ".plan")
    with open(path, "w") as out:
        out.write(file_text(source.TITLE, runs, getattr(source, "PREAMBLE", "")))
    report, stderr = price(arguments.planc, path)
    priced = {p["name"]: p["measured"] for p in report["plans"]}
    before = len(tally.failed)
    for run in runs:
        tally.add(run, priced.get(run.name, []), arguments.rows)
    if len(tally.failed) > before:
        print(stderr[:3000])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--planc", required=True)
    parser.add_argument("--truth", required=True, help="the folder of training.csv")
    parser.add_argument("--only", action="append", help="sources, by the name of their module")
    parser.add_argument("--rows", action="store_true", help="print every row")
    parser.add_argument("--write", help="renew the table between the markers of this page")
    parser.add_argument("--keep", help="leave the generated plans in this folder")
    a = parser.parse_args()
    if not os.path.exists(os.path.join(a.truth, "training.csv")):
        print(f"skipped: no training.csv in {a.truth}")
        return 77
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="measured-") as scratch:
        if a.keep:
            os.makedirs(a.keep, exist_ok=True)
        for source in sources.ALL:
            if not a.only or source.__name__.rpartition(".")[2] in a.only:
                price_source(source, a, a.keep or scratch, tally)
    lines = table({**tally.groups, **tally.kinds}) + [""] + left_out(tally.missing)
    print("\n".join(lines))
    for name in tally.failed:
        print(f"not priced: {name}")
    if a.write and not tally.failed:
        renew(a.write, lines)
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
