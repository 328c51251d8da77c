#!/usr/bin/env python3
# How often the measured ratio of two plans lies in planc's interval, on sweeps that nothing of its width was taken from.
# SPDX-License-Identifier: Apache-2.0
"""planc's interval of the ratio of two steps is hypot(runs, terms) in logarithms on either side of it (docs/cost-model.md, 5). `terms` is what the two
spend differently on facts that may be wrong, `runs` a factor of the stack: `accuracy.ratio.same_mesh` of two plans with one mesh (whatever its axes are called), `.other_mesh` of others;
but no more than twice the share of the two steps that only one of them takes, `unshared`.

Here the pairs inside every sweep of published runs (as in regret.py) are held against it. The predictions and terms are those with all that was taken from
the publisher left out (coverage.py); the factor is the least half-width that with the terms leaves one of ten pairs outside, in the other sweeps of the stack, or
in all others where it has none. Sweeps weigh alike, and so do the pairs of one. The width is compared with those of the two steps in coverage.py."""
import itertools
import math
import statistics
import sys

sys.dont_write_bytecode = True  # no caches in the tree
import coverage
import left_out
import page
import regret
import runs
from bench import Bench
from library import Library

FACTS = (*coverage.SAID, "accuracy.ratio.same_mesh", "accuracy.ratio.other_mesh")  # stacks that have them in common are one
TIMES = 2  # what differs: runs are no wider (kUnsharedTimes of backends/diff/Ratio.cpp)
MISSED = 0.1  # of the pairs: nine of ten lie inside


def terms(a, b):
    """The half-width of what two intervals have of their facts apart, in logarithms."""
    moved = {}
    for interval, sign in ((a, -1), (b, 1)):
        for t in interval["terms"]:
            moved[t["what"]] = moved.get(t["what"], 0) + sign * t["share"] * t["error"]
    return coverage.Z * math.sqrt(sum(by * by for by in moved.values()))


def account(report):
    """Seconds of a step of the critical stage by what they are, as backends/diff/Account.cpp books them."""
    found = {}

    def add(part, seconds):
        found[part] = found.get(part, 0) + (seconds or 0)
    for row in report["layers"]:
        for of in ("on_path_s", "slowed_s", "launches_s"):
            add((of, row["path"]), row[of])
    for row in report["collectives"]:
        add((row["op"], row["class"]), row["on_path_s"])
    for of in ("bubble_s", "optimizer_s", "overhead_s", "straggler_s"):
        add((of, ""), report["totals"][of])
    return found


def unshared(a, b):
    """The share of two steps that only one of them takes, part by part: of the work of one step (backends/diff/Ratio.cpp)."""
    work = a["totals"]["samples_per_s"] * a["totals"]["step_time_s"] / (b["totals"]["samples_per_s"] * b["totals"]["step_time_s"])
    scale = work * b["devices"] / a["devices"]
    x, y = account(a), {part: scale * seconds for part, seconds in account(b).items()}
    parts = [(x.get(part, 0), y.get(part, 0)) for part in x.keys() | y.keys()]
    return sum(abs(p - q) for p, q in parts) / sum(max(p, q) for p, q in parts)


def mesh(report):
    """What planc tells meshes apart by: sizes and levels of the axes and what they split, not how they are called (ir/plan/MeshUse.h)."""
    return sorted((a["size"], a["within"], a["splits"], a["stages"]) for a in report["axes"])


def sweeps(bench):
    """[(source, stack, [(run, its report without what its publisher gave, how far it is off)])] of at least two plans; runs of
    one plan are one."""
    held = {r["run"]: -math.log(r["left_out"]) for r in left_out.read() if r["metric"] == "step_time"}
    library = Library()
    for publisher in dict.fromkeys(bench.publisher.values()):
        groups = {s: found for s, p in bench.publisher.items() if p == publisher and (found := regret.grouped(s, bench.runs[s]))}
        reports = bench.reports(coverage.unseen(bench, publisher, library), list(groups)) if groups else {}
        for source, found in groups.items():
            for plans in found.values():
                group = [(same[0], reports[source][same[0].name], statistics.fmean(held[run.name] for run in same)) for same in plans.values()]
                yield source, coverage.owner(library, bench.uses[source][group[0][0].name][0], FACTS).removeprefix("stacks."), group


def pairs(bench):
    """One row per pair of plans of a sweep."""
    steps = {r["run"]: (r["below"] + r["above"]) / 2 for r in coverage.judged(list(coverage.rows_of(bench)))}
    for number, (source, stack, group) in enumerate(sweeps(bench)):
        count = len(group) * (len(group) - 1) / 2
        for (a, report_a, off_a), (b, report_b, off_b) in itertools.combinations(group, 2):
            yield {"sweep": number, "source": source, "publisher": bench.publisher[source], "stack": stack, "weight": 1 / count, "same": mesh(report_a) == mesh(report_b),
                   "off": off_a - off_b, "terms": terms(report_a["interval"], report_b["interval"]),
                   "unshared": unshared(report_a, report_b), "step": (steps[a.name] + steps[b.name]) / 2}


def half_width(rows):
    """The least half-width that with the terms of each pair leaves at most MISSED of the weight outside; sweeps weigh alike. Pairs that are outside at any
    width, since runs are no wider than what differs, are left outside."""
    count = {}
    for r in rows:
        count[r["sweep"]] = count.get(r["sweep"], 0) + 1
    halves = ((math.sqrt(max(0, r["off"] ** 2 - r["terms"] ** 2)), r) for r in rows)
    beyond = sorted(((half if half <= TIMES * r["unshared"] else math.inf, 1 / count[r["sweep"]]) for half, r in halves), reverse=True)
    left = MISSED * sum(w for _, w in beyond)
    for half, weight in beyond:
        if weight > left and half < math.inf:
            return half
        left -= weight
    return 0


def apart(rows, stack, same):
    """The half-width of runs of a stack's pairs; of all pairs where it has none."""
    alike = [r for r in rows if r["same"] == same]
    return half_width([r for r in alike if r["stack"] == stack] or alike)


def judged(rows):
    """The pairs with their intervals, each from other sweeps."""
    known = {}
    for r in rows:
        key = r["sweep"], r["same"]
        if key not in known:
            known[key] = apart([o for o in rows if o["sweep"] != r["sweep"]], r["stack"], r["same"])
        yield r | {"half": math.hypot(min(known[key], TIMES * r["unshared"]), r["terms"])}


def median(values):
    """Of (value, weight)."""
    values = sorted(values)
    left = sum(w for _, w in values) / 2
    for value, weight in values:
        left -= weight
        if left <= 0:
            return value
    return values[-1][0]


def line_of(name, rows):
    """(a line of the table, the share of pairs inside, how much narrower than a step)."""
    whole = sum(r["weight"] for r in rows)
    inside = sum(r["weight"] for r in rows if abs(r["off"]) <= r["half"]) / whole
    ratio, step = (math.exp(sum(r["weight"] * r[of] for r in rows) / whole) for of in ("half", "step"))
    narrower = 1 - median([(r["half"] / r["step"], r["weight"]) for r in rows])
    return f"| {name} | {len({r['sweep'] for r in rows})} | {len(rows)} | {100 * inside:.0f} % | {ratio:.2f} | {step:.2f} | {100 * narrower:.0f} % |", inside, narrower


def table(rows):
    """(lines of a Markdown table, the pooled coverage, how much narrower)."""
    lines = ["| source | sweeps | pairs | inside | factor of a ratio, mean | of a step, mean | narrower, median |", "|---|--:|--:|--:|--:|--:|--:|"]
    for source in runs.selected(None):
        if mine := [r for r in rows if r["source"] == runs.name_of(source)]:
            lines.append(line_of(regret.title(source), mine)[0])
    pooled, inside, narrower = line_of("all, sweeps weighted alike", rows)
    return lines + [pooled], inside, narrower


def accuracies(rows):
    """What the stacks of the library are to say: (stack, mesh, sweeps, factor), of `any` all; one sweep is too few for a stack."""
    for stack in ["any"] + sorted({r["stack"] for r in rows}):
        for same in (True, False):
            mine = [r for r in rows if r["same"] == same and stack in ("any", r["stack"])]
            if len({r["sweep"] for r in mine}) > 1:
                yield stack, "same_mesh" if same else "other_mesh", len({r["sweep"] for r in mine}), math.exp(half_width(mine))


def main():
    parser = coverage.arguments("ratios")
    parser.add_argument("--narrower", type=float, default=0, help="least percent by which a ratio is surer than a step, in the median")
    a = parser.parse_args()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    rows = list(judged(list(pairs(Bench(a.planc, a.truth)))))
    lines, inside, narrower = table(rows)
    print("\n".join(lines))
    if a.write:
        page.renew(a.write, "ratios", lines)
    if a.accuracies:
        for stack, mesh, count, factor in accuracies(rows):
            print(f"{stack}: ratio.{mesh} = {factor:.3f} of {count} sweeps")
    if a.bar and not (a.bar[0] <= 100 * inside <= a.bar[1] and 100 * narrower >= a.narrower):
        print(f"{100 * inside:.1f} % of the pairs lie in their intervals, which are {100 * narrower:.1f} % narrower than those of a step")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
