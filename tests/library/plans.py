#!/usr/bin/env python3
# Estimates every plan of plans/ and of examples/: each must be priced without an error and fit in memory, and every module of std.models must have one.
# A plan that waits for arguments is a template: the plans made of it are checked. So are those of comparisons.
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import re
import subprocess
import sys

FAILED_ASSERTION = "PLAN0901"  # budgets of an example are its own affair; that plans fit is checked here


def main():
    planc, root = sys.argv[1], pathlib.Path(sys.argv[2])
    plans, wrong, used = 0, 0, set()
    for path in sorted([*(root / "tests/library/plans").glob("*.plan"), *(root / "examples").glob("*.plan")]):
        text = path.read_text()
        used |= set(re.findall(r"^import std\.models\.(\w+)", text, re.MULTILINE))
        found = re.findall(r"^(?:export )?plan (\w+)(?:\((.*?)\))?", text, re.MULTILINE)
        if not found:
            continue
        declared = [name for name, parameters in found if all("=" in p for p in parameters.split(",") if p)]
        run = subprocess.run([planc, "estimate", str(path), "--format", "json"], capture_output=True, text=True)
        report = json.loads(run.stdout) if run.stdout.startswith("{") else {"plans": [], "diagnostics": []}
        errors = [d for d in report["diagnostics"] if d["severity"] == "error" and d["code"] != FAILED_ASSERTION]
        if errors or not report["plans"]:
            print(f"{path}: exit code {run.returncode}\n{run.stderr}")
            wrong += 1
            continue
        fits = {p["name"] for p in report["plans"] if p["memory"]["fits"]}
        compared = [(c["name"], p) for c in report.get("comparisons", []) for p in c["plans"]]
        for name, plan in compared:
            if not plan["fits"]:
                print(f"{path}: {plan['name']} of {name} does not fit")
                wrong += 1
        for name in declared:
            if name not in fits:
                print(f"{path}: {name} was not priced, or does not fit")
                wrong += 1
        plans += len(declared) + len(compared)
    modules = {p.stem for p in (root / "stdlib/models").glob("*.plan")
               if re.search(r"^export model ", p.read_text(), re.MULTILINE)}
    for module in sorted(modules - used):
        print(f"std.models.{module}: no plan uses it")
    print(f"{plans} plans of {len(used)} modules, {wrong + len(modules - used)} wrong")
    return 1 if wrong or modules - used or not plans else 0


if __name__ == "__main__":
    sys.exit(main())
