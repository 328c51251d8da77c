#!/usr/bin/env python3
# How often a measured step time lies in planc's interval, on sources that nothing of the interval was taken from.
# SPDX-License-Identifier: Apache-2.0
"""planc's interval of a step time is hypot(runs, terms) in logarithms on either side of it (docs/cost-model.md, section 5): `terms` follows from what the
time of the plan stands on, `runs` is `low` and `high` of its stack's `accuracy`. Here every publisher is left out in turn. The library is the one whose
fitted constants never saw it (left_out_constants.csv), and so is the prediction (left_out_rows.csv); `runs` is taken from the left-out errors of the
other publishers; and where none of them ran a stack, its facts count as those of a stack that no run was fitted with (`fitted` of std.stacks.any). Then the
publisher's runs are counted.

`runs` of a stack is the least half-width that with the terms of each of its runs leaves one of twenty beyond it on a side; publishers weigh by the square
root of their runs. It is drawn, in squares, towards that of all runs on stacks that other publishers ran, as if these were one more publisher of the
stack. A stack without runs takes that of all runs on stacks that no other publisher ran. None is less than LEAST. Stacks that have one `accuracy` are one."""
import argparse
import collections
import itertools
import math
import sys

sys.dont_write_bytecode = True  # no caches in the tree
import left_out
import page
import runs
from bench import Bench, pairs
from fitted import CONSTANTS
from grounds import KINDS, Ground, base_of, based, weights
from library import Library

SAID = ("accuracy.runs", "accuracy.low", "accuracy.high")  # stacks that have them in common are one
MISSED = 0.05  # of the runs, on each side: nine of ten lie between
Z = 1.6449  # standard deviations that a normal variable exceeds five times of a hundred
LEAST = 0.03  # two publications of one run differ by that
INSIDE, MANY, SINGLE = (85, 95), 10, 70  # percent that are to lie inside, pooled; a publisher with that many runs has at least so many inside


def owner(library, stack, said=SAID):
    """The oldest stack whose facts of accuracy a stack has."""
    while (parent := library.parents.get(stack)) and all(library.get(parent, fact) == library.get(stack, fact) for fact in said):
        stack = parent
    return stack


def unseen(bench, left, library, by="publisher"):
    """The library without what was taken from a publisher or from a kind of runs: constants, and how sure its stacks are that no other ran."""
    changed = library.copy()
    values = left_out.constants()[left if by == "publisher" else left_out.name_of(by, left)]
    for c in CONSTANTS:
        c.apply(changed, values[c.name])
    ground = Ground(bench, library)
    others = list(filter(ground.apart(by, left), ground.of.values()))
    ran, run_by_others = ({owner(library, f"stacks.{place['stack']}") for place in places} for places in (ground.of.values(), others))
    for stack in library.matching("stacks.*"):
        if owner(library, stack) in ran - run_by_others and library.get(stack, "accuracy.fitted") is not None:
            changed.set(stack, "accuracy.fitted", library.get("stacks.any", "accuracy.fitted"))
    forget_reach(changed, library, others)
    return based(changed, left) if by == "base" else changed


def forget_reach(changed, library, others):
    """What stacks and devices say of their runs (`accuracy.seen`, `accuracy.experts`, `accuracy.sequence`, `runs` of products), as if there were only these.
    A stack that none of them ran says nothing."""
    for stack in library.matching("stacks.*"):
        framework = (library.get(stack, "framework") or "").strip('"')
        mine = [o for o in others if o["framework"] == framework and owner(library, f"stacks.{o['stack']}") == owner(library, stack)]
        accuracy = changed.facts[stack].get("accuracy") or {}
        if not accuracy.get("seen"):
            continue
        for fact, ran in (("seen", mine), ("experts", [o for o in mine if o["kind"] == "moe"])):
            reach = {}
            for o in ran:
                architecture = architecture_of(library, o["device"])
                reach[architecture] = max(o["ranks"], reach.get(architecture, 0))
            left = {architecture: str(reach[architecture]) for architecture in accuracy.pop(fact, {}) if architecture in reach}
            accuracy.update({fact: left} if left else {})
        if accuracy.pop("sequence", None) and mine:
            accuracy["sequence"] = str(max(o["sequence"] for o in mine))
    ran = {(o["device"], o["type"].partition("_")[0]) for o in others}
    for device in library.matching("devices.*"):
        for kind, facts in (changed.get(device, "calibration.gemm") or {}).items():
            alike = {"fp16", "bf16"} if kind in ("fp16", "bf16") else {kind}
            if "runs" in facts and not any((device.partition(".")[2], t) in ran for t in alike):
                del facts["runs"]


def architecture_of(library, device):
    return (library.get(f"devices.{device}", "architecture") or "").strip('"')


def width(interval):
    """{side: the half-width of the terms} in logarithms, +1 slower, -1 faster; raises AssertionError if planc's own ends are not what its parts make."""
    terms = {side: Z * math.sqrt(sum((t["share"] * t["error"]) ** 2 for t in interval["terms"] if t["ends"] != other)) for side, other in ((-1, "slower"), (1, "faster"))}
    for end, side in (("low", -1), ("high", 1)):
        made = math.exp(side * math.hypot(math.log(interval[f"runs_{end}"]), terms[side]))
        assert math.isclose(made, interval[end], rel_tol=1e-6), f"planc's {end} is {interval[end]}, its parts make {made}"
    return terms


def rows_of(bench):
    """One row per measured step time: how far it was off with and without its publisher, and the half-widths of its terms with and without."""
    library = Library()
    shipped = bench.reports(library, list(bench.runs))
    for place, stack, off, interval in without(bench, library, "publisher", "left_out"):
        plan = shipped[place["source"]][place["run"]]
        predicted, measured = next((p, m) for metric, p, m in pairs(plan) if metric == "step_time")
        yield place | {"stack": stack, "off": off, "terms": width(interval), "interval": interval, "shipped": math.log(measured / predicted),
                       "shipped_terms": width(plan["interval"])}


def without(bench, library, by, column):
    """(its place, the owner of its stack, how far it was off, its interval) of every measured step time without its publisher, or without its kind."""
    ground = Ground(bench, library)
    held = {r["run"]: -math.log(r[column]) for r in left_out.read() if r["metric"] == "step_time" and r[column]}
    ran = {}
    for place in ground.of.values():
        ran.setdefault(owner(library, "stacks." + place["stack"]), set()).add(place["publisher"])
    for left in ground.values(by):
        wanted = ground.runs_of(bench, by, left)
        found = bench.reports_of(unseen(bench, left, library, by), wanted)
        for source, mine in wanted.items():
            for run in mine:
                place = ground.of[run.name]
                stack = "stacks." + place["stack"]
                stack = owner(library, base_of(library, stack) if by == "base" else stack)
                if run.name in held:
                    yield place | {"known": ground.known(run.name), "shared": len(ran[stack]) > 1}, stack, held[run.name], found[source][run.name]["interval"]


def kinds_of(bench, base):
    """The rows with their intervals, each without its kind and from the left-out errors (`base`) of other kinds; `of` is the kind."""
    library, ground = Library(), Ground(bench)
    for by in KINDS:
        known = {}
        for place, stack, off, interval in without(bench, library, by, left_out.without(by)):
            key = place[by], stack
            if key not in known:
                others = list(filter(ground.apart(by, place[by]), base))
                known[key] = spread(others, [o for o in others if o["stack"] == stack])
            terms, (below, above) = width(interval), known[key]
            yield place | {"by": by, "of": left_out.name_of(by, place[by]), "stack": stack, "off": off, "terms": terms, "interval": interval,
                           "below": math.hypot(below, terms[-1]), "above": math.hypot(above, terms[1])}


def quantile(rows, side, off="off", terms="terms"):
    """The least half-width that with the terms of each run leaves at most MISSED of the weight beyond it on a side: +1 slower, -1 faster."""
    count = {}
    for r in rows:
        count[r["publisher"]] = count.get(r["publisher"], 0) + 1
    return exceeded([(math.sqrt(max(0, r[off] ** 2 - r[terms][side] ** 2)) if r[off] * side > 0 else 0, count[r["publisher"]] ** -0.5) for r in rows], MISSED)


def exceeded(values, share):
    """The least of (value, weight) beyond which at most a share of the weight lies."""
    left = share * sum(weight for _, weight in values)
    for value, weight in sorted(values, reverse=True):
        if weight > left:
            return value
        left -= weight
    return 0


def spread(rows, mine, *columns):
    """(half-width below, above) of the runs `mine` of a stack; without any, of a stack that none ran. `rows`: of all stacks."""
    pool = [r for r in rows if r["shared"] == bool(mine)] or rows
    whole = [quantile(pool, side) for side in (-1, 1)]
    if not mine:
        return [max(LEAST, w) for w in whole]
    publishers = len({r["publisher"] for r in mine})
    own = [quantile(mine, side, *columns) for side in (-1, 1)]
    return [max(LEAST, math.sqrt((publishers * o * o + w * w) / (publishers + 1))) for o, w in zip(own, whole)]


def judged(rows):
    """The rows with their intervals, each from the runs of the other publishers."""
    known = {}
    for r in rows:
        key = r["publisher"], r["stack"]
        if key not in known:
            others = [o for o in rows if o["publisher"] != r["publisher"]]
            known[key] = spread(others, [o for o in others if o["stack"] == r["stack"]])
        below, above = (math.hypot(half, r["terms"][side]) for half, side in zip(known[key], (-1, 1)))
        yield r | {"below": below, "above": above}


def counted(rows, alike=None):
    """(share inside, mean half-width below, above, share slower, faster, mean score); values of the column `alike` weigh alike."""
    of = weights([r[alike] for r in rows]) if alike else [1 / len(rows)] * len(rows)

    def mean(value):
        return sum(w * value(r) for w, r in zip(of, rows))
    slower, faster = mean(lambda r: r["off"] > r["above"]), mean(lambda r: -r["off"] > r["below"])
    missed = mean(lambda r: max(0, r["off"] - r["above"], -r["below"] - r["off"]))
    below, above = mean(lambda r: r["below"]), mean(lambda r: r["above"])
    return 1 - slower - faster, below, above, slower, faster, below + above + missed / MISSED


def line_of(name, rows, alike=None):
    inside, below, above, slower, faster, score = counted(rows, alike)
    return (f"| {name} | {len(rows)} | {100 * inside:.0f} % | {math.exp(-below):.2f} to {math.exp(above):.2f} | {100 * slower:.0f} % | {100 * faster:.0f} % "
            f"| {score:.2f} |")


def pools(rows):
    """[(name, rows)] that are to lie inside nine times of ten."""
    return [("known ground", [r for r in rows if r["known"]]), ("new ground", [r for r in rows if not r["known"]]), ("all", rows)]


def table(rows):
    """Lines of a Markdown table: per publisher on known and new ground, then pooled."""
    lines = ["| source | n | inside | interval, mean | slower | faster | score |", "|---|--:|--:|--:|--:|--:|--:|"]
    for publisher in dict.fromkeys(r["publisher"] for r in rows):
        for name, found in pools(rows)[:2]:
            if mine := [r for r in found if r["publisher"] == publisher]:
                lines.append(line_of(f"{publisher}, {name}", mine))
    for name, found in pools(rows):
        lines += [line_of(f"{name}, {'sources' if alike else 'rows'} alike", found, alike) for alike in (None, "publisher") if found]
    return lines


def unknown(term):
    """Whether a term of an interval says that a stack has no runs, or none on the architecture."""
    return term["what"].startswith("no run of stack ") and " with experts" not in term["what"]


def newness(rows):
    """(what, runs, kinds, relative error) of dense runs and of experts: the least error that instead of the terms that say so keeps all but MISSED on each side
    inside of their intervals; kinds weigh by the square root of their runs, as publishers do. It is what `accuracy.new` is to say."""
    for kind, by in itertools.product(("dense", "moe"), KINDS):
        mine = [r for r in rows if r["by"] == by and r["kind"] == kind]
        count = collections.Counter(r["of"] for r in mine)
        beyond = []
        for r in mine:
            stated = sum((t["share"] * t["error"]) ** 2 for t in r["interval"]["terms"] if unknown(t))
            half = r["above"] if r["off"] > 0 else r["below"]
            beyond.append((math.sqrt(max(0, r["off"] ** 2 - half ** 2 + Z ** 2 * stated)), count[r["of"]] ** -0.5))
        if mine:
            yield f"{KINDS[by]}, {kind}", len(mine), len(count), exceeded(beyond, 2 * MISSED) / Z


def kinds_table(rows):
    """Lines of Markdown tables of the rows of kinds_of: what is to lie inside and does, then every kind."""
    out = ["| inside, left out | n | kinds | rows alike | kinds alike | interval, mean | slower | faster | |", "|---|--:|--:|--:|--:|--:|--:|--:|---|"]
    lines = ["| left out | n | inside | interval, mean | slower | faster | score |", "|---|--:|--:|--:|--:|--:|--:|"]
    for by in [*list(KINDS)[:-1], None, "base"]:
        mine = [r for r in rows if (r["by"] == by if by else r["by"] != "base")]
        inside, below, above, slower, faster, _ = counted(mine, "of")
        shares = [100 * counted(mine)[0], 100 * inside]
        met = all(INSIDE[0] <= share <= INSIDE[1] for share in shares)
        kinds = list(dict.fromkeys(r["of"] for r in mine))
        out.append(f"| {KINDS.get(by, left_out.POOLED)} | {len(mine)} | {len(kinds)} | {shares[0]:.0f} % | {shares[1]:.0f} % | {math.exp(-below):.2f} to {math.exp(above):.2f} "
                   f"| {100 * slower:.0f} % | {100 * faster:.0f} % | {'met' if met else 'missed'} |")
        if by:
            lines += [line_of(f"{KINDS[by]}: {kind.partition(' ')[2]}", [r for r in mine if r["of"] == kind]) for kind in kinds]
    return out + [""] + lines


def targets(rows):
    """What is to lie inside, and does, as lines of a Markdown table."""
    out = ["| inside, left out | percent | rows alike | sources alike | |", "|---|--:|--:|--:|---|"]
    for name, found in pools(rows):
        if found:
            plain, alike = (100 * counted(found, weighted)[0] for weighted in (None, "publisher"))
            met = all(INSIDE[0] <= share <= INSIDE[1] for share in (plain, alike))
            out.append(f"| {name} | {INSIDE[0]} to {INSIDE[1]} | {plain:.0f} % | {alike:.0f} % | {'met' if met else 'missed'} |")
    under = []
    for publisher in dict.fromkeys(r["publisher"] for r in rows):
        mine = [r for r in rows if r["publisher"] == publisher]
        if len(mine) >= MANY and (share := 100 * counted(mine)[0]) < SINGLE:
            under.append(f"{publisher} ({share:.0f} %)")
    return out + [f"| each source of {MANY} and more runs | {SINGLE} and more | {', '.join(under) or 'all'} | | {'missed' if under else 'met'} |"]


def accuracies(rows):
    """What the library is to say of its stacks: (stack, runs, publishers, low, high), the first of those without runs."""
    for stack in [None] + sorted({r["stack"] for r in rows}):
        mine = [r for r in rows if r["stack"] == stack]
        below, above = spread(rows, mine, "shipped", "shipped_terms")
        of = mine or rows
        yield (stack or "any").removeprefix("stacks."), len(of), len({r["publisher"] for r in of}), math.exp(-below), math.exp(above)


def arguments(section):
    """The arguments that the coverage of steps and of ratios have in common; `section`: what --write renews."""
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser)
    parser.add_argument("--bar", nargs=2, type=float, metavar=("LEAST", "MOST"), help="fail if the pooled coverage in percent is outside")
    parser.add_argument("--write", help=f"renew the section of {section} in the pages of this folder")
    parser.add_argument("--accuracies", action="store_true", help="print what the stacks of the library are to say")
    return parser


def main():
    parser = arguments("intervals")
    parser.add_argument("--kinds", action="store_true", help="leave out every kind of runs, too")
    a = parser.parse_args()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    bench = Bench(a.planc, a.truth)
    rows = list(judged(list(rows_of(bench))))
    lines = table(rows) + [""] + targets(rows)
    share = counted(rows)[0]
    print("\n".join(lines))
    if a.write:
        page.renew(a.write, "intervals", lines)
    if a.kinds:
        unseen_kinds = list(kinds_of(bench, rows))
        lines = kinds_table(unseen_kinds)
        print("\n".join(["", *lines]))
        if a.write:
            page.renew(a.write, "intervals of kinds", lines)
    if a.accuracies:
        for stack, n, sources, low, high in accuracies(rows):
            print(f"{stack}: runs = {n}, sources = {sources}, low = {low:.3f}, high = {high:.3f}")
        for what, n, kinds, error in newness(unseen_kinds) if a.kinds else ():
            print(f"new {what}: runs = {n}, kinds = {kinds}, error = {100 * error:.1f} %")
    if a.bar and not a.bar[0] <= 100 * share <= a.bar[1]:
        print(f"{100 * share:.1f} % of the runs lie in their intervals; it must be {a.bar[0]:g} to {a.bar[1]:g} %")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
