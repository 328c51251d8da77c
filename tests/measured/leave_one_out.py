#!/usr/bin/env python3
# How far planc would be off on a source that it never saw: every constant that was fitted on whole runs is fitted anew without the source.
# SPDX-License-Identifier: Apache-2.0
"""For every source: the constants of fitted.py are fitted on the runs of all other sources by coordinate search: each
constant in turn takes the value of its grid with the least error, then each two of them at once, until none moves; from the priors and from the middles
of the grids, in the constants' order and in its reverse, of which the fit with less error counts. The error is the mean absolute logarithm of predicted over
measured, cut at CUT so that odd rows count no more than that, and averaged over the lines of the table of errors so that a long table counts no more
than a short one; a step away from the prior must gain GAIN, so what the runs cannot tell stays neutral. A constant that no other source can tell takes
the value of the nearest one, else its prior. The search draws no random numbers.

Times during the search come from a table: how the logarithm of each predicted time moves when one constant takes another value. The moves add up, which
holds near the constants that the table was made with; so a first table is made with the shipped constants, and a second one with those that it led to on
all runs. What is reported is priced by planc with all fitted constants at once."""
import argparse
import csv
import fnmatch
import itertools
import math
import os
import statistics
import sys

sys.dont_write_bytecode = True  # no caches in the tree
import recorded as errors_recorded
import runs
from bench import Bench, pairs
from errors import summary
from fitted import CONSTANTS
from library import Library

CUT = 0.25
GAIN = 2e-3  # of the summed errors, per step of the grid away from the prior
LEAST = 1e-6  # what counts as less
ROUNDS = 10
STARTS = (lambda c: c.prior, lambda c: c.values()[len(c.values()) // 2])
WANTED = {"dense": {"dense"}, "moe": {"moe", "layer"}}  # the kinds of runs on which constants of a kind are fitted
RATIOS = ("shipped", "refitted", "left_out", "low", "high")
MOVED, PART = 2.0, 0.2  # points and part by which the shipped error of a line may move before what was left out must be searched anew
TARGET = 8.0  # percent: a source on a known machine, left out
RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "left_out.csv")
ROWS = RECORDED.replace(".csv", "_rows.csv")


class Effects:
    """What each value of each constant does to the logarithm of each predicted time, against the library with some `base` values of them."""

    def __init__(self, bench, base=None, constants=CONSTANTS):
        self.bench, self.constants, self.library = bench, constants, Library()
        for c in constants:
            if c.name in (base or {}):
                c.apply(self.library, base[c.name])
        self.priced = bench.reports(self.library, list(bench.runs))
        self.kinds = {c.name: {s: kinds for s in bench.runs if (kinds := self._kinds(c, s))} for c in constants}
        self.moves = {c.name: {v: self._moves(c.name, v) for v in c.values()} for c in constants}  # {constant: {value: {source: [one per run: one per metric]}}}

    def _kinds(self, c, source):
        """The kinds of a source's runs that a constant can change."""
        uses = self.bench.uses[source]
        return {run.kind for run in self.bench.runs[source] if any(fnmatch.fnmatch(d, p) for p in c.declarations() for d in uses[run.name])}

    def times(self, sources, values):
        """{source: {plan: report}} with some values in place of those of the base."""
        changed = self.library.copy()
        for c in self.constants:
            if c.name in values:
                c.apply(changed, values[c.name])
        return self.bench.reports(changed, sources)

    def logs(self, plans, source):
        return [[math.log(p) for _, p, _ in pairs(plans[source][run.name])] for run in self.bench.runs[source]]

    def _moves(self, name, value):
        sources = list(self.kinds[name])
        priced = self.times(sources, {name: value})
        return {s: [[a - b for a, b in zip(new, old)] for new, old in zip(self.logs(priced, s), self.logs(self.priced, s))] for s in sources}


class Search:
    """Values of the constants from the runs of all sources but one, in one order of the constants, from one start."""

    def __init__(self, effects, left_out, constants, start):
        self.constants = constants
        self.values = {c.name: c.prior for c in self.constants}
        self.off, self.lines = [], []  # of each measured value: how far its prediction is off; which line of which kinds' error it counts in
        priced, at = effects.priced, {}
        for source, found in effects.bench.runs.items():
            if source != left_out:
                at[source] = len(self.off)
                for run in found:
                    for _, predicted, measured in pairs(priced[source][run.name]):
                        self.off.append(math.log(predicted / measured))
                        self.lines.append((run.group, run.kind))
        size = {line: self.lines.count(line) for line in set(self.lines)}
        self.weight = [1 / size[line] for line in self.lines]
        self.moves = {name: {v: self._flat(of, at) for v, of in values.items()} for name, values in effects.moves.items()}
        self.told = {c.name: self._told(c) for c in self.constants}
        self.values.update({c.name: start(c) for c in self.constants if self.told[c.name]})
        for name, value in self.values.items():
            self._shift(name, value, 1)
        free = [c for c in self.constants if self.told[c.name]]
        for _ in range(ROUNDS):
            while any([self._improve(c) for c in free]):
                pass
            if not any([self._improve_two(one, two) for one, two in itertools.combinations(free, 2) if self._meet(one, two)]):
                break
        self.blind = [c.name for c in self.constants if not self.told[c.name]]
        self.cost = self._error(range(len(self.off))) + sum(self._away(c, self.values[c.name]) for c in self.constants)
        for name in (c.name for c in effects.constants if c.name in self.blind):
            nearest = next(c.nearest for c in self.constants if c.name == name)
            self.values[name] = self.values[nearest] if nearest else self.values[name]

    def _flat(self, of, at):
        """[(index, change)] of the moves of a value, of the sources that are there."""
        return [(at[s] + i, d) for s, runs_of in of.items() if s in at for i, d in enumerate(itertools.chain.from_iterable(runs_of)) if d]

    def _told(self, c):
        """The indices of the measured values that can tell a constant, of its kind of runs."""
        return sorted({i for moves in self.moves[c.name].values() for i, _ in moves if self.lines[i][1] in WANTED[c.kind]})

    def _meet(self, one, two):
        return one.kind == two.kind and not set(self.told[one.name]).isdisjoint(self.told[two.name])

    def _shift(self, name, value, sign):
        off = self.off
        for i, d in self.moves[name][value]:
            off[i] += sign * d

    def _set(self, c, value):
        self._shift(c.name, self.values[c.name], -1)
        self._shift(c.name, value, 1)
        self.values[c.name] = value

    def _error(self, told):
        """The sum over lines of their mean error, of the measured values with these indices, cut at CUT."""
        off, weight = self.off, self.weight
        return sum(weight[i] * min(CUT, abs(off[i])) for i in told)

    @staticmethod
    def _away(c, value):
        grid = c.values()
        return GAIN * abs(grid.index(value) - grid.index(c.prior))

    def _improve(self, c):
        """Moves a constant to its best value; whether it moved."""
        now, cost = self.values[c.name], {}
        for value in c.values():
            self._set(c, value)
            cost[value] = self._error(self.told[c.name]) + self._away(c, value)
        best = min(cost, key=cost.get)
        best = best if cost[best] < cost[now] - LEAST else now
        self._set(c, best)
        return best != now

    def _improve_two(self, one, two):
        """Moves two constants at once, where neither would move alone; whether they moved."""
        told = sorted({*self.told[one.name], *self.told[two.name]})
        now = self.values[one.name], self.values[two.name]
        cost = {}
        for pair in itertools.product(one.values(), two.values()):
            self._set(one, pair[0])
            self._set(two, pair[1])
            cost[pair] = self._error(told) + self._away(one, pair[0]) + self._away(two, pair[1])
        best = min(cost, key=cost.get)
        best = best if cost[best] < cost[now] - LEAST else now
        self._set(one, best[0])
        self._set(two, best[1])
        return best != now


def fitted(effects, left_out=None):
    """The search without a source that ends with the least error, over orders of the constants and starts."""
    return min((Search(effects, left_out, order, start) for order in (effects.constants, effects.constants[::-1]) for start in STARTS), key=lambda search: search.cost)


def family(stack):
    """Stacks that share their fitted constants: megatron_2021 and megatron_2022, te and te_ub, llm_foundry and llm_foundry_h100."""
    name = stack.removeprefix("stacks.")
    if name.startswith(("te_2509", "te_layer")):
        return "te_2602"
    return name.removesuffix("_a2a") if name.startswith("te_26") else name.removesuffix("_h100").partition("_20")[0].removesuffix("_ds").removesuffix("_ub").removesuffix("_eager").removesuffix("_async_tp")


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
               "median": held["median"], "bias": held["bias"], "known": sum(r["known"] for r in found), "dense": int(line in {r["line"] for r in dense})}


def report(bench, only, verbose):
    """[rows of residuals] of the sources, printed as they come."""
    first = Effects(bench)
    effects = Effects(bench, fitted(first).values)
    everything = fitted(effects)
    refitted = effects.times(list(bench.runs), everything.values)
    rows = []
    for source in only:
        search = fitted(effects, source)
        without = effects.times([source], search.values)[source]
        found = list(residuals(bench, source, first.priced[source], refitted[source], without))
        rows += found
        for s in lines_of(found):
            known = "known machine" if s["known"] == s["n"] else "new machine" if not s["known"] else f"{s['known']} on a known machine"
            print(f"{source:14} {s['line']:28} n {s['n']:3}  shipped {s['shipped']:5.1f} %  refitted {s['refitted']:5.1f} %  left out {s['left_out']:5.1f} %  "
                  f"bias {s['bias']:+5.1f} %  {known}", flush=True)
        mine = {c.name: c for c in CONSTANTS if source in effects.kinds[c.name]}
        if told := [name for name in search.blind if name in mine]:
            print("               no other source tells: " + "; ".join(f"{n} = {search.values[n]:g} ({mine[n].nearest or 'prior'})" for n in told))
        if verbose:
            print("               " + "; ".join(f"{n} = {search.values[n]:g}/{everything.values[n]:g}" for n in mine))
    return rows


def recorded():
    """The rows of left_out.csv, numbers as numbers."""
    with open(RECORDED, newline="") as f:
        return [{k: v if k in ("line", "source") else float(v) for k, v in row.items()} for row in csv.DictReader(f)]


def stale():
    """Where left_out.csv no longer belongs to the recorded errors, as lines."""
    lines = {s["line"]: s for s in recorded()}
    accepted = {line: now for line, now in errors_recorded.read(os.path.join(os.path.dirname(RECORDED), "recorded.csv")).items() if not line.endswith(runs.MARK)}
    old = [f"{line}: not there" for line in accepted if line not in lines]
    return old + [f"{line}: recorded {now['mean']:.1f} % for {now['n']:.0f} runs, left out when it was {lines[line]['shipped']:.1f} % for {lines[line]['n']:.0f}"
                  for line, now in accepted.items()
                  if line in lines and (abs(lines[line]["shipped"] - now["mean"]) > MOVED + PART * now["mean"] or lines[line]["n"] != now["n"])]


def section(lines):
    """Lines of left_out.csv as a Markdown table."""
    out = ["| source | n | shipped | fitted on all | left out | bias, left out | on a known machine |", "|---|--:|--:|--:|--:|--:|--:|"]
    for s in lines:
        known = "all" if s["known"] == s["n"] else "none" if not s["known"] else f"{s['known']:.0f}"
        out.append(f"| {s['line']} | {s['n']:.0f} | {s['shipped']:.1f} % | {s['refitted']:.1f} % | {s['left_out']:.1f} % | {s['bias']:+.1f} % | {known} |")
    dense = [s for s in lines if s["known"] == s["n"] and s["dense"]]
    over = sorted((s for s in dense if s["left_out"] > TARGET), key=lambda s: -s["left_out"])
    out += ["", f"Target for dense lines on a known machine: {TARGET:g} %. {len(dense) - len(over)} of {len(dense)} are below"
            + (", above are " + ", ".join(f"{s['line']} ({s['left_out']:.1f} %)" for s in over) if over else "") + "."]
    return out


def write_csv(path, rows):
    with open(path, "w", newline="") as f:
        out = csv.DictWriter(f, list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows([{k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows])


def main():
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser, planc_needed=False)
    parser.add_argument("--check", action="store_true", help="price nothing; fail where left_out.csv no longer belongs to recorded.csv")
    parser.add_argument("--only", action="append", help="leave out these sources only; all others stay in the fit")
    parser.add_argument("--constants", action="store_true", help="print the constants of every source: fitted without it / on all runs")
    parser.add_argument("--residuals", help="write one line per run to this file")
    parser.add_argument("--record", action="store_true", help="accept the errors: write left_out.csv")
    a = parser.parse_args()
    if a.check:
        old = stale()
        print("\n".join(old + ["search anew: renew.py --slow"] if old else ["left_out.csv belongs to recorded.csv"]))
        return 1 if old else 0
    if not a.planc:
        parser.error("--planc is needed")
    if a.record and (a.only or a.truth == runs.SUBSET):
        parser.error("what is left out is recorded of all sources and runs")
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    bench = Bench(a.planc, a.truth)
    rows = report(bench, a.only or list(bench.runs), a.constants)
    if a.residuals:
        write_csv(a.residuals, rows)
    if a.record:
        write_csv(RECORDED, list(lines_of(rows, pooled=True)))
        write_csv(ROWS, [{k: v / row["measured"] if k in RATIOS and v != "" else v for k, v in row.items() if k != "measured"} for row in rows])
        print("\n".join(section(recorded())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
