#!/usr/bin/env python3
"""The Python module gives what the program says, bit for bit; refuses what does not fit; and the page about it runs.

Usage: module.py PLANC ROOT [EDITS]    (PYTHONPATH: where the package lies)

With a number of edits it prices so many and prints how long that took.
"""
# SPDX-License-Identifier: Apache-2.0
import ast
import concurrent.futures
import contextlib
import inspect
import io
import itertools
import json
import os
import random
import re
import subprocess
import sys
import threading
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
    check("version", subprocess.run([program, "version"], capture_output=True, text=True).stdout.split()[1] == planc.__version__)
    check("step time", plan.step_time == told["totals"]["step_time_s"])
    check("memory", plan.peak_memory == told["memory"]["peak_bytes"] and plan.fits == told["memory"]["fits"])
    check("layers", plan.rows("layers") == told["layers"])
    check("collectives", plan.rows("collectives") == told["collectives"])
    check("stages", plan.rows("stages") == told["stages"])
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
    check("an axis", code_of(lambda: plan.price(planc.PlanEdit(axes={"tq": 2}))) == "PLAN0930")
    check("a value", code_of(lambda: plan.price(planc.PlanEdit(facts={"mesh.tp": "much"}))) == "PLAN0934")
    check("a law", code_of(lambda: plan.price(planc.PlanEdit(axes={"tp": 4}))) == "PLAN0620")
    check("a plan", code_of(lambda: planc.load(PLAN).bind("nothing")) == "PLAN0212")
    check("layers", code_of(lambda: plan.price(planc.PlanEdit(recompute=["encoder"]))) == "PLAN0930")
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


def tables():
    """Tables of results of the program and of the module: flat rows, whose keys name the members of the JSON."""
    searched = planc.run("search", "examples/search_dense.plan", "--top", "3")
    best = planc.rows(searched, "search.best")
    check("candidates", len(best) == len(searched["search"]["best"]) == 3)
    check("a choice", [row["choices.mesh.tp"] for row in best] == [found["choices"]["mesh.tp"] for found in searched["search"]["best"]])
    check("a list", best[0]["goals.0"] == searched["search"]["best"][0]["goals"][0] == best[0]["step_time_s"])
    told = planc.run("estimate", PLAN, "--plan", NAME, "--no-fixes")
    whole = told["plans"][0]
    (row,) = planc.rows(told, "plans")
    check("a plan", (row["id"], row["mesh.tp"], row["totals.step_time_s"]) == (whole["id"], 8, whole["totals"]["step_time_s"]))
    check("totals", planc.rows(told, "totals") == [{"plan": whole["id"], **whole["totals"]}])
    check("rows of a plan", planc.rows(told, "layers") == [{"plan": whole["id"], **layer} for layer in whole["layers"]])
    check("a table in an object", [r["at.layer"] for r in planc.rows(told, "memory.stages")] == [s["at"]["layer"] for s in whole["memory"]["stages"]])
    check("an empty table", planc.rows(told, "memory.fixes") == [] and planc.rows(searched, "search.front") == [])
    report = planc.load(PLAN).bind(NAME).estimate()
    for table in ("plans", *(name for name, value in report.items() if isinstance(value, list))):
        rows = planc.rows(report, table)
        check(f"{table} has rows", len(rows) == len(report[table]) if table in report else len(rows) == 1)
        check(f"{table} is flat", not any(isinstance(value, (dict, list)) for each in rows for value in each.values()))
    for wrong in "layer", "mesh.tp", "order", "layers.path", "":
        try:
            planc.rows(told, wrong)
            check("a wrong table", False)
        except ValueError as error:
            check("a wrong table names the others", "collectives" in str(error) and "memory.stages" in str(error))


def runs():
    """What the program refuses is refused here, with its diagnostics and its result."""
    try:
        planc.run("estimate", PLAN, "--plan", NAME, "--no-fixes", "--set", "train.micro_batch=4")
        check("an assertion", False)
    except planc.Diagnostics as refused:
        check("an assertion that fails", refused.args[1][0]["severity"] == "error" and refused.args[2]["plans"][0]["name"] == NAME)
    for words in ("estimate", "nowhere.plan"), ("estimate", PLAN, "--no-such-option"), ("fmt", PLAN):
        try:
            planc.run(*words)
            check("words that are wrong", False)
        except ValueError as error:
            check("the program's own words", "planc" in str(error) and len(str(error)) > 20)


def threads():
    """While one thread prices, another one counts. A chunk of calls and readings runs in C alone, where Python changes threads only if a call
    lets the interpreter go: a module that holds it reads the same count throughout, however long that takes."""
    count, over = [0], threading.Event()

    def counting():
        while not over.is_set():
            count[0] += 1

    def moves(call, words, chunks):
        """Whether the count moves during calls with these words, 20 at a time."""
        for _ in range(chunks):
            seen = list(zip(map(call, itertools.islice(itertools.cycle(words), 20)), map(count.__getitem__, itertools.repeat(0))))
            if seen[0][1] != seen[-1][1]:
                return True
        return False

    file = planc.load(PLAN)
    plan = file.bind(NAME)
    edits = [planc.PlanEdit(facts={"software.jitter": n / 1000}) for n in range(20)]
    counter = threading.Thread(target=counting)
    counter.start()
    try:
        check("a sum holds the interpreter", not moves(sum, [range(100000)], 5))
        check("others run while a plan is priced", moves(plan.price, edits, 1000))
        check("… is bound", moves(file.bind, [NAME], 1000))
        check("… is read", moves(planc.load, [PLAN], 1000))
    finally:
        over.set()
        counter.join()


def shared():
    """Threads that share a file, its plans and their edits find what one finds alone."""
    edits = [planc.PlanEdit(axes={"tp": t, "dp": 8 // t}, micro_batch=b, place={("", "batch"): ["dp"]}) for t in (2, 4, 8) for b in (1, 2)]
    alone = [planc.load(PLAN).bind(NAME).price(edit) for edit in edits]
    file = planc.load(PLAN)
    plan = file.bind(NAME)

    def price(edit):
        bound = file.bind(NAME)  # goes in this thread, while others price
        return plan.price(edit), bound.edit(edit).step_time, plan.step_time

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = list(pool.map(price, edits * 25))
    check("shared by threads", [p for p, _, _ in found] == alone * 25)
    check("bound in threads", [step for _, step, _ in found] == [step for step, _, _ in alone] * 25)
    check("one plan in all", {step for _, _, step in found} == {plan.step_time})


def parameters(function):
    """Names of the parameters: of a compiled function as its first line of help has them, of another one as it is."""
    text = re.match(r"\w+\((.*)\) -> ", function.__doc__ or "")
    return re.findall(r"(\w+): ", text[1]) if text else list(inspect.signature(function).parameters)


def stubs():
    """What the stubs name is there, with the same parameters, and the other way round."""
    tree = ast.parse((Path(planc.__file__).parent / "__init__.pyi").read_text())
    declared = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            declared |= {name.asname for name in node.names if name.asname}  # `as`: for those who import the module, too
        elif isinstance(node, ast.FunctionDef):
            declared.add(node.name)
            check(f"parameters of {node.name}", [a.arg for a in node.args.args] == parameters(getattr(planc, node.name)))
        elif isinstance(node, ast.ClassDef):
            declared.add(node.name)
            functions = {f.name: f for f in node.body if isinstance(f, ast.FunctionDef)}
            there = {n for n in vars(getattr(planc, node.name)) if not n.startswith("_")}
            check(f"stubs of {node.name}", functions.keys() - {"__init__"} == there or node.name == "Diagnostics")
            for name, function in functions.items():
                real = getattr(getattr(planc, node.name), name)
                if not isinstance(real, property):
                    check(f"parameters of {node.name}.{name}", [a.arg for a in function.args.args + function.args.kwonlyargs] == parameters(real))
    public = {name for name in dir(planc) if not name.startswith("_")}
    check("names", declared == set(planc.__all__) == public)
    check("names of the compiled part", {n for n in dir(planc._planc) if not n.startswith("_")} <= public)


def page(root):
    """The blocks of the page, one after the other as one script."""
    blocks = re.findall(r"```python\n(.*?)```", (root / "docs/library.md").read_text(), re.S)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile("\n".join(blocks), "docs/library.md", "exec"), {})
    check("the page prints", "PLAN0930" in out.getvalue() and "h100_sxm5_80gb" in out.getvalue())
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
    tables()
    runs()
    threads()
    shared()
    stubs()
    print(f"{page(root)} blocks of the page")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
