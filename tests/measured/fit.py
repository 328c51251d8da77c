#!/usr/bin/env python3
# Fits every constant that was chosen with whole runs, with its uncertainty, and tells how far planc is off on a source that the fit never saw.
# SPDX-License-Identifier: Apache-2.0
"""The constants of fitted.py are fitted on all published runs (posterior.py), on times from a table of effects (effects.py): one made around the shipped
library, a second around what the first led to. With --left-out they are fitted without each publisher in turn, then without each kind of runs (grounds.py),
and the publisher's runs or those of the kind are priced by planc with the result. What was measured on single kernels or collectives, datasheets, and what a software is known to do stay as they are."""
import argparse
import csv
import os
import sys
import time

sys.dont_write_bytecode = True  # no caches in the tree
import left_out
import page
import recorded
import runs
from bench import Bench, pairs
from effects import Effects
from fitted import CONSTANTS
from grounds import KINDS, Ground, based
from library import Library
from posterior import Posterior

HERE = os.path.dirname(os.path.abspath(__file__))
TOLD = os.path.join(HERE, "constants.csv")


def residuals(bench, ground, publisher, shipped, refitted, without):
    """One row per measured value of a publisher: predicted by the shipped library, by constants fitted on all runs, and on all runs but the publisher's."""
    for source in (s for s, p in bench.publisher.items() if p == publisher):
        for run in bench.runs[source]:
            place = ground.of[run.name]
            totals = without[source][run.name]["totals"]
            for (metric, now, measured), (_, fitted, _), (_, held, _) in zip(*(pairs(plans[source][run.name]) for plans in (shipped, refitted, without))):
                whole = metric == "step_time"
                yield {k: place[k] for k in ("publisher", "line", "kind", "run", "stack", "device", *KINDS)} | {
                    "known": int(ground.known(run.name)), "new": "+".join(ground.new(run.name)), "metric": metric, "measured": measured, "shipped": now,
                    "refitted": fitted, "left_out": held, "low": totals["step_time_low_s"] if whole else "", "high": totals["step_time_high_s"] if whole else ""}


def constants(fit):
    """One row per constant: what the library has, what was fitted, and who tells it."""
    library, spread, tellers = Library(), fit.spread(), fit.tellers()
    for c in CONSTANTS:
        sure, believed = spread[c.name]
        place = c.place(fit.values[c.name])
        low, high = c.ends()
        yield {"constant": c.name, "prior": c.prior, "shipped": " ".join(f"{v:g}" for v in c.shipped(library)), "fitted": fit.values[c.name],
               "low": c.value(max(low, place - sure)), "high": c.value(min(high, place + sure)), "left": sure / believed, "sources": len(tellers[c.name]),
               "parent": c.parent, "why": c.why}


def write_csv(path, rows):
    with open(path, "w", newline="") as f:
        out = csv.DictWriter(f, list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows([{k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows])


def told():
    """The recorded constants."""
    with open(TOLD, newline="") as f:
        return list(csv.DictReader(f))


def section(rows):
    """Rows of constants as lines of a Markdown table."""
    out = ["| constant | without runs | shipped | fitted | two thirds sure | width left | sources that tell it | why this wide |", "|---|--:|--:|--:|---|--:|--:|---|"]
    for c in rows:
        shipped = c["shipped"].split()
        out.append(f"| {c['constant']} | {float(c['prior']):.3g} | {shipped[0] if len(shipped) == 1 else ' to '.join((shipped[0], shipped[-1])) if shipped else ''} "
                   f"| {float(c['fitted']):.3g} | {float(c['low']):.3g} to {float(c['high']):.3g} | {100 * float(c['left']):.0f} % | {c['sources']} "
                   f"| {c['why']}{'; of `' + c['parent'] + '`' if c['parent'] else ''} |")
    return out


def tabulated(bench, ground, say):
    """(the shipped library's prices, the effects around the fit, the fit) on all runs."""
    first = Effects(bench)
    say("effects around the shipped library")
    effects = Effects(bench, Posterior(first, ground.of).values)
    say("effects around the fit")
    fit = Posterior(effects, ground.of)
    say(f"fitted in {fit.rounds} steps")
    return first.priced, effects, fit


def held_out(bench, ground, shipped, effects, fit, say):
    """([rows of residuals] of all publishers, with those without their kinds, [the constants without each])."""
    refitted = effects.times(list(bench.runs), fit.values)
    rows, values = [], []
    for publisher in ground.publishers():
        without = Posterior(effects, ground.of, ground.apart("publisher", publisher))
        sources = [s for s, p in bench.publisher.items() if p == publisher]
        rows += residuals(bench, ground, publisher, shipped, refitted, effects.times(sources, without.values))
        values += [{"without": publisher, "constant": c, "value": value} for c, value in without.values.items()]
        say(f"without {publisher}: {without.rounds} steps")
    for by in KINDS:
        ratios = {}
        for kind in ground.values(by):
            without = Posterior(effects, ground.of, ground.apart(by, kind))
            changed = effects.changed(without.values)
            ratios |= effects.ratios(ground.runs_of(bench, by, kind), based(changed, kind) if by == "base" else changed)
            values += [{"without": left_out.name_of(by, kind), "constant": c, "value": value} for c, value in without.values.items() if by != "base"]
            say(f"without {by} {kind}: {without.rounds} steps")
        for row in rows:
            row[left_out.without(by)] = ratios[row["run"], row["metric"]] * row["measured"] if row[by] else ""
    return rows, values


def main():
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser, planc_needed=False)
    parser.add_argument("--check", action="store_true", help="fit nothing; fail where the recorded left-out rows no longer belong to recorded.csv")
    parser.add_argument("--left-out", action="store_true", help="fit without each publisher and each kind of runs, too, and price what was left out")
    parser.add_argument("--record", action="store_true", help="accept what was found: write constants.csv, with --left-out the left-out rows")
    parser.add_argument("--write", help="renew its tables in the pages of this folder")
    a = parser.parse_args()
    if a.check:
        marks = ["" if table == runs.FIRST else runs.MARKS[table] for table in runs.FITTED]
        accepted = {line: s for line, s in recorded.read(os.path.join(HERE, "recorded.csv")).items() if runs.mark_of(line) in marks}
        held = left_out.read()
        old = left_out.stale(held, accepted) + left_out.lacking(held, left_out.constants())
        print("\n".join(old + ["fit anew: renew.py --slow"] if old else ["the left-out rows belong to recorded.csv"]))
        return 1 if old else 0
    if not a.planc:
        parser.error("--planc is needed")
    if (a.record or a.write) and a.truth == runs.SUBSET:
        parser.error("what is fitted is recorded of all runs")
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    start = time.monotonic()
    say = lambda what: print(f"{time.monotonic() - start:6.0f} s  {what}", file=sys.stderr, flush=True)
    bench = Bench(a.planc, a.truth)
    ground = Ground(bench)
    shipped, effects, fit = tabulated(bench, ground, say)
    table = list(constants(fit))
    print("\n".join(section(table)))
    rows, values = held_out(bench, ground, shipped, effects, fit, say) if a.left_out else ([], [])
    if rows:
        print("\n".join(left_out.section(left_out.scaled(rows)) + [""] + left_out.kinds(left_out.scaled(rows))))
    if a.record:
        write_csv(TOLD, table)
        if rows:
            write_csv(left_out.ROWS, left_out.scaled(rows))
            write_csv(left_out.CONSTANTS, values)
    if a.write:
        page.renew(a.write, "constants", section(table))
        if rows:
            page.renew(a.write, "left out", left_out.section(left_out.scaled(rows)))
            page.renew(a.write, "left out kinds", left_out.kinds(left_out.scaled(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
