# What planc is meant to reach on published runs, and what it reaches; missed targets are said.
# SPDX-License-Identifier: Apache-2.0
import os

import nanotron
from errors import percent, summary
from pricing import checked, pairs_of

# (what, lines of the table of errors that are pooled, {statistic: at most, in percent})
TARGETS = (
    ("Korthikanti, Table 5", ("Korthikanti, Table 5",), {"mean": 3}),
    ("SC21, Table 1", ("SC21, Table 1",), {"mean": 4}),
    ("llm-foundry, A100", ("llm-foundry, A100",), {"mean": 4.5}),
    ("llm-foundry, H100 bf16", ("llm-foundry, H100",), {"mean": 5}),
    ("vTrain, both models", ("vTrain 3.6B", "vTrain 39.1B"), {"mean": 8}),
    ("Zero Bubble", ("Zero Bubble",), {"mean": 6}),
    ("fms-fsdp", ("fms-fsdp",), {"mean": 6}),
    ("torchtitan", ("torchtitan",), {"mean": 11}),
    ("NeMo and Bridge, dense, H100, long sequences too", ("NeMo/Bridge dense, H100", "NeMo long sequences, H100"), {"mean": 7}),
    ("NeMo and Bridge, dense, B200", ("NeMo/Bridge dense, B200",), {"mean": 7}),
    ("NeMo and Bridge, dense, GB200", ("NeMo/Bridge dense, GB200",), {"mean": 7}),
    ("V100: Megatron-LM 2020, DLPerf", ("Megatron 2020, V100", "DLPerf Megatron, V100", "DLPerf OneFlow, V100"), {"mean": 13}),
    ("mixtures of experts", ("all moe runs",), {"mean": 18}),
    ("all dense runs", ("all dense runs",), {"median": 3.5, "mean": 5.5, "p90": 12}),
)


LAYERS = 5  # percent, of each layer time of arXiv 2205.05198, Table 4


def layer_row(planc):
    """The line of the layer times of arXiv 2205.05198, Table 4, which stand as plans of their own."""
    report = checked(planc, os.path.join(os.path.dirname(os.path.abspath(__file__)), "korthikanti.plan"))
    off = [abs(percent(p, m)) for found in pairs_of(report).values() for metric, p, m in found if metric.startswith("layer(")]
    return f"| Korthikanti, Table 4, each layer time | {len(off)} | {LAYERS:g} % | {max(off):.1f} % | {'met' if max(off) <= LAYERS else 'missed'} |"


def sweep_rows(planc, truth):
    """The lines of nanotron's sweep, whose plans are written by nanotron.py; none without its table."""
    if not (pairs := nanotron.step_times(planc, truth)):
        return []
    s = summary([pair[:2] for pair in pairs])
    return [f"| nanotron's sweep, median | {s['n']} | 10 % | {s['median']:.1f} % | {'met' if s['median'] <= 10 else 'missed'} |",
            f"| nanotron's sweep, rank correlation | {s['n']} | 0.95 or more | {s['rho']:.3f} | {'met' if s['rho'] >= 0.95 else 'missed'} |"]


def table(groups, planc, truth):
    """The targets as lines of a Markdown table, of {line: pairs}; a target whose lines are not all there is left out."""
    out = ["| target | n | at most | reached | |", "|---|--:|--:|--:|---|"]
    for what, lines, bars in TARGETS:
        if all(line in groups for line in lines):
            s = summary([pair for line in lines for pair in groups[line]])
            for statistic, bar in bars.items():
                out.append(f"| {what}, {statistic} | {s['n']} | {bar:g} % | {s[statistic]:.1f} % | {'met' if s[statistic] <= bar else 'missed'} |")
        if what == "Korthikanti, Table 5":
            out.append(layer_row(planc))
    return out + sweep_rows(planc, truth)
