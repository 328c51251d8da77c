# What planc is meant to reach on published runs, and what it reaches: the targets stand before the errors are known, and missed ones are said.
# SPDX-License-Identifier: Apache-2.0
from errors import summary

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


def table(groups):
    """The targets as lines of a Markdown table, of {line: pairs}; a target whose lines are not all there is left out."""
    out = ["| target | n | at most | reached | |", "|---|--:|--:|--:|---|"]
    for what, lines, bars in TARGETS:
        if all(line in groups for line in lines):
            s = summary([pair for line in lines for pair in groups[line]])
            for statistic, bar in bars.items():
                out.append(f"| {what}, {statistic} | {s['n']} | {bar:g} % | {s[statistic]:.1f} % | {'met' if s[statistic] <= bar else 'missed'} |")
    return out
