#!/usr/bin/env python3
"""Plans of every edition keep their meaning: what each is compiled to, checked, listed and judged as, beside what was recorded when it was written.

Usage: frozen.py PLANC FOLDER [--record]

FOLDER holds a folder per edition, by its name. A plan says in a line `// frozen: VIEW…` which results are kept in the .txt of its name; README.md lists the
views. `--record` writes the .txt of plans that have none yet, and never replaces one.
"""
# SPDX-License-Identifier: Apache-2.0
import concurrent.futures
import difflib
import json
import re
import subprocess
import sys
from pathlib import Path

STATES = ("params", "grads", "optimizer")


def result(planc, *words, folder):
    """The JSON result of a command, without a word about errors: they are among its diagnostics."""
    done = subprocess.run([planc, *words, "--format", "json"], capture_output=True, text=True, cwd=folder)
    if not done.stdout:
        sys.exit(f"planc {' '.join(words)}: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def split(layout):
    """`; batch over dp; partial over cp`."""
    shards = "".join(f"; {dim} over {'.'.join(axes)}" for dim, axes in sorted(layout["shard"].items()))
    return shards + (f"; partial over {'.'.join(layout['partial'])}" if layout["partial"] else "")


def check(planc, folder, plan):
    """Whether every plan is accepted, and the codes of its errors. A later version may warn of more."""
    told = result(planc, "check", plan, folder=folder)
    yield from (f"{each['id'].split('#')[1]} {'ok' if each['ok'] else 'has errors'}" for each in told["plans"])
    yield from (f"{each['code']} in line {each['line']}" for each in told["diagnostics"] if each["severity"] == "error")
    yield from (f"allowed {each['code']}: {each['reason']}" for each in told.get("suppressed", []))


def model(planc, folder, plan):
    """The dataflow graph: dimensions, parameters and operators of every layer."""
    for each in result(planc, "compile", plan, "--emit=model", folder=folder)["plans"]:
        ir = each["ir"]
        yield f"plan {each['name']}: model {ir['model']}"
        yield "  dims " + ", ".join(f"{dim['name']} {dim['extent']}" for dim in ir["dims"])
        for param in ir["params"]:
            notes = ("" if param["trainable"] else " frozen") + (f" tied {param['tied']}" if param["tied"] else "")
            yield f"  param {param['path']} [{', '.join(param['dims'])}]{notes}"
        for layer in ir["layers"]:
            yield f"  layer {layer['name']} x {layer['count']}"
            for op in layer["operators"]:
                operands = ", ".join(f"{o['value']} [{', '.join(o['dims'])}]" for o in op["operands"])
                amounts = f"{op['flops']} FLOP, share {op['share']}, packed {op['packed']}"
                yield f"    {op['path']} [{', '.join(op['result_dims'])}] = {op['kind']} {op['op']}({operands}), {amounts}"


def operator(step):
    """An operator of a pass."""
    times = f" x {step['times']}" if step["times"] != 1 else ""
    gemm = "".join(f", {name} {size}" for name, size in step.get("gemm", {}).items())
    return f"{step['role']} {step['op']}{times}: {step['flops']} FLOP, {step['reads_bytes']} B read, {step['writes_bytes']} B written{gemm}"


def moved(step):
    """What goes to other devices or to the host, or changes its layout."""
    times = f" x {step['times']}" if step["times"] != 1 else ""
    value = ("d " if step.get("gradient") else "") + step["value"] if "value" in step else "states"
    if "collective" in step:
        return f"{step['phase']} {step['collective']} {value}{times}: {step['class']} over {step['axis']} ({step['group']}, {step['level']}), {step['bytes']} B"
    return f"{step['phase']} {step['node']} {value}{times}: {step['bytes']} B"


def work(steps):
    """The operators of a pass by role and type of products: how many there are, and their amounts."""
    kinds = {}
    for step in steps:
        kind = step["role"] + (f" in {step['gemm']['dtype']}" if "gemm" in step else "")
        amounts = kinds.setdefault(kind, [0, 0, 0, 0])
        for i, amount in enumerate((1, step["flops"], step["reads_bytes"], step["writes_bytes"])):
            amounts[i] += amount * step["times"]
    return [f"{kind}: {n} operators, {flops} FLOP, {reads} B read, {writes} B written" for kind, (n, flops, reads, writes) in kinds.items()]


def layer(body, each_operator):
    """What a device stores, computes and communicates for an instance of a layer."""
    yield f"keeps {body['saved_bytes']} B"
    for param in body["params"]:
        stored = "".join(f"; {state} over {'.'.join(param[state])}" for state in STATES if param[state])
        yield f"  param {param['path']}: {param['elements']} elements{split(param['layout'])}{stored}"
    steps = [step for phase in ("forward", "backward") for step in body[phase]]
    computed = [step for step in steps if step["node"] == "compute"]
    yield from (f"  {line}" for line in (map(operator, computed) if each_operator else work(computed)))
    yield from (f"  {moved(step)}" for step in (*steps, *body["states"]) if step.get("node") != "compute")


def program(planc, folder, plan, each_operator=True):
    """The program of every plan: its stages and kinds of layers. A layer that an earlier plan of the file has is not repeated."""
    seen = {}
    for each in result(planc, "compile", plan, "--emit=comm", folder=folder)["plans"]:
        ir = each["ir"]
        mesh = ", ".join(f"{axis} {size}" for axis, size in ir["mesh"].items())
        yield f"plan {each['name']}: mesh {mesh}; {ir['micro_batches']} micro-batches, {ir['stages']} stages of {ir['chunks']} chunks"
        for stage in ir["virtual_stages"]:
            layers = ", ".join(f"{ir['bodies'][b['body']]['layer']} ({b['body']}) x {b['count']}" for b in stage["bodies"])
            sends = "".join(f"; sends {s['value']}, {s['bytes']} B" for s in stage["sends"])
            yield f"  stage {stage['index']} of devices {stage['devices']}: {layers}{sends}"
        for number, body in enumerate(ir["bodies"]):
            text = "\n  ".join(layer(body, each_operator))
            first = seen.setdefault((body["layer"], text), f"{each['name']} ({number})")
            yield f"  layer {body['layer']} ({number}): " + (text if first == f"{each['name']} ({number})" else f"as in {first}")


def comm(planc, folder, plan):
    """The same with the operators of a layer in sum."""
    return program(planc, folder, plan, each_operator=False)


def totals(planc, folder, plan):
    """What follows from the text alone of all that an estimate says: arguments, what is stored, runs in steps, comparisons."""
    told = result(planc, "estimate", plan, "--no-fixes", folder=folder)
    for each in told["plans"]:
        arguments = ", ".join(f"{name} = {value}" for name, value in each["arguments"].items())
        yield f"plan {each['id'].split('#')[1]}: {each['devices']} devices, arguments {arguments or 'none'}"
        yield f"  {each['totals']['params']} parameters, {each['totals']['params_active']} active"
        yield "  " + ", ".join(f"{state} {each['memory'][state + '_bytes']} B" for state in (*STATES, "host"))
        if each["run"]:
            yield f"  run of {each['run']['steps']} steps"
        yield from (f"  assert {a['text']}: {a['ok']}" for a in each["assertions"])
        yield from (f"  measured {m['metric']} = {m['measured']} within {m['tolerance']}" for m in each["measured"])
    for each in told.get("comparisons", []):
        yield f"compare {each['name']}: " + ", ".join(f"{p['name']} is {p['plan']}" for p in each["plans"])


def facts(planc, folder, plan):
    """Every fact that the text says, by its path: what records, sections, `extends` and `override` come to. Digests of curves are left out, and words that
    a result has as numbers."""
    for each in result(planc, "estimate", plan, "--no-fixes", folder=folder)["plans"]:
        yield f"plan {each['id'].split('#')[1]}"
        said = [fact for fact in each["facts"] if not fact["derived"] and fact["where"] and not re.search(r"\.(algorithm\.\w+|accumulate)$", fact["path"])]
        yield from sorted(f"  {fact['path']} = {re.sub(r' .[0-9a-f]{8}.$', '', fact['value'] or 'none')}" for fact in said)


def tests(planc, folder, plan):
    """What `planc test` judges, and how."""
    yield from (f"{each['id'].split('#')[1]}: {each['outcome']}" for each in result(planc, "test", plan, folder=folder)["tests"])


def candidates(planc, folder, plan):
    """Every candidate of the search, with what is chosen."""
    for each in result(planc, "search", plan, "--list", folder=folder)["candidates"]:
        yield f"{each['candidate']}: " + ", ".join(f"{path} = {value}" for path, value in each["choices"].items())


VIEWS = {view.__name__: view for view in (check, model, program, comm, totals, facts, tests, candidates)}


def frozen(planc, plan):
    """The text of a plan's results."""
    line = re.search(r"^// frozen: (.+)$", plan.read_text(), re.M)
    wanted = line[1].split() if line else []
    if not wanted or set(wanted) - VIEWS.keys():
        sys.exit(f"{plan}: a line `// frozen: VIEW…` names views among {', '.join(VIEWS)}")
    return "\n".join("\n".join([f"== {name}", *VIEWS[name](planc, plan.parent, plan.name)]) for name in wanted) + "\n"


def main(planc, root, record):
    editions = json.loads(subprocess.run([planc, "version", "--format", "json"], capture_output=True, text=True, check=True).stdout)["editions"]
    folders = sorted(entry.name for entry in root.iterdir() if entry.is_dir() and re.fullmatch(r"\d{4}", entry.name))
    if folders != sorted(editions):
        sys.exit(f"the program reads the editions {', '.join(editions)}; there are frozen plans of {', '.join(folders)}")
    for edition in editions:
        if f'edition = "{edition}"' not in (root / edition / "planc.toml").read_text():
            sys.exit(f"{root / edition}/planc.toml does not say that its plans are of edition {edition}")
    plans = sorted(plan for edition in editions for plan in (root / edition).glob("*.plan"))
    left = sorted(kept for edition in editions for kept in (root / edition).glob("*.txt") if not kept.with_suffix(".plan").exists())
    if left:
        sys.exit(f"{left[0]} is the meaning of a plan that is gone: a frozen plan stays")
    moved = 0
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for plan, text in zip(plans, pool.map(lambda plan: frozen(planc, plan), plans)):
            kept = plan.with_suffix(".txt")
            if record and not kept.exists():
                kept.write_text(text)
            was = kept.read_text() if kept.exists() else ""
            if text != was:
                moved += 1
                print("\n".join(difflib.unified_diff(was.splitlines(), text.splitlines(), str(kept), "now", lineterm="", n=1)))
    print(f"{len(plans)} plans of {len(editions)} editions, {moved} changed their meaning" + (": README.md says what to do" if moved else ""))
    return 1 if moved or not plans else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), "--record" in sys.argv[3:]))
