#!/usr/bin/env python3
# Prices the plans of a file and compares every `measured` line: prints one row each, the mean and the largest error, and fails beyond the bars.
# SPDX-License-Identifier: Apache-2.0
import argparse
import os
import sys

sys.dont_write_bytecode = True  # no caches in the tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from errors import percent
from pricing import mistakes, price


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("planc")
    parser.add_argument("file")
    parser.add_argument("--mean", type=float, required=True, help="largest mean absolute error of step times or rates, in percent")
    parser.add_argument("--max", type=float, required=True, help="largest absolute error of one, in percent")
    parser.add_argument("--layer", type=float, help="largest absolute error of a layer time, in percent")
    parser.add_argument("--rows", type=int, required=True, help="step times or rates that the file must hold")
    a = parser.parse_args()
    report, stderr = price(a.planc, a.file)
    if not report["plans"]:
        print(stderr)
        return 1
    steps, layers = [], []
    for plan in report["plans"]:
        for m in plan["measured"]:
            error = percent(m["predicted"], m["measured"])
            (layers if m["metric"].startswith("layer(") else steps).append(error)
            print(f"{plan['name']:34} {m['metric']:62} {m['measured']:9.4g} {m['predicted']:9.4g} {error:+6.2f} %")
    errors = mistakes(report)
    print("".join(line + "\n" for line in errors), end="")
    mean = sum(map(abs, steps)) / max(1, len(steps))
    worst = max(map(abs, steps), default=0)
    print(f"{len(steps)} steps: mean absolute error {mean:.2f} % (bar {a.mean} %), largest {worst:.2f} % (bar {a.max} %)")
    ok = not errors and len(steps) == a.rows and mean <= a.mean and worst <= a.max
    if a.layer is not None:
        worst_layer = max(map(abs, layers), default=100)
        print(f"{len(layers)} layer times: largest absolute error {worst_layer:.2f} % (bar {a.layer} %)")
        ok = ok and worst_layer <= a.layer
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
