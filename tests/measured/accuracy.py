#!/usr/bin/env python3
# Prices the plans of a file and compares every `measured` line: prints one row each, the mean and the largest error, and fails beyond the bars.
# SPDX-License-Identifier: Apache-2.0
import argparse
import json
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("planc")
    parser.add_argument("file")
    parser.add_argument("--mean", type=float, required=True, help="largest mean absolute error of step times or rates, in percent")
    parser.add_argument("--max", type=float, required=True, help="largest absolute error of one, in percent")
    parser.add_argument("--layer", type=float, help="largest absolute error of a layer time, in percent")
    parser.add_argument("--rows", type=int, required=True, help="step times or rates that the file must hold")
    a = parser.parse_args()
    run = subprocess.run([a.planc, "estimate", a.file, "--format", "json", "--allow-oom"], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        print(run.stderr)
        return 1
    report = json.loads(run.stdout)
    steps, layers = [], []
    for plan in report["plans"]:
        for m in plan["measured"]:
            error = 100 * (m["predicted"] / m["measured"] - 1)
            (layers if m["metric"].startswith("layer(") else steps).append(error)
            print(f"{plan['name']:34} {m['metric']:62} {m['measured']:9.4g} {m['predicted']:9.4g} {error:+6.2f} %")
    errors = [d for d in report["diagnostics"] if d["severity"] == "error" and d["code"] != "PLAN0902"]
    for d in errors:
        print(f"{d['code']}: {d['message']}")
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
