#!/usr/bin/env python3
# The warning for a dimension that a rule splits in some layers and that others hold whole (PLAN0649). Of every model of parameter_counts.csv whose layers
# share a dimension, a plan places one layer alone: the warning names it and another one, and is gone with the scope that its help writes. No plan of the
# repository has the warning.
# SPDX-License-Identifier: Apache-2.0
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

CODE = "PLAN0649"
DIMENSIONS = ["heads", "ffn", "experts"]
LEAST = 0.01  # share of the parameters that passes/check/HalfPlaced.cpp speaks of
MODELS = 28  # at least as many must be placed by half here
FILE = 12  # models of one file: planc bounds what the evaluation of a file may take

HEAD = """
import std.clusters.dgx_h100
import std.stacks.te
import std.optimizers
"""
PLAN = """
plan {name} {{
  model    = {model}
  cluster  = dgx_h100.eos(nodes = 1)
  software = te.te
  train {{ {extents}; global_batch = 8; micro_batch = 1; optimizer = optimizers.adam }}
  mesh {{ tp = 2; dp = 4 }}
  place {{ batch -> dp; {rules} }}
}}
"""


def run(planc, folder, command, plans):
    """What planc prints of these plans, (name, model, extents, rules) each, and the diagnostics."""
    modules = sorted({module for _, model, _, _ in plans for module in re.findall(r"\b([a-z]\w*)\.", model)})
    path = pathlib.Path(folder) / "half.plan"
    path.write_text("".join(f"import std.models.{m}\n" for m in modules) + HEAD +
                    "".join(PLAN.format(name=n, model=m, extents=e, rules=r) for n, m, e, r in plans))
    done = subprocess.run([planc, *command, str(path), "--diagnostics", "json"], capture_output=True, text=True)
    return done.stdout, [json.loads(line) for line in done.stderr.splitlines()], path.read_text().splitlines()


def split_layers(text):
    """By plan: the elements of the parameters that each layer splits over tp, and those of all parameters."""
    plans, layer = {}, ""
    for line in text.splitlines():
        if found := re.match(r"program (\w+) ", line):
            split, total = plans.setdefault(found.group(1), (collections.Counter(), [0]))
        elif found := re.match(r"layer (\S+?)(?: x(\d+))? ", line):
            layer, count = re.sub(r"\[.*?\]", "", found.group(1)), int(found.group(2) or 1)  # instances of a repeat together
        elif found := re.match(r"  param @(\S+) : \[(.*?)\].* elements=([\d.e+]+)(?: times=(\d+))?", line):
            parts = 2 if "@tp" in found.group(2) else 1
            elements = float(found.group(3)) * count * int(found.group(4) or 1) * parts
            total[0] += elements
            if parts > 1:
                split[".".join([layer, *found.group(1).split(".")[:-1]])] += elements
    return {name: (split, total[0]) for name, (split, total) in plans.items()}


def halves(listing, whole):
    """The plans that place one of several layers that share a dimension, and of each the others and their share of the parameters."""
    made, expected = [], {}
    for name, model, extents, rule in whole:
        split, total = listing.get(name, ({}, 0))
        dimension = rule.split()[0]
        for n, layer in enumerate(sorted(split)):
            others = {l: e for l, e in split.items() if not f"{l}.".startswith(f"{layer}.")}
            if not others or split[layer] < sum(split.values()) / 1000:
                continue
            for kind, first in [("", ""), ("_seq", "seq -> tp optional; ")]:
                made.append((f"{name}_{n}{kind}", model, extents, f"{first}{layer} {{ {dimension} -> tp }}"))
                expected[f"{name}_{n}{kind}"] = (model, layer, list(others), sum(others.values()) / total)
    return made, expected


def by_plan(diagnostics, lines):
    """The diagnostics of each plan, by the last plan that begins above them."""
    found = collections.defaultdict(list)
    for d in diagnostics:
        above = [m.group(1) for line in lines[:d["line"]] if (m := re.match(r"plan (\w+) ", line))]
        found[above[-1] if above else ""].append(d)
    return found


def models_of(root):
    """Each model of the table, with extents of its inputs."""
    rows = {}
    table = (root / "tests/library/parameter_counts.csv").read_text().splitlines()
    for r in csv.DictReader(line for line in table if not line.startswith("#")):
        rows.setdefault(r["model"], r["extents"])
    return rows


def by_half(planc, rows, folder):
    """Of plans that place one layer alone: what is wrong with the warning."""
    whole = [(f"p{n}_{d}", m, e, f"{d} -> tp optional") for n, (m, e) in enumerate(rows.items()) for d in DIMENSIONS]
    made, expected = halves(split_layers(run(planc, folder, ["compile", "--emit=comm"], whole)[0]), whole)
    _, diagnostics, lines = run(planc, folder, ["check"], made)
    told, wrong, mended, models = by_plan(diagnostics, lines), [], [], set()
    for name, model, extents, rules in made:
        _, layer, others, share = expected[name]
        if errors := [d for d in told[name] if d["severity"] == "error"]:
            wrong.append(f"{model}, {rules}: {errors[0]['code']} {errors[0]['message']}")
            continue
        warnings = [d for d in told[name] if d["code"] == CODE]
        if share <= LEAST:
            wrong += [f"{model}, {rules}: {share:.2%} is whole, and there is a warning" for _ in warnings]
            continue
        text = json.dumps(warnings)
        named = re.search(r"splits `([\w.]+)`, but not `([\w.]+)`", text)
        # a parameter may belong to a block around the layers that read it
        if not named or not (layer.startswith(named.group(1)) or named.group(1).startswith(f"{layer}.")) \
                or not any(o.startswith(named.group(2)) for o in others):
            wrong.append(f"{model}, {rules}: {share:.2%} of {', '.join(others)} is whole, and the warning is {text}")
            continue
        models.add(model)
        scope = re.search(r"`([^`{]+ \{ [^`]* \})` reaches", text)
        mended.append((name, model, extents, f"{rules}; {scope.group(1) if scope else 'no scope'}"))
    _, diagnostics, lines = run(planc, folder, ["check"], mended)
    told = by_plan(diagnostics, lines)
    for name, model, _, rules in mended:
        wrong += [f"{model}, {rules}: {d['code']} {d['message']}" for d in told[name] if d["code"] == CODE or d["severity"] == "error"]
    return wrong, len(made), len(models), len(mended)


def all_by_half(planc, rows, folder):
    """The same of all models, file by file."""
    items = list(rows.items())
    wrong, *counts = zip(*(by_half(planc, dict(items[i:i + FILE]), folder) for i in range(0, len(items), FILE)))
    plans, models, mended = map(sum, counts)
    print(f"{plans} plans of {models} models place a layer alone; a scope mends {mended} of them")
    return sum(wrong, []) + ([] if models >= MODELS else [f"fewer than {MODELS} models"])


def everywhere(planc, rows, folder):
    """Of a scope that reaches all layers of every model nothing is said."""
    rules = "seq -> tp optional; * { heads -> tp optional; ffn -> tp optional; experts -> dp optional }"
    made = [(f"all_{n}", m, e, rules) for n, (m, e) in enumerate(rows.items())]
    _, diagnostics, lines = run(planc, folder, ["check"], made)
    told = by_plan(diagnostics, lines)
    refused = sum(any(d["severity"] == "error" for d in told[name]) for name, *_ in made)
    print(f"{len(made)} models by one scope, {refused} of them refused")
    return ["most models are refused, of which nothing can be said"] * (refused * 10 > len(made)) + [f"{model}, {rules}: {d['message']}" for name, model, *_ in made for d in told[name] if d["code"] == CODE]


def repository(planc, root):
    """The plans of the repository that have the warning."""
    files = [f for folder in ["examples", "tests/measured", "tests/library/plans", "tests/studies"]
             for f in sorted((root / folder).rglob("*.plan")) if "library-" not in str(f)]
    done = subprocess.run([planc, "check", *map(str, files), "--diagnostics", "json"], capture_output=True, text=True)
    found = [json.loads(line) for line in done.stderr.splitlines()]
    print(f"{len(files)} files of the repository")
    if len(files) < 40 or done.returncode not in (0, 1):
        return [f"{len(files)} files, checked with exit code {done.returncode}"]
    return [f"{d['file']}:{d['line']}: {d['message']}" for d in found if d["code"] == CODE]


def main():
    planc, root = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        rows = models_of(root)
        wrong = all_by_half(planc, rows, folder) + everywhere(planc, rows, folder) + repository(planc, root)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
