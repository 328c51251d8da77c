#!/usr/bin/env python3
# How far planc would be off on a source that it never saw: every constant that was fitted on whole runs is fitted anew without the source.
# SPDX-License-Identifier: Apache-2.0
"""For every source: the constants of fitted.py start from their priors and are fitted on the runs of all other sources by coordinate search: each
constant in turn takes the value of its grid with the least error, until none moves. The error is the mean absolute logarithm of predicted over
measured, cut at CUT so that odd rows count no more than that, and averaged over the lines of the table of errors so that a long table counts no more
than a short one; a step away from the prior must gain GAIN, so what the runs cannot tell stays neutral. A constant that no other source can tell takes
the value of the nearest one, else its prior. The search draws no random numbers.

Times during the search come from a table: how the logarithm of each predicted time moves with each value of each constant, around the values that
fit all runs. Only times are read from it, never how far a run is off; what is reported is priced by planc with the fitted constants."""
import argparse
import csv
import fnmatch
import math
import os
import statistics
import sys

sys.dont_write_bytecode = True  # no caches in the tree
import runs
from bench import Bench, pairs
from errors import summary
from fitted import CONSTANTS
from library import Library

CUT = 0.25
GAIN = 2e-4  # of the error, per step of the grid away from the prior
ROUNDS = 10
WANTED = {"dense": {"dense"}, "moe": {"moe", "layer"}}  # the kinds of runs on which constants of a kind are fitted
RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "left_out.csv")


class Effects:
    """What each value of each constant does to the logarithm of each predicted time, around some values of all of them."""

    def __init__(self, bench, center):
        self.bench, self.library, self.center = bench, Library(), center
        self.base = self.times(list(bench.runs), {})
        self.rows = {s: [(run.group, run.kind, [math.log(m) for _, _, m in pairs(self.base[s][run.name])]) for run in bench.runs[s]] for s in bench.runs}
        self.moves = {}  # {constant: {value: {source: [one change per run and metric]}}}
        for c in CONSTANTS:
            sources = [s for s in bench.runs if self.kinds(c, s)]
            self.moves[c.name] = {v: self._changes(c.name, v, sources) for v in c.grid}

    def kinds(self, c, source):
        """The kinds of a source's runs that a constant can change."""
        uses = self.bench.uses[source]
        return {run.kind for run in self.bench.runs[source] if any(fnmatch.fnmatch(d, p) for p in c.declarations() for d in uses[run.name])}

    def times(self, sources, values):
        """{source: {plan: report}} with the center's values, but for some."""
        changed = self.library.copy()
        for c in CONSTANTS:
            c.apply(changed, values.get(c.name, self.center[c.name]))
        return self.bench.reports(changed, sources)

    def _logs(self, plans, source):
        return [[math.log(p) for _, p, _ in pairs(plans[source][run.name])] for run in self.bench.runs[source]]

    def _changes(self, name, value, sources):
        if value == self.center[name]:
            return {}
        priced = self.times(sources, {name: value})
        return {s: [[a - b for a, b in zip(new, old)] for new, old in zip(self._logs(priced, s), self._logs(self.base, s))] for s in sources}


class Search:
    """Values of the constants from the runs of all sources but one."""

    def __init__(self, effects, left_out=None):
        self.effects, self.left_out = effects, left_out
        self.values = {c.name: c.prior for c in CONSTANTS}
        self.sources = {c.name: [s for s in effects.bench.runs if s != left_out and effects.kinds(c, s) & WANTED[c.kind]] for c in CONSTANTS}
        base = effects.base
        self.off = {s: [[math.log(p / m) for _, p, m in pairs(base[s][run.name])] for run in effects.bench.runs[s]] for s in base if s != left_out}
        for name, value in self.values.items():
            self._shift(name, value, 1)
        for _ in range(ROUNDS):
            if not any([self._improve(c) for c in CONSTANTS if self.sources[c.name]]):
                break
        self.blind = [c.name for c in CONSTANTS if not self.sources[c.name]]
        for name in self.blind:
            nearest = next(c.nearest for c in CONSTANTS if c.name == name)
            self.values[name] = self.values[nearest] if nearest else self.values[name]

    def _shift(self, name, value, sign):
        for s, changes in self.effects.moves[name].get(value, {}).items():
            if s != self.left_out:
                for off, change in zip(self.off[s], changes):
                    for i, d in enumerate(change):
                        off[i] += sign * d

    def _error(self, name, kind):
        lines = {}
        for s in self.sources[name]:
            for (line, of, _), off in zip(self.effects.rows[s], self.off[s]):
                if of in WANTED[kind]:
                    lines.setdefault(line, []).extend(min(CUT, abs(e)) for e in off)
        return statistics.fmean(map(statistics.fmean, lines.values()))

    def _improve(self, c):
        """Moves a constant to its best value; whether it moved."""
        grid, now, cost = sorted({*c.grid, c.prior}), self.values[c.name], {}
        for value in grid:
            self._shift(c.name, self.values[c.name], -1)
            self._shift(c.name, value, 1)
            self.values[c.name] = value
            cost[value] = self._error(c.name, c.kind) + GAIN * abs(grid.index(value) - grid.index(c.prior))
        best = min(grid, key=lambda v: (cost[v], v != now))
        self._shift(c.name, self.values[c.name], -1)
        self._shift(c.name, best, 1)
        self.values[c.name] = best
        return best != now


def family(stack):
    """Stacks that share their fitted constants: megatron_2021 and megatron_2022, te and te_ub, llm_foundry and llm_foundry_h100."""
    name = stack.removeprefix("stacks.")
    return name if name.startswith("te_26") else name.removesuffix("_h100").partition("_20")[0].removesuffix("_ds").removesuffix("_ub").removesuffix("_eager").removesuffix("_async_tp")


def machines(bench, source):
    """{run: (family of the stack, generation of the device)}; a power limit makes a generation of its own."""
    def generation(device):
        name = device.removeprefix("devices.")
        return name.partition("_")[0] + ("_500w" if name.endswith("_500w") else "")
    return {run: (family(stack), generation(device)) for run, (stack, device) in bench.uses[source].items()}


def residuals(bench, source, shipped, refitted, without):
    """One row per measured value of a source: predicted by the shipped library, by constants fitted on all runs, and on all runs but the source's."""
    others = {m for s in bench.runs if s != source for m in machines(bench, s).values()}
    mine = machines(bench, source)
    for run in bench.runs[source]:
        stack, device = bench.uses[source][run.name]
        totals = without[run.name]["totals"]
        for (metric, now, measured), (_, fitted, _), (_, held, _) in zip(*(pairs(plans[run.name]) for plans in (shipped, refitted, without))):
            whole = metric == "step_time"
            yield {"source": source, "line": run.group, "kind": run.kind, "run": run.name, "stack": stack.removeprefix("stacks."),
                   "device": device.removeprefix("devices."), "known": int(mine[run.name] in others), "metric": metric, "measured": measured, "shipped": now,
                   "refitted": fitted, "left_out": held, "low": totals["step_time_low_s"] if whole else "", "high": totals["step_time_high_s"] if whole else ""}


def lines_of(rows, pooled=False):
    """Per line of the table of errors: how many values, the mean errors, the left-out bias, how many are of a known machine; with `pooled`, the lines
    of all runs of a kind, and of dense runs on known and on new machines."""
    groups = {}
    for name in [lambda row: row["line"]] + ([lambda row: f"all {row['kind']} runs"] if pooled else []):
        for row in rows:
            groups.setdefault(name(row), []).append(row)
    dense = [row for row in rows if row["kind"] == "dense"]
    if pooled:
        groups["dense runs on a known machine"] = [row for row in dense if row["known"]]
        groups["dense runs on a new machine"] = [row for row in dense if not row["known"]]
    for line, found in groups.items():
        now, fitted, held = (summary([(r[k], r["measured"]) for r in found]) for k in ("shipped", "refitted", "left_out"))
        yield {"line": line, "source": " ".join(dict.fromkeys(r["source"] for r in found)), "n": len(found), "shipped": now["mean"], "refitted": fitted["mean"], "left_out": held["mean"],
               "median": held["median"], "bias": held["bias"], "known": sum(r["known"] for r in found)}


def fitted_on_all(bench):
    """The effects around the values that fit all runs: first around the priors, then around what these gave."""
    first = Effects(bench, {c.name: c.prior for c in CONSTANTS})
    return Effects(bench, Search(first).values)


def report(bench, only, verbose):
    """[rows of residuals] of the sources, printed as they come."""
    shipped = bench.reports(Library(), list(bench.runs))
    effects = fitted_on_all(bench)
    everything = Search(effects)
    refitted = effects.times(list(bench.runs), everything.values)
    rows = []
    for source in only:
        search = Search(effects, source)
        without = effects.times([source], search.values)[source]
        found = list(residuals(bench, source, shipped[source], refitted[source], without))
        rows += found
        for s in lines_of(found):
            known = "known machine" if s["known"] == s["n"] else "new machine" if not s["known"] else f"{s['known']} on a known machine"
            print(f"{source:14} {s['line']:28} n {s['n']:3}  shipped {s['shipped']:5.1f} %  refitted {s['refitted']:5.1f} %  left out {s['left_out']:5.1f} %  "
                  f"bias {s['bias']:+5.1f} %  {known}", flush=True)
        mine = {c.name: c for c in CONSTANTS if effects.kinds(c, source)}
        if told := [name for name in search.blind if name in mine]:
            print("               no other source tells: " + "; ".join(f"{n} = {search.values[n]:g} ({mine[n].nearest or 'prior'})" for n in told))
        if verbose:
            print("               " + "; ".join(f"{n} = {search.values[n]:g}/{everything.values[n]:g}" for n in mine))
    return rows


def recorded():
    """The rows of left_out.csv, numbers as numbers."""
    with open(RECORDED, newline="") as f:
        return [{k: v if k in ("line", "source") else float(v) for k, v in row.items()} for row in csv.DictReader(f)]


def section(lines):
    """Lines of left_out.csv as a Markdown table."""
    out = ["| source | n | shipped | fitted on all | left out | bias, left out | on a known machine |", "|---|--:|--:|--:|--:|--:|--:|"]
    for s in lines:
        known = "all" if s["known"] == s["n"] else "none" if not s["known"] else f"{s['known']:.0f}"
        out.append(f"| {s['line']} | {s['n']:.0f} | {s['shipped']:.1f} % | {s['refitted']:.1f} % | {s['left_out']:.1f} % | {s['bias']:+.1f} % | {known} |")
    return out


def write_csv(path, rows):
    with open(path, "w", newline="") as f:
        out = csv.DictWriter(f, list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows([{k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows])


def main():
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser)
    parser.add_argument("--only", action="append", help="leave out these sources only; all others stay in the fit")
    parser.add_argument("--constants", action="store_true", help="print the constants of every source: fitted without it / on all runs")
    parser.add_argument("--residuals", help="write one line per run to this file")
    parser.add_argument("--record", action="store_true", help="accept the errors: write left_out.csv")
    a = parser.parse_args()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    bench = Bench(a.planc, a.truth)
    rows = report(bench, a.only or list(bench.runs), a.constants)
    if a.residuals:
        write_csv(a.residuals, rows)
    if a.record:
        write_csv(RECORDED, list(lines_of(rows, pooled=True)))
        print("\n".join(section(recorded())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
