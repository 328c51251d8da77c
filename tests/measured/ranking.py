#!/usr/bin/env python3
# Prices the plans of a file and compares the schedules of each group with each other: which is faster and which holds more memory must
# come out as published, wherever the published figures differ; prints the errors, and fails beyond the bars.
# SPDX-License-Identifier: Apache-2.0
import argparse
import itertools
import os
import re
import sys

sys.dont_write_bytecode = True  # no caches in the tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from errors import percent
from pricing import mistakes, price


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("planc")
    parser.add_argument("file")
    parser.add_argument("--mean", type=float, required=True, help="largest mean absolute error of step times, in percent")
    parser.add_argument("--max", type=float, required=True, help="largest absolute error of one, in percent")
    parser.add_argument("--memory", type=float, required=True, help="largest absolute error of a memory, in percent")
    parser.add_argument("--rows", type=int, required=True, help="plans that the file must hold")
    parser.add_argument("--group", default=r"(.*?b)_.*_(\d+)$", help="what the name of a plan shares with those it is compared with")
    a = parser.parse_args()
    report, stderr = price(a.planc, a.file)
    if not report["plans"]:
        print(stderr)
        return 1
    groups, errors = {}, {"step_time": [], "memory.peak": []}
    for plan in report["plans"]:
        key = re.match(a.group, plan["name"]).groups()
        for m in plan["measured"]:
            error = percent(m["predicted"], m["measured"])
            errors[m["metric"]].append(error)
            groups.setdefault((m["metric"], *key), []).append((plan["name"], m["measured"], m["predicted"]))
            print(f"{plan['name']:30} {m['metric']:12} {m['measured']:10.4g} {m['predicted']:10.4g} {error:+6.2f} %")
    compared = wrong = 0
    for key, rows in groups.items():
        for (one, m1, p1), (two, m2, p2) in itertools.combinations(rows, 2):
            if m1 == m2:
                continue
            compared += 1
            if (m1 < m2) != (p1 < p2):
                wrong += 1
                print(f"{key[0]}: {one} and {two} are the other way round: published {m1:.4g}, {m2:.4g}; predicted {p1:.4g}, {p2:.4g}")
    ok = wrong == 0 and compared > 0 and len(report["plans"]) == a.rows
    print(f"{compared} differences between schedules, {wrong} with the other sign")
    for metric, bar in (("step_time", a.max), ("memory.peak", a.memory)):
        worst = max(map(abs, errors[metric]), default=100)
        mean = sum(map(abs, errors[metric])) / max(1, len(errors[metric]))
        print(f"{len(errors[metric])} {metric}: mean absolute error {mean:.2f} %, largest {worst:.2f} % (bar {bar} %)")
        ok = ok and worst <= bar and (metric != "step_time" or mean <= a.mean)
    unexpected = mistakes(report)
    print("".join(line + "\n" for line in unexpected), end="")
    return 0 if ok and not unexpected else 1


if __name__ == "__main__":
    sys.exit(main())
