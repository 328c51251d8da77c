#!/usr/bin/env python3
# Every exported model of the library by every recipe that suits it, on three clusters, with the recipe's own degrees and with two others: each is priced,
# or refused as recipe_refusals.csv says. Fitting in memory is no condition. A test prices one in SAMPLE of them, other ones for each model and recipe;
# `--all` prices all, `--renew` writes the table from all.
# SPDX-License-Identifier: Apache-2.0
import argparse
import collections
import concurrent.futures
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SAMPLE = 5
MODELS = 150  # at least as many without parameters that want a value
TABLES = "emb_dim"  # a parameter of models that look rows up in tables

GPUS = ["hgx.hgx_h100(nodes = 8)", "nvl72.gb200_nvl72(racks = 1, gpus = 64)", "dgx_a100.superpod(nodes = 8)"]
PODS = ["hgx.hgx_h100(nodes = 8)", "nvl72.gb200_nvl72(racks = 1, gpus = 64)", "tpu.tpu_v5p(x = 4, y = 4, z = 4)"]
SPLIT = ["", "tp = 2", "tp = 8, pp = 2"]
DEALT = ["", "micro_batch = 2", "micro_batch = 4, redo = true"]
# By recipe: whether its models have tables, clusters, arguments.
RECIPES = [
    ("megatron", False, GPUS, SPLIT),
    ("torchtitan", False, GPUS, SPLIT),
    ("deepspeed", False, GPUS, DEALT),
    ("deepspeed_zero1", False, GPUS, DEALT),
    ("deepspeed_zero2", False, GPUS, DEALT),
    ("deepspeed_offload", False, GPUS, DEALT),
    ("hugging_face", False, GPUS, ["", "rep = 8", "redo = true"]),
    ("hugging_face_ddp", False, GPUS, DEALT),
    ("hugging_face_lora", False, GPUS, ["", "rep = 8", "rank = 8"]),
    ("hugging_face_qlora", False, GPUS, ["", "rep = 8", "rank = 8"]),
    ("maxtext", False, PODS, ["", "tp = 2", "tp = 8, data = 2"]),
    ("recommendation", True, GPUS, ["", 'by = "column"', 'by = "table"']),
    ("forward", False, PODS, ["", "tp = 2", "tp = 8, batch = 2"]),
    ("forward", True, PODS, ["", "batch = 64", "compute = fp16"]),
]
# Of what these speak is no defect of a recipe: samples and runs that there are, memory, and what of the step is exposed.
MAY_WARN = {"PLAN0806", "PLAN0807", "PLAN0808", "PLAN0825", "PLAN1172", "PLAN1173", "PLAN1174", "PLAN1175"}
# A machine that a recipe's framework never ran on: Gaudi, or TPU if the framework has a port to Gaudi.
NEVER = "gaudi.gaudi2(nodes = 8)"
ON_GAUDI = ("deepspeed", "hugging_face")
NEVER_ON_TPU = "tpu.tpu_v5e(slices = 1)"
ANYWHERE = {"forward"}

Case = collections.namedtuple("Case", "recipe model cluster arguments")


def show(planc, name):
    return json.loads(subprocess.run([planc, "show", name, "--format", "json"], capture_output=True, text=True, check=True).stdout)


def models_of(planc):
    """Every exported model whose parameters all have defaults, and whether it has tables."""
    found = {}
    for module in show(planc, "std.models")["modules"]:
        for one in show(planc, module["name"])["exports"]:
            parameters = one["parameters"] or []
            if one["kind"] == "model" and not one["deprecated"] and all(p["default"] is not None for p in parameters):
                found[module["name"].split(".")[-1] + "." + one["name"]] = any(p["name"] == TABLES for p in parameters)
    return found


def cases_of(models):
    made = []
    for recipe, tables, clusters, arguments in RECIPES:
        for model, has in models.items():
            if tables == has:
                made += [Case(recipe, model, c, a) for c in clusters for a in arguments]
    return made


def text_of(cases):
    lines = sorted({f"import std.models.{c.model.split('.')[0]}" for c in cases} | {f"import std.clusters.{c.cluster.split('.')[0]}" for c in cases})
    for n, c in enumerate(cases):
        arguments = f", {c.arguments}" if c.arguments else ""
        lines.append(f"plan p{n} extends recipes.{c.recipe}(m = {c.model}, c = {c.cluster}{arguments}) {{}}")
    return "\n".join(["import std.recipes", *lines, ""])


def price(planc, cases):
    """The priced ones of some cases, by number, and the diagnostics. A plan with an error leaves the others as they are."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "recipes.plan"
        path.write_text(text_of(cases))
        done = subprocess.run([planc, "estimate", str(path), "--format", "json", "--allow-oom"], capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        sys.exit(f"{cases[0]}: exit code {done.returncode}\n{done.stderr}")
    report = json.loads(done.stdout)
    return {int(p["name"][1:]) for p in report["plans"] if p["totals"]["step_time_s"] > 0}, report["diagnostics"]


def refusal(planc, case):
    """(code, message) of the error of a case alone."""
    priced, diagnostics = price(planc, [case])
    errors = [d for d in diagnostics if d["severity"] == "error"]
    return ("", "") if priced else (errors[0]["code"], errors[0]["message"]) if errors else ("none", "no error and no price")


def judge(planc, cases):
    """The refused cases with code and message, and the warnings that a recipe must not have, by case."""
    batches = collections.defaultdict(list)
    for c in cases:
        batches[c.recipe, c.cluster, c.arguments].append(c)
    refused, warned = {}, []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for batch, (priced, diagnostics) in zip(batches.values(), pool.map(lambda b: price(planc, b), batches.values())):
            warned += [f"{batch[0].recipe}, {batch[0].cluster}, {batch[0].arguments}: {d['code']} {d['message']}" for d in diagnostics
                       if d["severity"] == "warning" and d["code"] not in MAY_WARN]
            refused.update({c: None for n, c in enumerate(batch) if n not in priced})
        for case, why in zip(refused, pool.map(lambda c: refusal(planc, c), refused)):
            refused[case] = why
    return refused, warned


def strangers(planc, models):
    """The recipes that price a machine that their framework never ran on."""
    wrong = []
    for recipe, tables, _, _ in RECIPES:
        model = next(m for m, has in models.items() if tables == has)
        never = NEVER_ON_TPU if recipe.startswith(ON_GAUDI) else NEVER
        code, _ = refusal(planc, Case(recipe, model, never, ""))
        if (code == "PLAN0310") != (recipe not in ANYWHERE):
            wrong.append(f"{recipe} on {never}: {code or 'priced'}")
    return wrong


def read(path):
    with open(path, newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {Case(r["recipe"], r["model"], r["cluster"], r["arguments"]): (r["code"], r["why"]) for r in rows}


def write(path, refused):
    with open(path, "w", newline="") as file:
        file.write("# What recipes.py finds refused, and why: written by `recipes.py PLANC TABLE --renew`.\n")
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*Case._fields, "code", "why"])
        out.writerows([*case, *why] for case, why in sorted(refused.items()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("planc")
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--renew", action="store_true")
    a = parser.parse_args()
    models = models_of(a.planc)
    every = cases_of(models)
    cases = every if a.all or a.renew else [c for n, c in enumerate(every) if n % SAMPLE == 0]
    refused, warned = judge(a.planc, cases)
    if a.renew:
        write(a.table, refused)
    known = read(a.table)
    expected = {c: known[c] for c in cases if c in known}
    wrong = warned + strangers(a.planc, models) + [f"{c}: not in {a.table.name}: {why}" for c, why in refused.items() if c not in known]
    wrong += [f"{c}: {known[c][0]} in {a.table.name}, but it is priced" for c in expected if c not in refused]
    wrong += [f"{c}: {expected[c][0]} in {a.table.name}, now {why}" for c, why in refused.items() if c in expected and why[0] != expected[c][0]]
    wrong += [f"{c}: in {a.table.name}, but no case" for c in set(known) - set(every)]
    wrong += [f"only {len(models)} models"] * (len(models) < MODELS)
    print("\n".join(wrong))
    print(f"{len(cases)} of {len(every)} plans of {len(models)} models by {len({c.recipe for c in every})} recipes: {len(refused)} refused, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
