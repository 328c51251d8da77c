#!/usr/bin/env python3
# What each term of the cost model is worth: the errors of the published runs when planc does not have it.
# SPDX-License-Identifier: Apache-2.0
"""A term is removed by facts, never by a switch of planc: a copy of the library whose facts make it nothing stands beside the plans. Two terms are no
facts: the bubble is taken off the predicted time, as planc reports it, and the head goes with the vocabulary of the plan's model. The rest of the
library stays as it is, so the table says what a term contributes to these predictions, not how well a model without it could be fitted."""
import argparse
import re
import statistics
import sys
from dataclasses import dataclass
from typing import Callable

sys.dont_write_bytecode = True  # no caches in the tree
import page
import runs
from bench import Bench, pairs
from errors import percent
from library import Library, imports, number_of, scaled

LARGE = 1e6  # times as fast: as good as free


def same(text):
    return text


@dataclass(frozen=True)
class Term:
    """What is removed, and how: facts of the library, the text of the plans, or seconds of the prediction."""

    name: str
    facts: Callable = lambda library: None
    text: Callable = same
    seconds: Callable = lambda totals: 0.0  # that a step loses


def facts(*changes):
    """A term of facts: (declarations, path, new text or function of the old one)."""
    def remove(library):
        for names, path, change in changes:
            library.set(names, path, change)
    return remove


def times(factor):
    return lambda text: scaled(text, factor)


def without_start(samples):
    """The rows of a collective without their fixed part and their bend."""
    return re.sub(r"\b([ag]) = [\d.]+us", r"\1 = 0us", samples)


def free(samples):
    """The rows of a collective that takes no time."""
    return re.sub(r"\bb = ([\d.]+)GB/s", lambda m: f"b = {float(m[1]) * LARGE:g}GB/s", without_start(samples))


COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")


def inside(change):
    return [("fabrics.*", name, lambda text: change(text) if text.startswith("[") else text) for name in COLLECTIVES]


NETWORK = [("fabrics.*", name, "0us") for name in ("start", "hop", "g")]


def fast_network(text):
    """Cards, in plans and in clusters, that send everything at once; the rate inside a node is a sample's."""
    return re.sub(r"\b(nic|bandwidth) = ([\d.]+)([GT]B/s)", lambda m: f"{m[1]} = {float(m[2]) * LARGE:g}{m[3]}", text)


def no_network(library):
    facts(*NETWORK)(library)
    library.clusters = lambda text: fast_network(imports(text))


# Clocks that no limit of power lowers (cost model, section 1.1).
BURSTS = [("devices.*", "calibration.*.energy", "0.001pJ/FLOP")]


def one_efficiency(library):
    """The mean of all devices and types in place of each."""
    found = [(name, path) for name in library.facts for path in library.paths(name) if re.fullmatch(r"calibration\.gemm\.\w+\.efficiency", path)]
    mean = statistics.fmean(number_of(text) for name, path in found if not (text := library.get(name, path)).startswith("curve"))
    for name, path in found:
        library.set(name, path, f"{100 * mean:.4g}%")


def one_kernel(library):
    """One start and one launch for the products of all experts."""
    for name in [n for n in library.facts if "waits" in library.paths(n) and "grouped_kernel" not in library.paths(n)]:
        library.add(name, "grouped_kernel", "true")


def no_head(text):
    return re.sub(r"\bvocab = \d+", "vocab = 1024", text)


TERMS = (
    Term("operators bound by memory", facts(("stacks.*", "passes.*", "0"))),
    Term("… of them softmax and dropout", facts(("stacks.*", "passes.softmax.*", "0"), ("stacks.*", "passes.dropout.*", "0"))),
    Term("head and cross-entropy", facts(("stacks.*", "passes.cross_entropy.*", "0")), no_head),
    Term("accumulation of gradients", facts(("stacks.*", "accumulate", "none"))),
    Term("clocks of long training", facts(*BURSTS)),
    Term("one efficiency of products for all devices and types", one_efficiency),
    Term("a kernel per expert", one_kernel),
    Term("host launches", facts(("stacks.*", "launch", "0us"))),
    Term("… of them waiting for what routing decides", facts(("stacks.*", "waits", "false"))),
    Term("collectives inside a node", facts(*inside(free))),
    Term("collectives between nodes", no_network, fast_network),
    Term("fixed costs of collectives", facts(*inside(without_start), *NETWORK)),
    Term("sends between stages", facts(("fabrics.*", "send_recv.start", "0us"), ("fabrics.*", "send_recv.bandwidth", times(LARGE)), ("fabrics.*", "send_recv.efficiency", "100%"))),
    Term("compute slowed by communication beside it", facts(("stacks.*", "slowdown", "0"))),
    Term("pipeline bubble", seconds=lambda totals: totals["bubble_s"]),
    Term("optimizer's step", facts(("stacks.*", "optimizer.*", "0B"))),
    Term("unattributed time", facts(("stacks.*", "unattributed", "1"))),
)

# Columns of the table: lines of the table of errors, by how they begin; without names, all dense lines.
FAMILIES = {
    "Megatron-LM, A100": ("Korthikanti", "SC21", "Megatron 2020, A100", "vTrain", "Zero Bubble"),
    "BLOOM, MT-NLG": ("BLOOM", "MT-NLG"),
    "V100": ("Megatron 2020, V100", "DLPerf"),
    "llm-foundry": ("llm-foundry",),
    "fms, torchtitan, stas00, AutoModel dense": ("fms-fsdp", "torchtitan", "stas00", "AutoModel dense"),
    "NeMo, Bridge, SimuMax, dense": ("NeMo/Bridge dense", "NeMo long", "SimuMax dense"),
    "experts": ("NeMo/Bridge moe", "SimuMax moe", "AutoModel moe"),
    "dense, second table": (),
    "all dense": (),
}
SECOND = "dense, second table"  # of its lines alone: publishers and machines that the first does not have


def family_errors(bench, reports, seconds):
    """{family: mean absolute error in percent}, {run: predicted}."""
    errors, predicted = {}, {}
    for source, found in bench.runs.items():
        for run in found:
            plan = reports[source][run.name]
            for metric, p, m in pairs(plan):
                if metric != "step_time":
                    continue
                p -= seconds(plan["totals"])
                predicted[run.name] = p
                for name, begins in FAMILIES.items():
                    if name == SECOND and not run.group.endswith(runs.MARKS[runs.SECOND]):
                        continue
                    if run.group.startswith(begins) if begins else run.kind == "dense":
                        errors.setdefault(name, []).append(abs(percent(p, m)))
    return {name: statistics.fmean(e) for name, e in errors.items()}, predicted


def main():
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser)
    parser.add_argument("--write", help="renew its tables in the pages of this folder")
    a = parser.parse_args()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    bench = Bench(a.planc, a.truth)
    names = list(bench.runs)
    whole, shipped = family_errors(bench, bench.reports(Library(), names), lambda totals: 0.0)
    lines = ["| without | " + " | ".join(FAMILIES) + " |", "|---|" + "--:|" * len(FAMILIES),
             "| (mean error with all terms) | " + " | ".join(f"{whole[f]:.1f} %" if f in whole else "" for f in FAMILIES) + " |"]
    idle = []
    for term in TERMS:
        library = Library()
        term.facts(library)
        less, predicted = family_errors(bench, bench.reports(library, names, term.text), term.seconds)
        moved = sum(predicted[run] != p for run, p in shipped.items())
        if not moved:
            idle.append(term.name)
        cells = ["" if f not in whole else f"{less[f] - whole[f]:+.1f}" for f in FAMILIES]
        lines.append(f"| {term.name} | " + " | ".join("0" if c in ("+0.0", "-0.0") else c for c in cells) + " |")
        print(f"{term.name}: {moved} predictions move", flush=True)
    print("\n".join(lines))
    for name in idle:
        print(f"removing `{name}` moves no prediction: its facts are not where they were")
    if a.write and not idle:
        page.renew(a.write, "ablation", lines)
    return 1 if idle else 0


if __name__ == "__main__":
    sys.exit(main())
