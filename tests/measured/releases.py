#!/usr/bin/env python3
# What later releases of a software bring: published runs of one configuration under several releases.
# SPDX-License-Identifier: Apache-2.0
"""A configuration is what the plan of a run states: model, machine, precision, batch, degrees, schedule, and not the stack. Gain is the logarithm of the
first over the last step time; per year is the sum of gains over the sum of years between the first and the last release, because single pairs scatter.
With `--check` the facts of std.stacks.any must be these, to half a point, if all tables are there."""
import argparse
import dataclasses
import math
import sys

sys.dont_write_bytecode = True  # no caches in the tree
import runs
import sources
from library import Library

FACTS = {"dense": "year", "moe": "year_experts"}
SOFTWARE = {"name", "group", "software", "installed", "seconds", "citation", "overlap", "recompute", "keep", "precision", "schedule", "stages"}


def months(date):
    year, month = map(int, date.split("-"))
    return 12 * year + month - 1


def configuration(run):
    """What runs of several releases have in common, without what the presets of a release choose."""
    return (run.precision["compute"], *(str(getattr(run, f.name)) for f in dataclasses.fields(run) if f.name not in SOFTWARE))


def gains(published):
    """{kind: [(gain, years)]} of configurations that two releases or more published."""
    series = {}
    for run in published:
        if run.installed:
            series.setdefault(configuration(run), []).append(run)
    out = {}
    for found in series.values():
        by = {}
        for run in found:
            by.setdefault(months(run.installed), []).append(run.seconds)
        first, last = min(by), max(by)
        if first < last:
            mean = {date: sum(by[date]) / len(by[date]) for date in (first, last)}
            out.setdefault(found[0].kind, []).append((math.log(mean[first] / mean[last]), (last - first) / 12))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    runs.add_arguments(parser, planc_needed=False)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if why := runs.absent(args.truth):
        print(why)
        return 77
    published = [run for source in sources.ALL for run in runs.runs_of(args.truth, source, runs.FITTED)[0]]
    for kind, found in sorted(gains(published).items()):
        per_year = sum(g for g, _ in found) / sum(y for _, y in found)
        stated = float(Library().get("stacks.any", "accuracy.new." + FACTS[kind]).rstrip("%")) / 100
        if args.check and args.truth != runs.SUBSET and abs(stated - per_year) > 0.005:
            raise SystemExit(f"`accuracy.new.{FACTS[kind]}` of std.stacks.any is {stated:.3g}, the runs say {per_year:.3g}")
        print(f"{kind}: {len(found)} configurations, {100 * per_year:.0f} % faster per year, from {100 * min(found)[0]:.0f} % to {100 * max(found)[0]:.0f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
