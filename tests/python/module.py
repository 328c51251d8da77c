#!/usr/bin/env python3
"""The Python module gives what the program says, bit for bit; refuses what does not fit; and the page about it runs.

Usage: module.py PLANC ROOT [EDITS]    (PYTHONPATH: where the package lies)

With a number of edits it prices so many and prints how long that took.
"""
# SPDX-License-Identifier: Apache-2.0
import ast
import contextlib
import io
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import planc

PLAN, NAME = "examples/gpt3_175b.plan", "gpt3_175b"


def estimated(program, *facts):
    words = [word for fact in facts for word in ("--set", fact)]
    done = subprocess.run([program, "estimate", PLAN, "--plan", NAME, "--format", "json", "--no-fixes", "--allow-oom", *words],
                          capture_output=True, text=True)  # exit 1: the plan's own assertions are of the plan as it is
    return json.loads(done.stdout)["plans"][0]


def check(what, good):
    if not good:
        sys.exit(f"{what}: no")


def code_of(action):
    try:
        action()
    except planc.Diagnostics as refused:
        return refused.args[1][0]["code"]
    return "none"


def prices(program):
    plan = planc.load(PLAN).bind(NAME)
    told = estimated(program)
    check("step time", plan.step_time == told["totals"]["step_time_s"])
    check("memory", plan.peak_memory == told["memory"]["peak_bytes"] and plan.fits == told["memory"]["fits"])
    check("layers", plan.rows("layers") == told["layers"])
    check("collectives", plan.rows("collectives") == told["collectives"])
    step, peak, _ = plan.price(planc.PlanEdit(axes={"tp": 4, "dp": 2}, micro_batch=2))
    told = estimated(program, "mesh.tp=4", "mesh.dp=2", "train.micro_batch=2")
    check("edited", step == told["totals"]["step_time_s"] and peak == told["memory"]["peak_bytes"])
    check("the plan itself stays", plan.step_time == estimated(program)["totals"]["step_time_s"])
    for chunks in 1, 2, 3:  # over what the edits before left, and alone with its rows
        edit = planc.PlanEdit(schedule=("interleaved_1f1b", {"chunks": chunks}), states={("", "optimizer"): []})
        whole = planc.load(PLAN).bind(NAME).edit(edit).estimate()
        check("shared", plan.price(edit)[:2] == (whole["totals"]["step_time_s"], whole["memory"]["peak_bytes"]))
        check("rows of an edit", plan.edit(edit).rows("layers") == whole["layers"])


def files(program):
    file = planc.load(PLAN)
    file.set("train.micro_batch", 2)
    check("set", file.bind(NAME).step_time == estimated(program, "train.micro_batch=2")["totals"]["step_time_s"])
    check("plans", NAME in [p.name for p in planc.load(PLAN).plans()])
    text = Path(PLAN).read_text()
    base = planc.load(PLAN).bind(NAME)
    edit = planc.PlanEdit(axes={"tp": 4, "dp": 2}, recompute=["decoder"])
    again = planc.loads(text + base.text(edit, "found"), PLAN).bind("found")
    check("written down", again.step_time == base.edit(edit).step_time)
    plan = planc.load(PLAN).bind(NAME)  # its file is gone, it is not
    check("outlives its file", plan.devices == 64 and plan.diagnostics() == [])


def refusals():
    plan = planc.load(PLAN).bind(NAME)
    check("an axis", code_of(lambda: plan.price(planc.PlanEdit(axes={"tq": 2}))) == "PLAN0933")
    check("a value", code_of(lambda: plan.price(planc.PlanEdit(facts={"mesh.tp": "much"}))) == "PLAN0934")
    check("a law", code_of(lambda: plan.price(planc.PlanEdit(axes={"tp": 4}))) == "PLAN0620")
    check("a plan", code_of(lambda: planc.load(PLAN).bind("nothing")) == "PLAN0212")
    check("layers", code_of(lambda: plan.price(planc.PlanEdit(recompute=["encoder"]))) == "PLAN0933")
    file = planc.load(Path(PLAN))
    code_of(lambda: file.bind("nothing"))
    check("of what was asked last", code_of(lambda: file.bind(NAME + "(nodes = 8)")) not in ("none", "PLAN0212"))
    try:
        plan.price(planc.PlanEdit(schedule="no_such"))
        check("a schedule", False)
    except planc.Diagnostics as refused:
        check("its text", str(refused).startswith("PLAN") and "no_such" in str(refused))
        check("its notes", any("interleaved_1f1b" in note for note in refused.args[1][0]["notes"]))
    for wrong in (lambda: plan.rows("layer"), lambda: planc.declarations("gpu"), lambda: planc.PlanEdit(facts={"a": None}),
                  lambda: planc.PlanEdit(schedule="interleaved_1f1b(chunks = 2)")):
        try:
            wrong()
            check("a wrong word", False)
        except ValueError as error:
            check("a wrong word says more", len(str(error)) > 20)
    check("a text", code_of(lambda: planc.loads("plan {")) != "none")
    try:
        planc.load("nowhere.plan")
        check("a file that is not there", False)
    except OSError:
        pass


def stubs():
    """What the stubs name is there, and the other way round."""
    tree = ast.parse((Path(planc.__file__).parent / "__init__.pyi").read_text())
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and hasattr(planc, node.name):
            named = {f.name for f in node.body if isinstance(f, ast.FunctionDef)}
            there = {n for n in vars(getattr(planc, node.name)) if not n.startswith("_")}
            check(f"stubs of {node.name}", named - {"__init__"} == there or node.name == "Diagnostics")
    declared = {n.name for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    check("stubs", set(planc.__all__) <= declared)


def page(root):
    """The blocks of the page, one after the other as one script."""
    blocks = re.findall(r"```python\n(.*?)```", (root / "docs/library.md").read_text(), re.S)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile("\n".join(blocks), "docs/library.md", "exec"), {})
    check("the page prints", "PLAN0933" in out.getvalue() and "h100_sxm5_80gb" in out.getvalue())
    return len(blocks)


def timed(count):
    """Different edits of one plan: loops of a notebook, the innermost over schedules and states."""
    plan = planc.load(PLAN).bind(NAME)
    states = ([], ["optimizer"], ["grads", "optimizer"], ["params", "grads", "optimizer"])
    edits = [planc.PlanEdit(axes={"tp": t, "dp": 64 // t // p, "pp": p}, micro_batch=b, recompute=layers, schedule=schedule,
                            states={("", s): ["dp"] if s in held else [] for s in states[-1]})
             for t, p in ((8, 8), (4, 8), (2, 8), (1, 8), (8, 4), (4, 4), (8, 2)) for b in (1, 2, 4)
             for layers in ([], ["decoder.attn.core"], ["decoder"])
             for schedule in ("one_f_one_b", *(("interleaved_1f1b", {"chunks": v}) for v in (1, 2, 3))) for held in states][:count]
    for what in "in a loop", "at random":
        plan = planc.load(PLAN).bind(NAME)
        begin, priced = time.perf_counter(), 0
        for edit in edits:
            try:
                plan.price(edit)
                priced += 1
            except planc.Diagnostics:
                pass
        print(f"{len(edits)} edits {what} in {time.perf_counter() - begin:.3f} s, {priced} priced")
        random.Random(1).shuffle(edits)


def main(program, root, count):
    os.chdir(root)
    if count:
        return timed(count)
    prices(program)
    files(program)
    refusals()
    stubs()
    print(f"{page(root)} blocks of the page")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
