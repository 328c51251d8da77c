# Reads an estimate of two plans as JSON on standard input and prints where they differ: totals, and of each stage its times, its memory, and the
# bytes that each kind of collective moves.
# SPDX-License-Identifier: Apache-2.0
import collections
import json
import sys


def numbers(plan):
    found = {("totals", k): v for k, v in plan["totals"].items()} | {("memory", k): v for k, v in plan["memory"].items()}
    for stage in plan["stages"]:
        found |= {("stage", stage["stage"], k): v for k, v in stage.items()}
    for stage in plan["memory"]["stages"]:
        found |= {("memory", stage["stage"], k): v for k, v in stage.items()}
    moved = collections.Counter()
    for row in plan["collectives"]:
        moved["collective", row["stage"], row["op"], row["class"], row["phase"], row["axis"]] += row["count"] * row["bytes"]
    return {k: v for k, v in (found | moved).items() if isinstance(v, (int, float)) and not isinstance(v, bool)}


first, second = (numbers(plan) for plan in json.load(sys.stdin)["plans"])
different = [k for k in {**first, **second} if abs(first.get(k, 0) - second.get(k, 0)) > 1e-9 * abs(first.get(k, 0))]
print(f"{len(first)} numbers, {len(different)} different", *(f"{k}: {first.get(k)} {second.get(k)}" for k in different), sep="\n")
