#!/usr/bin/env python3
# How a step grows with the number of devices: every published series of runs that differ in nothing else, measured and predicted.
# SPDX-License-Identifier: Apache-2.0
"""A series is runs of one source that share model, machine, software, precision, sequence, micro-batch and all degrees but data parallelism, on at
least SPAN times as many devices at its end as at its start: *weak* with the same batch per device, *strong* with the same global batch (their pipeline
drains more often, too). States lie on as many devices in all of its runs, or in as many copies. What grows is the time of a token on a device; runs on
as many devices are averaged. Growth per doubling is the slope of its logarithm over that of the devices, by least squares; the whole loss is that slope
over all doublings of the series."""
import argparse
import dataclasses
import math
import os
import re
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True  # no caches in the tree
import library
import page
import runs
from errors import percent
from pricing import checked, pairs_of, price

SPAN = 1.5  # times the devices: what a shorter series loses is noise
LARGE = 0.04  # of the step: a whole loss above it is to be met within a factor, one below it within points
FACTOR, POINTS = 2, 0.015
COUNTS = r"\b(nodes|slices|racks|instances) = \d+"  # of the units of a cluster
FREE = {"name", "group", "kind", "citation", "seconds", "measured", "memory", "cluster", "data", "copies", "global_batch"}
KINDS = {"weak": lambda run: run.global_batch / run.data, "strong": lambda run: run.global_batch}
SHARDED = (lambda run: run.copies, lambda run: run.data // run.copies)  # of states: how many copies there are, or the devices of a copy

# Beyond the runs: FSDP over all devices, two sequences each.
NODES = (16, 256, 1024, 2048, 4096)
PLAN = """import std.models.llama
import std.stacks.fsdp
import std.optimizers
import std.clusters.hgx
plan sharded(nodes: int) {
  model    = llama.llama3_8b
  cluster  = hgx.hgx_h100(nodes = nodes)
  software = fsdp.torchtitan
  train { seq = 8192; global_batch = 16 * nodes; micro_batch = 2; optimizer = optimizers.adam }
  precision { compute = bf16 }
  mesh { dp = 8 * nodes }
  place { batch -> dp }
  states { params -> dp }
}
"""
# Latency of a hop of a ring over NVLink and over the network, as NCCL tunes by it, seconds: NVIDIA/nccl at 01afd20a77, src/graph/tuning.cc, hwLat.
NCCL = {"LL128": (1.9e-6, 4.0e-6), "Simple": (3.4e-6, 9.6e-6)}


def devices(run):
    return run.data * run.tensor * run.context * run.pipeline


def key(run):
    """What the runs of a series have in common, but for their batch."""
    return re.sub(COUNTS, r"\1", run.cluster), *(str(getattr(run, f.name)) for f in dataclasses.fields(run) if f.name not in FREE)


def per_token(run, seconds):
    """Seconds of a device for a token."""
    return seconds * devices(run) / (run.global_batch * run.seq)


def series_of(complete, kind):
    """The series among the runs of a source, each {devices: its runs}, in order of their devices."""
    groups = {}
    for run in complete:
        for way, sharded in enumerate(SHARDED if not run.measured else ()):  # a run of whole steps
            groups.setdefault((*key(run), KINDS[kind](run), way, sharded(run)), {}).setdefault(devices(run), []).append(run)
    return [dict(sorted(g.items())) for g in groups.values() if max(g) >= SPAN * min(g)]


def slope(points):
    """Growth per doubling of [(devices, time)], as a logarithm to base 2."""
    x, y = ([math.log2(p[i]) for p in points] for i in (0, 1))
    return statistics.linear_regression(x, y).slope


class Series:
    """A series of one source with its predicted steps."""

    def __init__(self, kind, members, predicted):
        self.kind, self.members = kind, members
        self.doublings = math.log2(max(members) / min(members))
        self.measured, self.predicted = (slope([(n, statistics.geometric_mean(per_token(r, of(r)) for r in rs)) for n, rs in members.items()])
                                         for of in (lambda r: r.seconds, lambda r: predicted[r.name]))

    def whole(self, growth):
        """The loss over all doublings, as a share."""
        return 2 ** (growth * self.doublings) - 1

    @property
    def fitted(self):
        """Whether all of its runs are of the tables that the fit sees."""
        later = tuple(mark for table, mark in runs.MARKS.items() if table not in runs.FITTED)
        return not any(r.group.endswith(later) for found in self.members.values() for r in found)

    @property
    def large(self):
        return self.whole(self.measured) > LARGE

    @property
    def near(self):
        """Whether the predicted growth has the sign of the measured one and is within a factor of it."""
        least, most = sorted((self.measured / FACTOR, self.measured * FACTOR))
        return least <= self.predicted <= most

    @property
    def right(self):
        return self.near if self.large else abs(2**self.predicted - 2**self.measured) <= POINTS

    def cells(self, title):
        """A line of the table."""
        run = next(iter(self.members.values()))[0]
        return [title, f"`{run.name}`, {short(run)}", f"{min(self.members):,} to {max(self.members):,}", str(len(self.members)), f"{100 * self.whole(self.measured):+.1f} %",
                f"{percent(2**self.measured, 1):+.2f} %", f"{percent(2**self.predicted, 1):+.2f} %", "yes" if self.right else "no"]


def short(run):
    """A model in a few words, and the micro-batch and sequence."""
    sizes = dict(re.findall(r"\b(layers|hidden) = (\d+)", run.model))
    what = f"{sizes['layers']} x {sizes['hidden']}" if len(sizes) == 2 else run.model.partition("(")[0].rpartition(".")[2].replace("_", " ")
    return f"{what}, {run.micro_batch} x {run.seq:,}"


def adapted(a, folder):
    """What plans in a folder become: with --stdlib they import the checkout's library, which is copied there."""
    if not a.stdlib:
        return lambda text: text
    library.Library().write(folder)
    return library.imports


def priced(a, source):
    """The series of a source, with predictions."""
    complete, _ = runs.runs_of(a.truth, source)
    found = {kind: series_of(complete, kind) for kind in KINDS}
    wanted = {r.name: r for groups in found.values() for g in groups for rs in g.values() for r in rs}
    if not wanted:
        return []
    with tempfile.TemporaryDirectory(prefix="scaling-") as folder:
        report, stderr = price(a.planc, runs.write_plans(source, wanted.values(), folder, adapted(a, folder)))
    steps = {name: predicted for name, pairs in pairs_of(report).items() for metric, predicted, _ in pairs if metric == "step_time"}
    if missing := [name for name in wanted if name not in steps]:
        raise SystemExit(f"{missing[0]} is not priced\n{stderr[:2000]}")
    return [Series(kind, g, steps) for kind, groups in found.items() for g in groups]


def share(of):
    """(right, all) of series."""
    return sum(s.right for s in of), len(of)


def summary(found):
    """Lines that count what is right."""
    counted = {(kind, large): share([s for _, s in found if s.kind == kind and s.large == large]) for kind in KINDS for large in (True, False)}
    heads = ["series", "whole loss above 4 %: growth right within a factor of two", "smaller loss: growth right within 1.5 points per doubling",
             "any loss: sign right, and growth within a factor of two"]
    lines = ["| " + " | ".join(heads) + " |", "|---|--:|--:|--:|"]
    for kind in KINDS:
        near = [s.near for _, s in found if s.kind == kind]
        lines.append(f"| {kind} | " + " | ".join(f"{right} of {of}" for right, of in (counted[kind, True], counted[kind, False], (sum(near), len(near)))) + " |")
    return lines


def tables(found):
    """The lines of the page: what is right, then every series."""
    lines = summary(found)
    heads = ["source", "first run, layers x width, micro-batch x sequence", "devices", "points", "whole loss, measured", "per doubling, measured", "predicted", "right"]
    for kind in KINDS:
        lines += ["", f"**{kind}**", "", "| " + " | ".join(heads) + " |", "|---|---|" + "--:|" * (len(heads) - 3) + "---|"]
        lines += ["| " + " | ".join(s.cells(title)) + " |" for title, s in found if s.kind == kind]
    return lines


def nccl_ring(protocol, nodes):
    """What NCCL itself takes for the latency of a ring through eight devices per node: every rank is passed once."""
    inside, across = NCCL[protocol]
    return (8 * nodes - 1 - (nodes - 1)) * inside + (nodes - 1) * across


def moved(nodes):
    """Share of a tensor that a rank of a gather receives."""
    return 1 - 1 / (8 * nodes)


def beyond(a):
    """(lines, what is wrong) of the table beyond the runs: no ring grows faster than NCCL's slowest protocol, but for what it moves."""
    with tempfile.TemporaryDirectory(prefix="scaling-") as folder:
        path = os.path.join(folder, "beyond.plan")
        with open(path, "w") as f:
            f.write(adapted(a, folder)(PLAN) + "".join(f"plan on_{n} extends sharded(nodes = {n}) {{}}\n" for n in NODES))
        plans = checked(a.planc, path)["plans"]
    heads = ["devices", "step", "of it exposed", "a gather, mean"] + [f"NCCL's latency of a ring, {p}" for p in NCCL]
    lines, gathers = ["", "| " + " | ".join(heads) + " |", "|" + "--:|" * len(heads)], {}
    for nodes, plan in zip(NODES, plans):
        rows = [c for c in plan["collectives"] if c["op"] == "all_gather"]
        gathers[nodes] = sum(c["count"] * c["time_s"] for c in rows) / sum(c["count"] for c in rows)
        cells = [f"{8 * nodes:,}", f"{plan['totals']['step_time_s']:.2f} s", f"{plan['totals']['exposed_comm_s']:.2f} s"]
        lines.append("| " + " | ".join(cells + [f"{1e3 * t:.1f} ms" for t in (gathers[nodes], *(nccl_ring(p, nodes) for p in NCCL))]) + " |")
    most = {n: max(nccl_ring(p, n) for p in NCCL) for n in NODES}
    bad = [f"from {8 * a:,} to {8 * b:,} devices a gather grows by {1e3 * (gathers[b] - gathers[a]):.1f} ms, a ring of NCCL by at most {1e3 * (most[b] - most[a]):.1f} ms"
           for a, b in zip(NODES, NODES[1:]) if gathers[b] - gathers[a] * moved(b) / moved(a) > most[b] - most[a]]
    return lines, bad


def main():
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser)
    parser.add_argument("--bars", type=float, nargs=2, default=(0, 0), help="least share of weak series of fitted tables that is right, in percent: of large losses, of others")
    parser.add_argument("--later", type=float, nargs=2, default=(0, 0), help="the same of series with runs that no fit saw")
    parser.add_argument("--stdlib", action="store_true", help="price with the devices, fabrics, stacks and clusters of this checkout, not those inside planc")
    parser.add_argument("--write", help="renew its tables in the pages of this folder")
    a = parser.parse_args()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    found = [(source.TITLE.partition(":")[0].rstrip("."), s) for source in runs.selected(None) for s in priced(a, source)]
    lines = tables(found)
    more, steep = beyond(a)
    lines += ["", "**Beyond the runs: Llama 3 8B under FSDP on H100**"] + more
    bad = steep + ([] if found or a.truth == runs.SUBSET else [f"no series among the runs of {a.truth}"])
    for fitted, bars in ((True, a.bars), (False, a.later)):
        for large, bar in zip((True, False), bars):
            right, of = share([s for _, s in found if s.kind == "weak" and s.fitted == fitted and s.large == large])
            if 100 * right < bar * of:
                bad.append(f"{right} of {of} weak series with {'large' if large else 'small'} losses are right, less than {bar:g} %"
                           + ("" if fitted else ", among runs that no fit saw"))
    print("\n".join(lines + bad))
    if a.write and not bad:
        page.renew(a.write, "weak scaling", lines)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
