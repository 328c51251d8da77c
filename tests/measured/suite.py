#!/usr/bin/env python3
# Writes every complete row of the published runs as a plan, prices them all, and prints how far the prices are off, per source.
# SPDX-License-Identifier: Apache-2.0
import argparse
import os
import sys
import tempfile

sys.dont_write_bytecode = True  # no caches in the tree
import fit
import left_out
import library
import page
import recorded
import runs
import second
import targets
from errors import percent, table
from pricing import idle, price


class Tally:
    """What pricing gave so far: errors by group and by kind of run, whether a step lies in its interval and its memory fits, and what was not priced."""

    def __init__(self):
        self.groups, self.kinds, self.kind_of, self.verdicts, self.failed = {}, {}, {}, {}, []
        self.of_kind = {}  # verdicts by kind; a source can have runs of several
        self.peaks = {}  # printed peaks of memory, by group
        self.of_run = {}  # {run: [((predicted, measured), (inside, fits))]}
        self.idle = []  # statements without effect
        self.found = {}  # {(source, table): (runs, [(row, what it lacks)])}

    def add(self, run, plan, show):
        """The measured values of a run's plan as planc predicts them."""
        found = plan["measured"] if plan else []
        if len(found) != len(run.measured or (1,)) + bool(run.memory):
            self.failed.append(run.name)
        found = [m for m in found if not self.is_peak(run, m)]
        kind = f"all {run.kind} runs" + runs.mark_of(run.group)
        for m in found:
            pair = m["predicted"], m["measured"]
            self.groups.setdefault(run.group, []).append(pair)
            self.kinds.setdefault(kind, []).append(pair)
            self.kind_of[run.group] = kind
            inside = m["metric"] == "step_time" and plan["totals"]["step_time_low_s"] <= pair[1] <= plan["totals"]["step_time_high_s"]
            self.verdicts.setdefault(run.group, []).append((inside, plan["memory"]["fits"]))
            self.of_kind.setdefault(kind, []).append(self.verdicts[run.group][-1])
            self.of_run.setdefault(run.name, []).append((pair, self.verdicts[run.group][-1]))
            if show:
                peak = f"{100 * plan['memory']['peak_bytes'] / plan['memory']['capacity_bytes']:6.0f} % of memory"
                print(f"{run.group:28} {run.name:20} {pair[1]:10.4g} {pair[0]:10.4g} {percent(*pair):+7.2f} % {'inside ' if inside else 'outside'} {peak}")

    def is_peak(self, run, m):
        """Whether a measured value is the peak of memory that a run printed; it is counted beside the steps."""
        if not run.memory or m["metric"] != run.counter:
            return False
        mark = runs.mark_of(run.group)
        self.peaks.setdefault(run.group.removesuffix(mark) + ", memory" + mark, []).append((m["predicted"], m["measured"]))
        return True

    def all(self):
        """Lines of the first table of runs, then those of each later table."""
        marks = ["", *runs.MARKS.values()]
        lines = {**self.groups, **self.peaks, **self.kinds}
        return dict(sorted(lines.items(), key=lambda line: marks.index(runs.mark_of(line[0]))))

    def missing(self, table):
        """[(row, what it lacks)] of a table."""
        return [row for (_, of), (_, incomplete) in self.found.items() if of == table for row in incomplete]


def price_source(source, arguments, folder, tally):
    """Writes the plans of a source into one file and prices them with one process."""
    complete = []
    for table_of_runs in runs.TABLES:
        found = tally.found[runs.name_of(source), table_of_runs] = runs.runs_of(arguments.truth, source, (table_of_runs,))
        complete += found[0]
    if not complete:
        if arguments.truth != runs.SUBSET and not runs.unread(arguments.truth):
            tally.failed.append(f"{runs.name_of(source)}: no complete row")
        return
    edit = library.imports if arguments.stdlib else lambda text: text
    report, stderr = price(arguments.planc, runs.write_plans(source, complete, folder, edit))
    priced = {p["name"]: p for p in report["plans"]}
    before = len(tally.failed)
    for run in complete:
        tally.add(run, priced.get(run.name), arguments.rows)
    tally.idle += [f"{runs.name_of(source)}: {line}" for line in idle(report)]
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
    parser.add_argument("--write", help="renew its tables in the pages of this folder")
    parser.add_argument("--stdlib", action="store_true", help="price with the devices, fabrics, stacks and clusters of this checkout, not those inside planc")
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
        if a.stdlib:
            library.Library().write(a.keep or scratch)
        for source in runs.selected(a.only):
            price_source(source, a, a.keep or scratch, tally)
    full = a.truth != runs.SUBSET and not a.only
    first = {name: pairs for name, pairs in tally.all().items() if not runs.mark_of(name)}
    lines = table(first, [("mean, left out", {line: f"{mean:.1f} %" for line, mean in left_out.mean(left_out.read()).items()})] if full else [])
    lines += [""] + second.without(tally.missing(runs.FIRST))
    later = {name: second.section(tally, runs.selected(a.only), name) for name in runs.MARKS}
    print("\n".join(lines + [line for section in later.values() for line in [""] + section] + ([""] + targets.table(first, a.planc, a.truth) if full else [])))
    for name in tally.failed:
        print(f"not priced: {name}")
    for line in tally.idle:
        print(f"without effect: {line}")
    accepted = recorded.path_of(a.truth, a.recorded)
    worse = recorded.compare(accepted, tally.all() if not a.only else {**tally.groups, **tally.peaks}, bool(a.only), runs.unread(a.truth)) if a.check else []
    print("".join(f"WORSE: {line}\n" for line in worse), end="")
    if tally.failed or tally.idle or worse:
        return 1
    if a.record:
        recorded.write(accepted, tally.all())
    if a.write:
        page.renew(a.write, "errors", lines)
        for name, part in second.PARTS.items():
            page.renew(a.write, part, later[name])
        page.renew(a.write, "targets", targets.table(first, a.planc, a.truth))
        page.renew(a.write, "left out", left_out.section(left_out.read()))
        page.renew(a.write, "left out kinds", left_out.kinds(left_out.read()))
        page.renew(a.write, "constants", fit.section(fit.told()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
