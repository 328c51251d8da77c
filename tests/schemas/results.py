#!/usr/bin/env python3
"""Every JSON result that the lit tests print, and results over examples and the library's plans, are what `planc schema` says; a result with a member
taken away, added or of another type is refused; and of files planc.toml the schema refuses what planc refuses for its form.

Usage: results.py PLANC ROOT
"""
# SPDX-License-Identifier: Apache-2.0
import collections
import concurrent.futures
import json
import pathlib
import re
import sys
import tempfile
import tomllib

import planc as shared
import suite

# Members that a result may lack, and objects that map names of users to values: there a member less is a result all the same.
OPTIONAL = set("balanced check comparisons suppressed valid jumps one_sided end_of_range metric_beside shard best_without first_beside_second illegal"
               " gemm least_of_rest".split())
MAPS = set("args arguments assumed choices example mesh set shard values elasticities time_exponents metrics".split())
DEPENDENT = {"below", "above", "comparison", "label"}  # each is needed where the other is
LARGEST = 3_000_000  # characters: of larger results no more is learnt

SMALL = "tests/lit/cli/Inputs/small.plan"
COMMANDS = [
    ["check", "examples", "tests/library/plans", "--format", "json"],
    ["test", "examples", "--format", "json"],
    ["estimate", "examples/llama3_8b_ways.plan", "--format", "json"],
    ["estimate", SMALL, "--compare", "--format", "json"],
    ["compile", SMALL, "--emit", "model", "--format", "json"],
    ["compile", SMALL, "--emit", "sharded", "--format", "json"],
    ["compile", SMALL, "--emit", "comm", "--format", "json"],
    ["compile", SMALL, "--emit", "task", "--format", "json"],
    ["sensitivity", SMALL, "--reach", "step_time = 1ms", "--reach", "mfu = 0.6", "--format", "json"],
    ["sweep", SMALL, "--vary", "train.micro_batch in [1, 2, 3, 4]", "--format", "json"],
    ["sweep", SMALL, "--scale", "train.micro_batch in [1, 2]", "--format", "json"],
    ["search", "examples/search_dense.plan", "--count", "--format", "json"],
    ["search", SMALL, "--vary", "train.micro_batch in [1, 2, 3]", "--illegal", "--format", "json"],
    ["search", SMALL, "--vary", "train.micro_batch in [1, 2, 3]", "--list", "--format", "json"],
    ["search", SMALL, "--largest", "train.micro_batch", "--format", "json"],
    ["calibrate", "examples/h100_samples.csv", "--device", "h100_sxm5_80gb", "--format", "json"],
    ["calibrate", "examples/h200_samples.csv", "--device", "h200_sxm_141gb", "--stack", "fsdp.torchtitan_2024_eager", "--check", "tests/lit/calibrate/Inputs/h200.plan",
     "--format", "json"],
    ["config", "examples", "--format", "json"],
    ["show", "std.clusters.hgx", "--format", "json"],
    ["show", "fabric", "nvlink", "--format", "json"],
    ["version", "--format", "json"],
    ["diff", "examples/llama3_8b_torchtitan.plan", "examples/llama3_8b_ways.plan", "--format", "json"],
]


def commands(root):
    """What is run beside the lit tests: also a search, a fit and a file with errors; estimates of one file each, as people ask for them."""
    plans = sorted((root / "examples").glob("*.plan")) + sorted((root / "tests/library/plans").glob("*.plan"))
    for plan in plans:
        yield ["estimate", str(plan.relative_to(root)), "--no-fixes", "--format", "json"]
    yield from COMMANDS


def collect(planc, root, where):
    """Names of schemas with results, each once."""
    records = where / "records"
    recorded = shared.recorder(planc, records)
    tests = suite.run(recorded, root, where, ["--format json", "--format=json", "--diagnostics json", "--diagnostics=json", "planc.toml"])
    with concurrent.futures.ThreadPoolExecutor(shared.workers()) as pool:
        list(pool.map(lambda words: shared.run(recorded, words, root), commands(root)))
    found = collections.defaultdict(dict)
    for name, words, result in shared.results(records):
        text = json.dumps(result)
        if len(text) < LARGEST:
            found[name].setdefault(text, words)
    return tests, found


# ---- what is no result


def trimmed(value):
    """Lists without what is like their first elements, so that a mutant is looked at fast."""
    if isinstance(value, list):
        return [trimmed(v) for v in value[:2]]
    return {k: trimmed(v) for k, v in value.items()} if isinstance(value, dict) else value


def places(value, path=()):
    """Every place in a result, and its form: the path with `*` for an index."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def parent_of(value, path):
    for key in path[:-1]:
        value = value[key]
    return value


def other_type(value):
    if isinstance(value, bool):
        return "yes"
    if isinstance(value, (int, float)):
        return str(value)
    return {str: 7, dict: [], list: {}, type(None): [{}]}[type(value)]


def mutants(result):
    """What is done, and the result after it."""
    seen = set()
    for path in places(result):
        form = tuple("*" if isinstance(k, int) else k for k in path)
        if form in seen or not path:
            continue
        seen.add(form)
        where = "/".join(form)
        parent = parent_of(result, path)
        before = parent[path[-1]]
        parent[path[-1]] = other_type(before)
        yield f"another type of {where}", result
        parent[path[-1]] = before
        if isinstance(before, dict):
            before["no such member"] = {"x": []}
            yield f"an unknown member of {where}", result
            del before["no such member"]
        if isinstance(parent, dict) and path[-1] not in OPTIONAL and not (len(path) > 1 and path[-2] in MAPS):
            if path[-1] in DEPENDENT and not {"below", "label"} & parent.keys() & {path[-1]}:
                continue
            order = list(parent.items())
            del parent[path[-1]]
            yield f"without {where}", result
            parent.clear()
            parent.update(order)


def check_mutants(schemas, name, texts, failures):
    """Of the results that together have all forms there are, as many as are small."""
    count, known = 0, set()
    for text in sorted(texts, key=len):
        result = trimmed(json.loads(text))
        forms = {tuple("*" if isinstance(k, int) else k for k in path) for path in places(result)}
        if forms <= known or schemas.problem(name, result):
            continue
        for what, mutant in mutants(result):
            form = what
            if form in known:
                continue
            known.add(form)
            count += 1
            if schemas.of[name].is_valid(mutant):
                failures.append(f"{name}: taken for a result: {what}")
        known |= forms
    return count


# ---- planc.toml

PACKAGE = '[package]\nname = "acme"\nversion = "1.4.0"\nedition = "2026"\nplanc = ">=0.1"\ndescription = "ours"\nexports = ["clusters"]\n'
CHANGES = [("", ""), ('"acme"', '"Acme"'), ('"1.4.0"', '"1.4"'), ('"1.4.0"', '"1.4.0-rc.1"'), ("2026", "1999"), (">=0.1", "0.1"), ('edition = "2026"\n', ""), ('["clusters"]', "[]"), ('["clusters"]', '"clusters"')]
MADE = ['[project]\nplans = "a"\n', "[check]\ndeny = [1]\n", "[gate]\n", "[gates]\nstep_time = 3\n", 'plans = ["a"]\n', "[check]\nno = []\n",
        '[gates]\nmemory.peak = "+2GB"\nstep_time = "+3%"\n"memory.peak" = "+1GB"\n', "", '[gates]\nno_metric = "+3%"\n',
        '[gates]\nmemory.peak = "+2GB"\ntokens_per_second = "-5%"\nrun.days.low = "+1h"\n', '[gates]\n"run.days" = "+1h"\nrun."days.low" = "+ 1h"\n',
        '[project]\nplans = []\nexclude = ["x"]\n\n[check]\ndeny = ["warnings"]\nallow = ["PLAN0640"]\n', '[check]\ndeny = ["PLAN64"]\n', *(PACKAGE.replace(*change) for change in CHANGES),
        '[dependencies]\nlab = { path = "../lab" }\nbase = { git = "https://git.example/base.git", tag = "v2.1.0" }\n', '[dependencies]\nlab = "1.0"\n',
        '[dependencies]\nlab = { path = "../lab", tag = "v1.0.0" }\n', '[dependencies]\nlab = { git = "https://h/lab" }\n', '[dependencies]\nLab = { path = "../lab" }\n',
        '[dependencies]\nlab = { git = "https://h/lab", tag = "main" }\n', '[dependencies]\nlab = { git = "https://h/lab", branch = "main" }\n']
# Of these mistakes a schema knows: a name, a kind, a metric, an edition.
OF_FORM = ("PLAN0110", "PLAN0111", "PLAN1103", "PLAN1104", "PLAN1110")


def gates(root):
    """A gate on every metric there is; planc takes those of numbers of a plan."""
    words = (root / "docs/words.md").read_text()
    metrics = words[words.index("## Metrics"):]
    return [f'[gates]\n"{name}" = "+3%"\n' for name in re.findall(r"^\| `([^`]+)`", metrics, re.M)]


def check_configs(planc, root, schemas, where, failures):
    """What planc takes the schema takes; what planc refuses for its form the schema refuses."""
    made = where / "made"
    for i, text in enumerate(MADE + gates(root)):
        (made / str(i)).mkdir(parents=True)
        (made / str(i) / "planc.toml").write_text(text)
    taken = refused = 0
    for path in sorted(p for p in where.rglob("planc.toml") if p.is_file()):  # tests make pipes of that name, too
        try:
            value = tomllib.loads(path.read_text())
        except (OSError, ValueError):
            continue
        run = shared.run(planc, ["config", path.parent, "--diagnostics", "short"], where)
        problem = schemas.problem("planc.toml", value)
        if run.returncode == 0:
            taken += 1
            if problem:
                failures.append(f"{path}: planc takes it, its schema does not: {problem}")
        elif any(code in run.stderr for code in OF_FORM):
            refused += 1
            if not problem:
                failures.append(f"{path}: its schema takes it, planc does not: {run.stderr}")
    return taken, refused


def main():
    planc, root = shared.paths()
    schemas = shared.Schemas(planc)
    failures, mutated = [], 0
    with tempfile.TemporaryDirectory() as folder:
        where = pathlib.Path(folder)
        tests, found = collect(planc, root, where)
        for name, texts in sorted(found.items()):
            if name not in schemas.of:
                failures.append(f"`planc {name}` prints JSON, and there is no schema of it")
                continue
            for text, words in texts.items():
                problem = schemas.problem(name, json.loads(text))
                if problem:
                    failures.append(f"planc {' '.join(words)}: {problem}")
            mutated += check_mutants(schemas, name, texts, failures)
        for name in schemas.of.keys() - found.keys() - {"planc.toml"}:
            failures.append(f"no result for the schema `{name}`")
        taken, refused = check_configs(planc, root, schemas, where, failures)
    if not (taken and refused):
        failures.append("no planc.toml was taken, or none refused")
    for failure in failures[:40]:
        print(failure)
    print(f"{sum(map(len, found.values()))} results of {tests} lit tests and {len(list(commands(root)))} commands, {mutated} mutants, "
          f"{taken + refused} files planc.toml; {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
