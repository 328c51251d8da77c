#!/usr/bin/env python3
"""Every path that `planc sensitivity` lists can be given to `--set`, and changes what its elasticity says: settable.py PLANC FOLDER.

FOLDER holds plans; each constant is set once, in the first plan that lists it. A constant with one value is set to a thousandth more, and the step
time must follow its elasticity. Of a table or a list of samples all values become the last one, so only that it is accepted is asked.
"""
# SPDX-License-Identifier: Apache-2.0
import concurrent.futures
import json
import os
import re
import subprocess
import sys
from pathlib import Path

UNITS = {"number": "", "bytes/time": "B/s", "flops/time": "FLOP/s", "time": "s", "bytes": "B", "power": "W", "energy/flops": "J/FLOP", "money/time": "USD/s",
         "energy": "J", "money": "USD"}
MORE = 1e-3
ASSERTION = re.compile(r"PLAN090[1-3]|PLAN091")  # lines of the plan that no more hold


def result(planc, *words):
    done = subprocess.run([planc, *words, "--format", "json"], capture_output=True, text=True)
    return (json.loads(done.stdout) if done.stdout else {}), done.stderr


def constants(planc, folder):
    """(file, plan, step time, constant), each path once."""
    seen = set()
    for file in sorted(Path(folder).glob("*.plan")):
        found, _ = result(planc, "sensitivity", str(file), "--top", "0")
        for plan in found.get("plans", []):
            for one in plan["constants"]:
                if one["constant"] not in seen:
                    seen.add(one["constant"])
                    yield str(file), plan["plan"], plan["values"]["step_time"], one


def problem(planc, file, plan, before, one, more=MORE):
    path, single, elasticity = one["constant"], one["values"] == 1, one["elasticities"]["step_time"].get("elasticity")
    value = one["value"] * (1 + more) if single else one["value"]
    word = f"{path}={value!r}{UNITS[one['unit']]}"
    found, errors = result(planc, "estimate", file, "--plan", plan, "--set", word, "--no-fixes", "--allow-oom", "--diagnostics=short")
    refused = [line for line in errors.splitlines() if "error[" in line and not ASSERTION.search(line)]
    plans = [p for p in found.get("plans", []) if p.get("totals")]
    if refused or not plans:
        if single and more > 0:  # at the end of its range: a thousandth less
            return problem(planc, file, plan, before, one, -MORE)
        return f"{file}: --set {word}: {refused[0] if refused else errors[:200] or 'no plan'}"
    if not single or elasticity is None:
        return None
    moved = plans[0]["totals"]["step_time_s"] / before - 1
    if abs(moved - more * elasticity) > 0.1 * MORE * max(abs(elasticity), 0.1):
        return f"{file}: --set {word}: the step moves by {moved:.3g}, its elasticity is {elasticity:.3g}"
    return None


def main(planc, folder):
    listed = list(constants(planc, folder))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [p for p in pool.map(lambda c: problem(planc, *c), listed) if p]
    for line in problems:
        print(line)
    print(f"{len(listed)} paths of sensitivity, {len(problems)} that cannot be set")
    return 1 if problems or not listed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
