#!/usr/bin/env python3
# The search of a recipe beside what was published: it has the published layouts among its candidates, and finds none that is much slower.
# SPDX-License-Identifier: Apache-2.0
"""A configuration is the published runs of one model, machine, sequence, batch, type and stack, as `regret.py` groups them; it is called after one of
its runs. The recipe of its framework is searched for the same work, with no degree given. The best of it takes at most SLOWER longer than the best
published layout, both as planc prices them, and that layout is one of the candidates. Where the recipe's own search lacks a value that was published,
LACKING says which, and why; a value that it has by now fails."""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # no caches in the tree
import pricing
import regret
import runs
from sources.common import file_text

SLOWER = 0.03

# {run: (recipe, source)}: all runs are of the subset, so that no other table is needed.
CONFIGURATIONS = {
    "sc21t1-004": ("megatron", "sc21"), "sc21t1-010": ("megatron", "sc21"), "sc21t2-007": ("megatron", "sc21"), "vtrainM-043": ("megatron", "vtrain"),
    "mbridge-261": ("megatron", "bridge"), "mbridge-002": ("megatron", "bridge"), "mbridge-050": ("megatron", "bridge"),
    "nemocp-012": ("megatron", "nemo_context"),
    "ttitan-001": ("torchtitan", "torchtitan"), "ttitan-007": ("torchtitan", "torchtitan"), "ttitan-013": ("torchtitan", "torchtitan"),
    "ttitan-019": ("torchtitan", "torchtitan"),
    "llmf-010": ("hugging_face", "llm_foundry"), "llmf-025": ("hugging_face", "llm_foundry"), "fms-001": ("hugging_face", "fms"),
    "fms-007": ("hugging_face", "fms"),
    "sc21t2-001": ("deepspeed", "sc21"), "stas-004": ("deepspeed", "stas00"),
    "maxtext-017": ("maxtext", "maxtext"), "maxtext-041": ("maxtext", "maxtext"),
}
# {run: (what the search is given besides, why the recipe does without)}.
LACKING = {
    "ttitan-019": ("micro_batch in [16]", "no stage lies between, so that a large micro-batch holds much and saves little"),
}


def degrees(recipe, run):
    """What a search says of a run's layout: {path of a choice: its value}."""
    axes = {"mesh.tp": run.tensor, "mesh.cp": run.context, "mesh.pp": run.pipeline, "mesh.rep": run.copies, "mesh.data": run.copies,
            "mesh.dp_ep": max(1, run.expert // (run.tensor * run.context)), "stage": 3 if run.stored == "params" else 1}
    said = {"megatron": ["mesh.tp", "mesh.cp", "mesh.dp_ep", "mesh.pp"], "torchtitan": ["mesh.tp", "mesh.cp", "mesh.pp", "mesh.rep"],
            "hugging_face": ["mesh.rep"], "deepspeed": ["stage"], "maxtext": ["mesh.tp", "mesh.cp"]}
    return {path: axes[path] for path in said[recipe]} | {"train.micro_batch": run.micro_batch}


def searched(recipe, run):
    """The plan of a recipe for the work of a run: its model, machine, batch, types and stack."""
    facts = {"m": run.model, "c": run.cluster, "seq": run.seq, "batch": run.global_batch, "compute": run.precision["compute"], "software": run.software}
    types = "; ".join(f"{k} = {v}" for k, v in run.precision.items() if not v.startswith("{"))
    parts = "; ".join(f"{k} {v}" for k, v in run.precision.items() if v.startswith("{"))
    body = [f"override precision = {{ {types} }}", f"override train {{ optimizer = optimizers.{run.optimizer} }}"]
    body += [f"precision {{ {parts} }}"] * bool(parts)
    body += [f"overlap {{ {run.overlap} }}"] * bool(run.overlap)
    return (f"import std.recipes.{recipe} as recipe\n",
            f"plan searched extends recipe.{recipe}({', '.join(f'{k} = {v}' for k, v in facts.items())}) {{\n"
            + "".join(f"  {line}\n" for line in body) + "}\n")


def search(planc, path, *options):
    """(the search of a plan, seconds that processors took)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([planc, "search", path, "--plan", "searched", "--format", "json", *options], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = json.loads(done.stdout).get("search") if done.stdout.strip() else None
    if not found:
        raise RuntimeError(done.stderr[:3000])
    return found, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def configuration(truth, name, recipe, source):
    """The runs of a configuration: those of its work, of which ZeRO-3 without another split is of DeepSpeed, not of Megatron."""
    known = runs.runs_of(truth, source, runs.FITTED)[0]
    named = next((run for run in known if run.name == name.replace("-", "_")), None)
    if named is None:
        raise SystemExit(f"no run {name} in {truth}")
    return [run for run in known if regret.same_work(run) == regret.same_work(named) and (recipe == "megatron" or run.stored == named.stored)]


def compared(planc, name, recipe, source, group):
    """(a row of the table, what is wrong, seconds of the search)."""
    with tempfile.TemporaryDirectory(prefix="recipe-search-") as folder:
        path = os.path.join(folder, "searched.plan")
        head, _, rest = file_text(source.TITLE, group, getattr(source, "PREAMBLE", "")).partition("\n")
        imports, plan = searched(recipe, group[0])
        with open(path, "w") as out:
            out.write(head + "\n" + imports + rest + plan)
        report, stderr = pricing.price(planc, path)
        priced = {p["name"]: p for p in report["plans"]}
        if missing := [run.name for run in group if run.name not in priced]:
            raise RuntimeError(f"{missing[0]} is not priced\n{stderr[:2000]}")
        fits = [run for run in group if priced[run.name]["memory"]["fits"]] or group
        best = min(fits, key=lambda run: priced[run.name]["totals"]["step_time_s"])
        known = priced[best.name]["totals"]["step_time_s"]
        found, seconds = search(planc, path)
        layout = degrees(recipe, best)
        where = ["--where", " and ".join(f"{path} == {value}" for path, value in layout.items())]
        more = ["--vary", LACKING[name][0]] if name in LACKING else []
        inside = search(planc, path, *where)[0]["fates"]["priced"] > 0
        added = bool(more) and search(planc, path, *where, *more)[0]["fates"]["priced"] > 0
    step = found["best"][0]["step_time_s"] if found["best"] else float("inf")
    wrong = [f"{name}: the best found takes {step:.4g} s, {best.name} {known:.4g} s"] * (step > (1 + SLOWER) * known)
    wrong += [f"{name}: {layout} is not among the candidates"] * (not inside and not added)
    wrong += [f"{name}: nothing is lacking"] * (inside and bool(more))
    said = ", ".join(f"{path.rpartition('.')[2]} {value}" for path, value in layout.items() if value != 1 or path == "train.micro_batch")
    chosen = found["best"][0]["choices"] if found["best"] else {}
    values = ", ".join(f"{path.rpartition('.')[2] or path} {value}" for path, value in chosen.items() if value not in ("1", "replicate", "none"))
    devices = best.data * best.tensor * best.context * best.pipeline
    row = (f"| {name} | {recipe} | {best.model.partition('(')[0]}, {priced[best.name]['totals']['params'] / 1e9:.3g} B, {devices} devices | {len(group)} "
           f"| {said} | {known:.4g} | {values} | {step:.4g} | {step / known:.3f} | {seconds:.2f} |")
    return row, wrong, seconds


def main():
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser)
    a = parser.parse_args()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    wrong, worst = [], 0.0
    print("| configuration | recipe | model | runs | best published | s | best found | s | ratio | seconds of processors |\n|---|---|---|--:|---|--:|---|--:|--:|--:|")
    for name, (recipe, module) in CONFIGURATIONS.items():
        source = runs.selected([module])[0]
        row, lines, seconds = compared(a.planc, name, recipe, source, configuration(a.truth, name, recipe, source))
        wrong, worst = wrong + lines, max(worst, seconds)
        print(row, flush=True)
    print("\n".join(wrong + [f"{len(CONFIGURATIONS)} configurations, {len(wrong)} wrong, the longest search {worst:.2f} s of processors"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
