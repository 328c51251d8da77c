#!/usr/bin/env python3
# How often a measured step time lies in planc's interval, on sources that nothing of the interval was taken from.
# SPDX-License-Identifier: Apache-2.0
"""planc's interval of a step time is hypot(runs, terms) in logarithms on either side of it (docs/cost-model.md, section 5): `terms` follows from what the
time of the plan stands on, `runs` is `low` and `high` of its stack's `accuracy`. Here every source is left out in turn. The prediction is the one with
all fitted constants taken from other sources (left_out_rows.csv); `runs` is taken from the left-out errors of the other sources; and where none of them
ran the stack, its facts count as those of a stack that no run was fitted with (`fitted` of std.stacks.any). Then the runs of the source are counted.

`runs` of a stack is the least half-width that with the terms of each of its runs leaves one of twenty beyond it on a side; sources weigh by the square
root of their runs. It is drawn, in squares, towards that of all runs on stacks that other sources ran, as if these were one more source of the stack.
A stack without runs takes that of all runs on stacks that no other source ran. None is less than LEAST."""
import argparse
import csv
import math
import os
import sys

sys.dont_write_bytecode = True  # no caches in the tree
import leave_one_out
import page
import runs
from bench import Bench, pairs
from library import Library

MISSED = 0.05  # of the runs, on each side: nine of ten lie between
Z = 1.6449  # standard deviations that a normal variable exceeds five times of a hundred
LEAST = 0.03  # two publications of one run differ by that
LEFT_OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "left_out_rows.csv")


def left_out():
    """{run: logarithm of measured over the prediction that never saw its source}."""
    with open(LEFT_OUT, newline="") as f:
        return {r["run"]: -math.log(float(r["left_out"])) for r in csv.DictReader(f) if r["metric"] == "step_time"}


def families(bench):
    """{family of stacks: the sources that ran it}."""
    found = {}
    for source, uses in bench.uses.items():
        for stack, _ in uses.values():
            found.setdefault(leave_one_out.family(stack), set()).add(source)
    return found


def unseen(bench, ran, library):
    """The library in which every stack that one source alone ran is as sure as one that none ran."""
    changed = library.copy()
    alone = {stack for uses in bench.uses.values() for stack, _ in uses.values() if len(ran[leave_one_out.family(stack)]) < 2}
    for stack in sorted(alone):
        changed.set(stack, "accuracy.fitted", library.get("stacks.any", "accuracy.fitted"))
    return changed


def width(interval):
    """The half-width of the terms, in logarithms; raises AssertionError where planc's own ends are not what its parts make."""
    terms = Z * math.sqrt(sum((t["share"] * t["error"]) ** 2 for t in interval["terms"]))
    for end, side in (("low", -1), ("high", 1)):
        made = math.exp(side * math.hypot(math.log(interval[f"runs_{end}"]), terms))
        assert math.isclose(made, interval[end], rel_tol=1e-6), f"planc's {end} is {interval[end]}, its parts make {made}"
    return terms


def rows_of(bench):
    """One row per measured step time: how far it was off with and without its source, and the half-widths of its terms with and without."""
    ran, held = families(bench), left_out()
    library = Library()
    shipped = bench.reports(library, list(bench.runs))
    without = bench.reports(unseen(bench, ran, library), list(bench.runs))
    for source in bench.runs:
        for run in bench.runs[source]:
            family = leave_one_out.family(bench.uses[source][run.name][0])
            for metric, predicted, measured in pairs(shipped[source][run.name]):
                if metric == "step_time" and run.name in held:
                    yield {"source": source, "line": run.group, "run": run.name, "stack": family, "known": len(ran[family]) > 1,
                           "off": held[run.name], "terms": width(without[source][run.name]["interval"]),
                           "shipped": math.log(measured / predicted), "shipped_terms": width(shipped[source][run.name]["interval"])}


def quantile(rows, side, off="off", terms="terms"):
    """The least half-width that with the terms of each run leaves at most MISSED of the weight beyond it on a side: +1 slower, -1 faster."""
    count = {}
    for r in rows:
        count[r["source"]] = count.get(r["source"], 0) + 1
    beyond = sorted(((math.sqrt(max(0, r[off] ** 2 - r[terms] ** 2)) if r[off] * side > 0 else 0, count[r["source"]] ** -0.5) for r in rows), reverse=True)
    left = MISSED * sum(w for _, w in beyond)
    for half, weight in beyond:
        if weight > left:
            return half
        left -= weight
    return 0


def spread(rows, mine, *columns):
    """(half-width below, above) of the runs `mine` of a stack; without any, of a stack that none ran. `rows`: of all stacks."""
    pool = [r for r in rows if r["known"] == bool(mine)] or rows
    whole = [quantile(pool, side) for side in (-1, 1)]
    if not mine:
        return [max(LEAST, w) for w in whole]
    sources = len({r["source"] for r in mine})
    own = [quantile(mine, side, *columns) for side in (-1, 1)]
    return [max(LEAST, math.sqrt((sources * o * o + w * w) / (sources + 1))) for o, w in zip(own, whole)]


def judged(rows):
    """The rows with their intervals, each from the runs of the other sources."""
    known = {}
    for r in rows:
        key = r["source"], r["stack"]
        if key not in known:
            others = [o for o in rows if o["source"] != r["source"]]
            known[key] = spread(others, [o for o in others if o["stack"] == r["stack"]])
        below, above = (math.hypot(half, r["terms"]) for half in known[key])
        yield r | {"below": below, "above": above}


def line_of(name, rows):
    """(a line of the table, the share of the rows that lie in their intervals)."""
    slower, faster = (sum(s * r["off"] > r[end] for r in rows) for s, end in ((1, "above"), (-1, "below")))
    inside = 1 - (slower + faster) / len(rows)
    missed = sum(max(0, r["off"] - r["above"], -r["below"] - r["off"]) for r in rows)
    score = (sum(r["below"] + r["above"] for r in rows) + missed / MISSED) / len(rows)
    low, high = (math.exp(s * sum(r[end] for r in rows) / len(rows)) for s, end in ((-1, "below"), (1, "above")))
    return f"| {name} | {len(rows)} | {100 * inside:.0f} % | {low:.2f} to {high:.2f} | {slower} | {faster} | {score:.2f} |", inside


def table(rows):
    """(lines of a Markdown table, the pooled coverage)."""
    lines = ["| source | n | inside | interval, mean | slower | faster | score |", "|---|--:|--:|--:|--:|--:|--:|"]
    for name in dict.fromkeys(r["line"] for r in rows):
        lines.append(line_of(name, [r for r in rows if r["line"] == name])[0])
    pooled, share = line_of("all", rows)
    return lines + [pooled], share


def accuracies(rows):
    """What the library is to say of its stacks: (stack, runs, sources, low, high), the first of those without runs."""
    for stack in [None] + sorted({r["stack"] for r in rows}):
        mine = [r for r in rows if r["stack"] == stack]
        below, above = spread(rows, mine, "shipped", "shipped_terms")
        of = mine or rows
        yield stack or "any", len(of), len({r["source"] for r in of}), math.exp(-below), math.exp(above)


def arguments(section):
    """The arguments that the coverage of steps and of ratios have in common; `section`: of the page that --write renews."""
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser)
    parser.add_argument("--bar", nargs=2, type=float, metavar=("LEAST", "MOST"), help="fail if the pooled coverage in percent is outside")
    parser.add_argument("--write", help=f"renew the section of {section} of this page")
    parser.add_argument("--accuracies", action="store_true", help="print what the stacks of the library are to say")
    return parser


def main():
    a = arguments("intervals").parse_args()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    rows = list(judged(list(rows_of(Bench(a.planc, a.truth)))))
    lines, share = table(rows)
    print("\n".join(lines))
    if a.write:
        page.renew(a.write, "intervals", lines)
    if a.accuracies:
        for stack, n, sources, low, high in accuracies(rows):
            print(f"{stack}: runs = {n}, sources = {sources}, low = {low:.3f}, high = {high:.3f}")
    if a.bar and not a.bar[0] <= 100 * share <= a.bar[1]:
        print(f"{100 * share:.1f} % of the runs lie in their intervals; it must be {a.bar[0]:g} to {a.bar[1]:g} %")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
