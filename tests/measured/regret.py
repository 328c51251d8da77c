#!/usr/bin/env python3
# The price of trusting planc in a search: in every published sweep, how much slower the plan that planc ranks first is than the fastest one.
# SPDX-License-Identifier: Apache-2.0
"""A sweep is the runs of a source that do the same work on the same machine (model, cluster, sequence, global batch) under different plans. Regret =
measured time of the plan that is predicted fastest / measured time of the fastest, less 1. llm-foundry published one plan per amount of work; its
sweeps are a model and sequence on different numbers of the same GPU with their batches, compared by GPU-seconds per token. Sweeps of one run say
nothing and are left out."""
import argparse
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True  # no caches in the tree
import page
import runs
from errors import spearman
from pricing import pairs_of, price



def same_work(run):
    """Runs of one model, machine, sequence and batch."""
    return run.model, run.cluster, run.seq, run.global_batch, run.precision["compute"]


def same_model(run):
    """Runs of one model and sequence on one kind of cluster of any size."""
    return run.model, run.cluster.partition("(")[0], run.seq, run.precision["compute"]


SOURCES = {"vtrain": ("vTrain", same_work), "llm_foundry": ("llm-foundry", same_model), "zero_bubble": ("Zero Bubble", same_work)}


def per_token(run, seconds):
    """GPU-seconds per token."""
    return seconds * run.data * run.tensor * run.context * run.pipeline / (run.global_batch * run.seq)


def sweeps(planc, truth, name):
    """{what the runs share: [(plan, predicted, measured)]} of a source, in GPU-seconds per token; sweeps of at least two runs."""
    source = runs.selected([name])[0]
    complete, _ = runs.runs_of(truth, source)
    with tempfile.TemporaryDirectory(prefix="regret-") as folder:
        report, stderr = price(planc, runs.write_plans(source, complete, folder))
    found = pairs_of(report)
    out = {}
    for run in complete:
        if run.name not in found:
            raise SystemExit(f"{run.name} is not priced\n{stderr[:2000]}")
        _, predicted, measured = found[run.name][0]
        out.setdefault(SOURCES[name][1](run), []).append((run.name, per_token(run, predicted), per_token(run, measured)))
    return {key: rows for key, rows in out.items() if len(rows) > 1}


def regret(rows):
    """(regret in percent, the plan chosen, the fastest plan)."""
    chosen = min(rows, key=lambda r: r[1])
    fastest = min(rows, key=lambda r: r[2])
    return 100 * (chosen[2] / fastest[2] - 1), chosen[0], fastest[0]


def spread(rows):
    """How much slower the slowest plan of a sweep is than the fastest, in percent: the regret of the worst choice."""
    times = [r[2] for r in rows]
    return 100 * (max(times) / min(times) - 1)


def main():
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser)
    parser.add_argument("--mean", type=float, default=3, help="largest mean regret of a source, in percent")
    parser.add_argument("--rank", type=float, default=0.85, help="least rank correlation inside a sweep of Zero Bubble")
    parser.add_argument("--write", help="renew the table between the markers of this page")
    a = parser.parse_args()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    bad = []
    lines = ["| source | sweeps | plans | mean regret | largest | of the slowest plan, mean | rank correlation inside a sweep, median, least |", "|---|--:|--:|--:|--:|--:|--:|"]
    for name in SOURCES:
        groups = sweeps(a.planc, a.truth, name)
        if not groups:
            (print if a.truth == runs.SUBSET else bad.append)(f"{name}: no sweep among the runs of {a.truth}")
            continue
        found = {key: regret(rows) for key, rows in groups.items()}
        ranks = {key: spearman([r[1] for r in rows], [r[2] for r in rows]) for key, rows in groups.items()}
        for key, rows in groups.items():
            lost, chosen, fastest = found[key]
            rank = "" if ranks[key] is None else f"rank correlation {ranks[key]:.2f}"
            print(f"{name:12} {len(rows):3} plans  regret {lost:5.1f} %  chosen {chosen}, fastest {fastest}  {rank}")
            if name == "zero_bubble" and ranks[key] is not None and ranks[key] < a.rank:
                bad.append(f"{name}: rank correlation {ranks[key]:.2f} in the sweep of {chosen}, least {a.rank:g}")
        mean = statistics.fmean(f[0] for f in found.values())
        if mean > a.mean:
            bad.append(f"{name}: mean regret {mean:.1f} %, at most {a.mean:g} %")
        known = [r for r in ranks.values() if r is not None]
        ranked = f"{statistics.median(known):.2f}, {min(known):.2f}" if known else ""
        lines.append(f"| {SOURCES[name][0]} | {len(groups)} | {sum(map(len, groups.values()))} | {mean:.1f} % | "
                     f"{max(f[0] for f in found.values()):.1f} % | {statistics.fmean(map(spread, groups.values())):.0f} % | {ranked} |")
    print("\n".join(lines + bad))
    if a.write and not bad:
        page.renew(a.write, "regret", lines)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
