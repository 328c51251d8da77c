#!/usr/bin/env python3
# Estimates every plan of plans/: each must be priced without an error and fit in memory, and every module of std.models must have one, here or in
# examples/. SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import re
import subprocess
import sys


def main():
    planc, root = sys.argv[1], pathlib.Path(sys.argv[2])
    plans, wrong, used = 0, 0, set()
    for path in sorted((root / "tests/library/plans").glob("*.plan")):
        text = path.read_text()
        used |= set(re.findall(r"^import std\.models\.(\w+)", text, re.MULTILINE))
        declared = re.findall(r"^plan (\w+)", text, re.MULTILINE)
        run = subprocess.run([planc, "estimate", str(path), "--format", "json"], capture_output=True, text=True)
        if run.returncode != 0:
            print(f"{path}: exit code {run.returncode}\n{run.stderr}")
            wrong += 1
            continue
        fits = {p["name"] for p in json.loads(run.stdout)["plans"] if p["memory"]["fits"]}
        for name in declared:
            if name not in fits:
                print(f"{path}: {name} was not priced, or does not fit")
                wrong += 1
        plans += len(declared)
    for path in (root / "examples").glob("*.plan"):
        used |= set(re.findall(r"^import std\.models\.(\w+)", path.read_text(), re.MULTILINE))
    modules = {p.stem for p in (root / "stdlib/models").glob("*.plan")
               if re.search(r"^export model ", p.read_text(), re.MULTILINE)}
    for module in sorted(modules - used):
        print(f"std.models.{module}: no plan uses it")
    print(f"{plans} plans of {len(used)} modules, {wrong + len(modules - used)} wrong")
    return 1 if wrong or modules - used or not plans else 0


if __name__ == "__main__":
    sys.exit(main())
