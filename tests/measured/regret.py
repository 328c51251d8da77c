#!/usr/bin/env python3
# The price of trusting planc in a search: in every published sweep, how much slower the plan that planc ranks first is than the fastest one.
# SPDX-License-Identifier: Apache-2.0
"""A sweep is the runs of a source that do the same work on the same machine with the same software (model, cluster, sequence, global batch, compute type,
stack) under different plans. Regret = measured time of the plan that is predicted fastest / measured time of the fastest, less 1. llm-foundry published
one plan per amount of work; its sweeps are a model and sequence on different numbers of the same GPU with their batches, compared by GPU-seconds per
token. Runs of one plan count as one, with the mean of what was measured. Sweeps of one plan say nothing and are left out."""
import argparse
import dataclasses
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True  # no caches in the tree
import page
import runs
from errors import spearman
from pricing import pairs_of, price

# What of a run is neither its work nor its plan.
ASIDE = {"name", "group", "seconds", "citation", "memory", "measured"}


def same_work(run):
    """Runs of one model, machine, sequence and batch on one software."""
    return run.model, run.cluster, run.seq, run.global_batch, run.precision["compute"], run.software


def same_model(run):
    """Runs of one model and sequence on one kind of cluster of any size."""
    return run.model, run.cluster.partition("(")[0], run.seq, run.precision["compute"]


MISSED = {"bloom": 8}  # sources whose mean regret is above what is asked for, with the percent that it must not exceed until it is met
KEYS = {"llm_foundry": same_model}  # of sources; the others have sweeps of the same work


def per_token(run, seconds):
    """GPU-seconds per token."""
    return seconds * run.data * run.tensor * run.context * run.pipeline / (run.global_batch * run.seq)


def plan_of(run):
    """What a run's plan is, to tell plans apart."""
    return repr([(f.name, getattr(run, f.name)) for f in dataclasses.fields(run) if f.name not in ASIDE])


def grouped(source, found):
    """{what the runs share: {plan: runs}} of a source, by its module's name; of at least two plans."""
    out = {}
    for run in found:
        if not run.measured:
            out.setdefault(KEYS.get(source, same_work)(run), {}).setdefault(plan_of(run), []).append(run)
    return {key: plans for key, plans in out.items() if len(plans) > 1}


def sweeps(planc, truth, source):
    """{what the runs share: [(plan, predicted, measured)]} of a source's module, in GPU-seconds per token."""
    complete, _ = runs.runs_of(truth, source, runs.FITTED)
    groups = grouped(runs.name_of(source), complete)
    if not groups:
        return {}
    with tempfile.TemporaryDirectory(prefix="regret-") as folder:
        report, stderr = price(planc, runs.write_plans(source, complete, folder))
    found = {name: next((p, m) for metric, p, m in measured if metric == "step_time") for name, measured in pairs_of(report).items()}
    if missing := [run.name for run in complete if run.name not in found]:
        raise SystemExit(f"{missing[0]} is not priced\n{stderr[:2000]}")
    return {key: [(same[0].name, per_token(same[0], found[same[0].name][0]), statistics.fmean(per_token(run, found[run.name][1]) for run in same))
                  for same in plans.values()] for key, plans in groups.items()}


def regret(rows):
    """(regret in percent, the plan chosen, the fastest plan)."""
    chosen = min(rows, key=lambda r: r[1])
    fastest = min(rows, key=lambda r: r[2])
    return 100 * (chosen[2] / fastest[2] - 1), chosen[0], fastest[0]


def spread(rows):
    """How much slower the slowest plan of a sweep is than the fastest, in percent: the regret of the worst choice."""
    times = [r[2] for r in rows]
    return 100 * (max(times) / min(times) - 1)


def title(source):
    return source.TITLE.rstrip(".")


def judged(source, groups, bars):
    """(a line of the table, what of a source's sweeps is worse than asked for)."""
    bad, name = [], runs.name_of(source)
    found = {key: regret(rows) for key, rows in groups.items()}
    ranks = {key: spearman([r[1] for r in rows], [r[2] for r in rows]) for key, rows in groups.items()}
    for key, rows in groups.items():
        lost, chosen, fastest = found[key]
        ranked = "" if ranks[key] is None else f"rank correlation {ranks[key]:.2f}"
        print(f"{name:14} {len(rows):3} plans  regret {lost:5.1f} %  chosen {chosen}, fastest {fastest}  {ranked}")
        if name == "zero_bubble" and ranks[key] is not None and ranks[key] < bars["rank"]:
            bad.append(f"{name}: rank correlation {ranks[key]:.2f} in the sweep of {chosen}, least {bars['rank']:g}")
    mean = statistics.fmean(f[0] for f in found.values())
    known = [r for r in ranks.values() if r is not None]
    ranked = f"{statistics.median(known):.2f}, {min(known):.2f}" if known else ""
    bar = MISSED.get(name, bars["mean"])
    bad += [f"{name}: mean regret {mean:.1f} %, at most {bar:g} %"] if mean > bar else []
    line = (f"| {title(source)} | {len(groups)} | {sum(map(len, groups.values()))} | {mean:.1f} % | {max(f[0] for f in found.values()):.1f} % "
            f"| {statistics.fmean(map(spread, groups.values())):.0f} % | {ranked} | {'met' if mean <= bars['mean'] else 'missed'} |")
    return line, bad


def main():
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser)
    parser.add_argument("--mean", type=float, default=3, help="largest mean regret of a source, in percent")
    parser.add_argument("--rank", type=float, default=0.85, help="least rank correlation inside a sweep of Zero Bubble")
    parser.add_argument("--write", help="renew its tables in the pages of this folder")
    a = parser.parse_args()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    bad = []
    lines = ["| source | sweeps | plans | mean regret | largest | of the slowest plan, mean | rank correlation inside a sweep, median, least | |",
             "|---|--:|--:|--:|--:|--:|--:|---|"]
    for source in runs.selected(None):
        if groups := sweeps(a.planc, a.truth, source):
            line, worse = judged(source, groups, {"mean": a.mean, "rank": a.rank})
            lines.append(line)
            bad += worse
    if len(lines) == 2:
        bad.append(f"no sweep among the runs of {a.truth}")
    print("\n".join(lines + bad))
    if a.write and not bad:
        page.renew(a.write, "regret", lines)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
