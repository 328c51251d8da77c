#!/usr/bin/env python3
# Random plans in other forms cost the same: run again, formatted, declarations in another order, the machine in a file of its own, reported as CSV.
# SPDX-License-Identifier: Apache-2.0
import csv
import io
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # no caches in the tree
from plan_text import MACHINE_KINDS, file_text
from specification import draw

BASES = range(5000, 5030)
BLOCK = re.compile(r"\n(?=(?:%s|model|plan) \w)" % "|".join(MACHINE_KINDS))


def estimate(planc, path, form="json"):
    run = subprocess.run([planc, "estimate", str(path), "--format", form, "--no-fixes", "--allow-oom"], capture_output=True, text=True)
    return run.stdout


def prices(planc, path):
    """The report, without what says where in the text something stands, in which order, or is called after a file."""
    report = json.loads(estimate(planc, path))
    plans = report["plans"]
    for plan in plans:
        for name in ("cluster", "interval", "facts"):
            plan.pop(name, None)
        for row in plan["collectives"]:
            row.pop("because", None)
    return json.dumps(plans, sort_keys=True) if plans else "refused: " + "; ".join(d["message"] for d in report["diagnostics"])


def blocks(text):
    """The imports of a file, and its declarations."""
    imports, *declarations = BLOCK.split(text)
    return imports.rstrip("\n"), [d.rstrip("\n") for d in declarations]


def reordered(text, rng):
    imports, declarations = blocks(text)
    lines = imports.split("\n")
    rng.shuffle(lines)
    rng.shuffle(declarations)
    return "\n".join(lines + declarations) + "\n"


def apart(text, folder):
    """The same plan with the machine in a file of its own."""
    imports, declarations = blocks(text)
    machine = [d for d in declarations if d.split()[0] in MACHINE_KINDS]
    used = [line for line in imports.split("\n") if line.endswith("std.devices")]
    (folder / "machine.plan").write_text("\n".join(used + ["export " + d for d in machine]) + "\n")
    rest = [d for d in declarations if d not in machine]
    kept = [line for line in imports.split("\n") if line not in used]
    return "\n".join(kept + ['import "machine.plan" as ours'] + rest).replace("cluster = cluster_", "cluster = ours.cluster_") + "\n"


def csv_differences(planc, path):
    rows = list(csv.DictReader(io.StringIO(estimate(planc, path, "csv"))))
    layers = json.loads(estimate(planc, path))["plans"][0]["layers"]
    if len(rows) != len(layers):
        return [f"{len(rows)} rows, {len(layers)} layers"]
    return [f"{name} {value} -> {row[name]}" for row, layer in zip(rows, layers) for name, value in layer.items()
            if name in row and isinstance(value, (int, float)) and abs(float(row[name]) - value) > 1e-9 * abs(value)]


def check(planc, seed, folder):
    """What is wrong with the plan of a seed."""
    text, _ = file_text({"base": draw(seed)})
    path, problems = folder / "base.plan", []
    path.write_text(text)
    first = prices(planc, path)
    if first.startswith("refused"):
        return [first]

    def same(what, changed):
        path.write_text(changed)
        if what == "formatted":
            subprocess.run([planc, "fmt", str(path)], check=True)
            if subprocess.run([planc, "fmt", "--check", str(path)], capture_output=True).returncode != 0:
                problems.append("formatted twice it differs")
        found = prices(planc, path)
        if found != first:
            problems.append(f"{what}: {found[:200] if found.startswith('refused') else 'another price'}")
    same("run again", text)
    same("formatted", text)
    same("in another order", reordered(text, random.Random(seed)))
    same("the machine apart", apart(text, folder))
    path.write_text(text)
    return problems + csv_differences(planc, path)[:3]


def main():
    planc = str(pathlib.Path(sys.argv[1]).resolve())
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in BASES:
            for problem in check(planc, seed, pathlib.Path(folder)):
                wrong += 1
                print(f"seed {seed}: {problem}")
    print(f"{len(BASES)} plans in five forms, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
