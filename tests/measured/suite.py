#!/usr/bin/env python3
# Writes every complete row of the published runs as a plan, prices them all, and prints how far the prices are off, per source.
# SPDX-License-Identifier: Apache-2.0
import argparse
import os
import sys
import tempfile

sys.dont_write_bytecode = True  # no caches in the tree
import leave_one_out
import page
import recorded
import runs
import targets
from errors import percent, table
from pricing import price


def left_out(missing):
    """One line per reason for which rows are not priced."""
    by_reason = {}
    for row, reason in missing:
        by_reason.setdefault(reason, []).append(row)
    return [f"* without {reason}: {len(rows)} ({rows[0]}{' to ' + rows[-1] if len(rows) > 1 else ''})" for reason, rows in by_reason.items()]


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
                print(f"{run.group:28} {run.name:20} {pair[1]:10.4g} {pair[0]:10.4g} {percent(*pair):+7.2f} %")

    def all(self):
        return {**self.groups, **self.kinds}


def price_source(source, arguments, folder, tally):
    """Writes the plans of a source into one file and prices them with one process."""
    complete, incomplete = runs.runs_of(arguments.truth, source)
    tally.missing += incomplete
    if not complete:
        tally.failed.append(f"{runs.name_of(source)}: no complete row")
        return
    report, stderr = price(arguments.planc, runs.write_plans(source, complete, folder))
    priced = {p["name"]: p["measured"] for p in report["plans"]}
    before = len(tally.failed)
    for run in complete:
        tally.add(run, priced.get(run.name, []), arguments.rows)
    if len(tally.failed) > before:
        print(stderr[:3000])


def parse():
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser)
    parser.add_argument("--only", action="append", help="sources, by the name of their module")
    parser.add_argument("--rows", action="store_true", help="print every row")
    parser.add_argument("--check", action="store_true", help="fail if a source is worse than recorded by more than one point, or has fewer runs")
    parser.add_argument("--record", action="store_true", help="accept these errors: write the recorded table")
    parser.add_argument("--recorded", help="the recorded table, if not the one that belongs to the runs")
    parser.add_argument("--write", help="renew the table between the markers of this page")
    parser.add_argument("--keep", help="leave the generated plans in this folder")
    a = parser.parse_args()
    if a.only and (a.record or a.write):
        parser.error("a table of some sources is neither recorded nor written")
    return a


def main():
    a = parse()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="measured-") as scratch:
        if a.keep:
            os.makedirs(a.keep, exist_ok=True)
        for source in runs.selected(a.only):
            price_source(source, a, a.keep or scratch, tally)
    full = a.truth != runs.SUBSET and not a.only
    lines = table(tally.all(), [("mean, left out", {s["line"]: f"{s['left_out']:.1f} %" for s in leave_one_out.recorded()})] if full else []) + [""] + left_out(tally.missing)
    print("\n".join(lines + ([""] + targets.table(tally.all(), a.planc, a.truth) if full else [])))
    for name in tally.failed:
        print(f"not priced: {name}")
    accepted = recorded.path_of(a.truth, a.recorded)
    worse = recorded.compare(accepted, tally.all() if not a.only else tally.groups, partial=bool(a.only)) if a.check else []
    print("".join(f"WORSE: {line}\n" for line in worse), end="")
    if tally.failed or worse:
        return 1
    if a.record:
        recorded.write(accepted, tally.all())
    if a.write:
        page.renew(a.write, "errors", lines)
        page.renew(a.write, "targets", targets.table(tally.all(), a.planc, a.truth))
        page.renew(a.write, "left out", leave_one_out.section(leave_one_out.recorded()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
