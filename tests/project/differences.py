#!/usr/bin/env python3
"""`planc diff` over revisions, folders and JSON results: whose a change is, plans that come, go, break, move, and what cannot be compared.

Usage: differences.py PLANC
"""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PLANC = str(Path(sys.argv[1]).resolve())
ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.com",
               "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.com"}
for name in "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE":
    ENVIRONMENT.pop(name, None)

CLUSTER = """import std.devices
import std.fabrics

export cluster pod(nodes: int = 2) {
  device = devices.h100_sxm5_80gb
  level node * 8     { link = fabrics.nvlink4; bandwidth = 450GB/s; latency = 2us; topology = switch }
  level rack * nodes { link = fabrics.ndr; bandwidth = 50GB/s; latency = 5us; topology = switch }
}
"""
PLAN = """import std.models.llama
import std.optimizers
import std.stacks.fsdp
import "{library}" as ours

/// A small run.
export plan small(nodes: int = 2) {{
  model    = llama.llama3_8b
  cluster  = ours.pod(nodes = nodes)
  software = fsdp.torchtitan
  train {{ seq = 8192; global_batch = 64; micro_batch = 1; optimizer = optimizers.adamw }}
  precision {{ compute = bf16; params = fp32 }}
  mesh {{ dp = 8 * nodes }}
  place {{ batch -> dp }}
  states {{ params, grads, optimizer -> dp }}
  recompute decoder
}}
"""
failures = []


def expect(ok, what):
    if not ok:
        failures.append(what)


def planc(folder, *arguments, planc=PLANC, env=ENVIRONMENT):
    done = subprocess.run([planc, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, env=env)
    return done.returncode, done.stdout, done.stderr


def diff(folder, *arguments):
    code, out, err = planc(folder, "diff", *arguments, "--format", "json")
    return code, json.loads(out) if out else None, err


def git(folder, *arguments):
    subprocess.run(["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments], cwd=folder, check=True, capture_output=True, env=ENVIRONMENT)


def commit(folder):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "change")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def repository(root):
    git(root, "init", "-q")
    write(root / "clusters" / "ours.plan", CLUSTER)
    write(root / "plans" / "small.plan", PLAN.format(library="../clusters/ours.plan"))
    commit(root)


def change(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text, (path, old)
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def whose(plan):
    return {c["whose"]: [f["path"] for f in c["facts"]] for c in plan["changes"]}


def owners(root):
    """Whose a change is: the plan's, its libraries', or of both, in parts that add up."""
    repository(root)
    code, found, _ = diff(root, "--against", "HEAD", "plans")
    expect(code == 0 and found["equal"] == 1 and not found["plans"], f"nothing changed: {found}")
    plan = root / "plans" / "small.plan"
    change(plan, "micro_batch = 1", "micro_batch = 2")
    code, found, _ = diff(root, "--against", "HEAD", "plans")
    expect(whose(found["plans"][0]) == {"plan": ["train.micro_batch"]}, f"of the plan: {found['plans'][0]['changes']}")
    change(root / "clusters" / "ours.plan", "= 50GB/s", "= 25GB/s")
    code, found, _ = diff(root, "--against", "HEAD", "plans")
    both = found["plans"][0]
    expect(whose(both) == {"libraries": ["cluster.rack.bandwidth"], "plan": ["train.micro_batch"]}, f"of both: {both['changes']}")
    total = both["metrics"]["totals.step_time_s"]
    expect(abs(sum(c["step_time_s"] for c in both["changes"]) - (total["after"] - total["before"])) <= 1e-9 * total["after"], "both add up")
    commit(root)
    change(plan, "micro_batch = 2", "micro_batch = 1")
    _, back, _ = diff(root, "--against", "HEAD~1", "plans")
    expect(whose(back["plans"][0]) == {"libraries": ["cluster.rack.bandwidth"]}, f"of the libraries alone: {back['plans'][0]['changes']}")
    # An old plan that the new libraries do not take is told together.
    change(root / "clusters" / "ours.plan", "cluster pod(nodes: int = 2)", "cluster racks(count: int = 2)")
    change(root / "clusters" / "ours.plan", "rack * nodes", "rack * count")
    change(plan, "ours.pod(nodes = nodes)", "ours.racks(count = nodes)")
    change(plan, "micro_batch = 1", "micro_batch = 2")
    _, together, _ = diff(root, "--against", "HEAD~1", "plans")
    expect(list(whose(together["plans"][0])) == ["together"] and "PLAN0106" in together["plans"][0]["together_because"], f"together: {together['plans'][0]}")


def fates(root):
    """Plans that come, go, change their names and arguments, move to other files, break and are mended."""
    repository(root)
    plan = root / "plans" / "small.plan"
    text = plan.read_text(encoding="utf-8")

    def one(new, **files):
        plan.write_text(new, encoding="utf-8")
        for name, content in files.items():
            write(root / "plans" / f"{name}.plan", content)
        code, found, _ = diff(root, "--against", "HEAD", "plans")
        for name in files:
            (root / "plans" / f"{name}.plan").unlink()
        return code, [(p["fate"], p["id"].split("/")[-1], (p["was"] or "").split("/")[-1]) for p in found["plans"]]

    expect(one(text + "\nplan other extends small { override train { micro_batch = 2 } }\n") == (0, [("added", "small.plan#other", "")]), "added")
    expect(one(text.replace("plan small", "plan tiny")) == (0, [("renamed", "small.plan#tiny(nodes = 2)", "small.plan#small(nodes = 2)")]), "renamed")
    expect(one(text.replace("nodes: int = 2", "nodes: int = 4")) == (0, [("changed", "small.plan#small(nodes = 4)", "small.plan#small(nodes = 2)")]), "another default")
    expect(one("let nothing = 1\n", moved=text) == (0, [("renamed", "moved.plan#small(nodes = 2)", "small.plan#small(nodes = 2)")]), "another file")
    again = text.replace("plan small", "plan tiny").replace("seq = 8192", "seq = 16384")
    (root / "plans" / "small.plan").unlink()
    expect(one("let nothing = 1\n", moved=again) == (0, [("changed", "moved.plan#tiny(nodes = 2)", "small.plan#small(nodes = 2)")]), "renamed, moved and changed at once")
    waits = one(text.replace("nodes: int = 2", "nodes: int"))
    expect(waits == (0, [("removed", "small.plan#small(nodes = 2)", "")]), f"waits for an argument: {waits}")
    _, out, _ = planc(root, "diff", "--against", "HEAD", "plans")
    expect("it now needs arguments: `small(nodes = …)`" in out, f"why it is gone: {out}")
    expect(one(text + "\nplan bad { model = 3 }\n") == (1, [("broken", "small.plan", "")]), "a new plan with errors")
    expect(one(text, wrong="plan {") == (1, [("broken", "wrong.plan", "")]), "a new file with errors")
    for form in "md", "github":
        write(root / "plans" / "wrong.plan", "plan {")
        code, out, _ = planc(root, "diff", "--against", "HEAD", "plans", "--format", form)
        expect(code == 1 and "wrong.plan" in out and "broken" in out, f"a broken file in {form}: {out}")
        (root / "plans" / "wrong.plan").unlink()
    expect(one("let nothing = 1\n") == (0, [("removed", "small.plan#small(nodes = 2)", "")]), "removed")
    expect(one(text.replace("dp = 8 * nodes", "dp = 3 * nodes")) == (1, [("broken", "small.plan#small(nodes = 2)", "")]), "a plan with errors")
    expect(one(text.replace("train {", "trian {")) == (1, [("broken", "small.plan#small(nodes = 2)", "")]), "a file with errors")
    broken = text.replace("dp = 8 * nodes", "dp = 3 * nodes")
    both = one(broken + text[text.index("/// A small run"):].replace("plan small", "plan other").replace("seq = 8192", "seq = 4096"))
    expect(both == (1, [("broken", "small.plan#small(nodes = 2)", ""), ("added", "small.plan#other(nodes = 2)", "")]), f"no other plan is taken for a broken one: {both}")
    moved = one(broken.replace("nodes: int = 2", "nodes: int = 4"))
    expect(moved == (1, [("broken", "small.plan#small(nodes = 2)", "")]), f"broken with another default: {moved}")
    plan.write_text(broken, encoding="utf-8")
    commit(root)
    other = text.replace("nodes: int = 2", "nodes: int = 4").replace("dp = 8 * nodes", "dp = 3 * nodes")
    still = one(other)
    expect(still == (1, [("still_broken", "small.plan#small(nodes = 4)", "")]), f"still broken with another default: {still}")
    still = one(text.replace("dp = 8 * nodes", "dp = 3 * nodes"))
    expect(still == (1, [("still_broken", "small.plan#small(nodes = 2)", "")]), f"still broken: {still}")
    expect(one(text) == (0, [("mended", "small.plan#small(nodes = 2)", "")]), "mended")


def results(root):
    """JSON results beside each other and beside files; what is none of them."""
    repository(root)
    plan = root / "plans" / "small.plan"
    for name in "a", "b":
        code, out, _ = planc(root, "estimate", "plans/small.plan", "--format", "json")
        write(root / f"{name}.json", out)
        if name == "a":
            change(plan, "micro_batch = 1", "micro_batch = 2")
    code, found, err = diff(root, "a.json", "b.json")
    expect(code == 0 and whose(found["plans"][0]) == {"plan": ["train.micro_batch"]}, f"two results: {err}")
    code, files, err = diff(root, "a.json", "plans/small.plan")
    expect(code == 0 and files["plans"][0]["parts"] == found["plans"][0]["parts"] and whose(files["plans"][0]) == {"plan": ["train.micro_batch"]}, f"a result and a file: {err} {files}")
    of_json = json.loads((root / "b.json").read_text())
    for what, edit in [("another library", {"library_sha256": "0" * 64}), ("another version", {"planc": "9.9"})]:
        write(root / "c.json", json.dumps({**json.loads((root / "a.json").read_text()), **edit}))
        _, same, _ = diff(root, "c.json", "a.json")
        _, other, _ = diff(root, "c.json", "b.json")
        expect(same["equal"] == 1, f"{what}: the same numbers are equal")
        expect(list(whose(other["plans"][0])) == ["together"], f"{what} and another plan: {other['plans'][0]['changes']}")
    slower = json.loads((root / "a.json").read_text())
    slower["library_sha256"] = "0" * 64
    slower["plans"][0]["facts"][5]["value"] = "another"
    write(root / "c.json", json.dumps(slower))
    _, ours, _ = diff(root, "c.json", "a.json")
    expect(list(whose(ours["plans"][0])) == ["planc"], f"of planc: {ours['plans'][0]['changes']}")
    for what, text, says in [("no JSON", "{", "it is not JSON"), ("another major", json.dumps({**of_json, "format_version": "3.0"}), "its format is 3.0"),
                             ("an older form", json.dumps({**of_json, "format_version": "2.1"}), "its format 2.1 has no facts"),
                             ("a root that is none", "[]", "`format_version` is missing"),
                             ("rows of no stage", json.dumps({**of_json, "plans": [{**of_json["plans"][0], "stages": []}]}), "a row names a stage")]:
        write(root / "bad.json", text)
        code, _, err = planc(root, "diff", "bad.json", "b.json")
        expect(code == 1 and "PLAN1124" in err and says in err, f"{what}: {code} {err}")
    # Members that nobody knows cost no more than to be read: looking through all others for each would take hours.
    wide = json.dumps({**of_json, "notes": {f"note {i}": i for i in range(1_000_000)}})
    write(root / "wide.json", wide)
    code, found, err = diff(root, "wide.json", "b.json")
    expect(code == 0 and found["equal"] == 1, f"a million members: {code} {err}")
    write(root / "last.json", json.dumps(of_json).replace('"plans":', '"plans": [], "inputs": [], "plans":', 1))
    code, found, err = diff(root, "last.json", "b.json")
    expect(code == 0 and found["equal"] == 1, f"of members of one name the last counts: {code} {err}")


def hooks(root):
    """What git tells a hook of its repository counts from the folder of the command, and no further than it leads."""
    repository(root)
    change(root / "plans" / "small.plan", "micro_batch = 1", "micro_batch = 2")
    git(root, "worktree", "add", "-q", str(root.parent / "beside"))
    for where, named, environment in [(root, "plans", {"GIT_DIR": ".git"}), (root, "plans", {"GIT_DIR": ".git", "GIT_WORK_TREE": ".", "GIT_INDEX_FILE": ".git/index"}),
                                      (root, "plans", {"GIT_DIR": str(root / ".git")}), (root / "clusters", "../plans", {"GIT_DIR": ".git"}),
                                      (root / "plans", ".", {"GIT_DIR": "../.git", "GIT_WORK_TREE": ".."}), (root.parent, f"{root.name}/plans", {"GIT_DIR": "nowhere"}),
                                      (root, "plans", {"GIT_WORK_TREE": "."})]:
        code, out, err = planc(where, "diff", "--against", "HEAD", named, "--format", "json", env={**ENVIRONMENT, **environment})
        found = json.loads(out) if out else {"plans": []}
        expect(code == 0 and [whose(p) for p in found["plans"]] == [{"plan": ["train.micro_batch"]}], f"{environment} in {where}: {code} {err}")
    # Another repository than that of the hook is not read as it.
    code, _, err = planc(root, "diff", "--against", "HEAD", str(root.parent / "beside"), env={**ENVIRONMENT, "GIT_DIR": ".git"})
    expect(code == 2 and "is outside of the repository" in err, f"another work tree: {code} {err}")


def several(root):
    """A result of files beside those files: plans of one name in each, of which one changed with libraries of its own."""
    repository(root)
    for name in "a", "b":
        write(root / "clusters" / f"{name}.plan", CLUSTER)
        write(root / "runs" / f"{name}.plan", PLAN.format(library=f"../clusters/{name}.plan"))
    code, out, _ = planc(root, "estimate", "runs", "--format", "json")
    write(root / "was.json", out)
    code, found, err = diff(root, "was.json", "runs")
    expect(code == 0 and found["equal"] == 2 and not found["plans"], f"nothing changed: {err} {found}")
    change(root / "runs" / "a.plan", "micro_batch = 1", "micro_batch = 2")
    code, found, err = diff(root, "was.json", "runs")
    expect([whose(p) for p in found["plans"]] == [{"plan": ["train.micro_batch"]}], f"the plan alone: {found['plans']}")
    change(root / "clusters" / "b.plan", "= 50GB/s", "= 25GB/s")
    code, found, err = diff(root, "was.json", "runs")
    expect(sorted(list(whose(p))[0] for p in found["plans"]) == ["libraries", "plan"], f"each its own: {found['plans']}")
    twice = json.loads((root / "was.json").read_text())
    twice["plans"].append(twice["plans"][0])
    write(root / "twice.json", json.dumps(twice))
    code, _, err = planc(root, "diff", "twice.json", "runs")
    expect(code == 1 and "PLAN1124" in err and "twice" in err, f"a plan twice: {err}")
    os.mkfifo(root / "pipe.json")
    code, _, err = planc(root, "diff", "pipe.json", "runs")
    expect(code == 1 and "it is not a file" in err, f"a pipe: {err}")


def room(root):
    """What no longer fits is told on every first line, and may be a gate."""
    repository(root)
    change(root / "plans" / "small.plan", "micro_batch = 1", "micro_batch = 64")
    change(root / "plans" / "small.plan", "global_batch = 64", "global_batch = 1024")
    change(root / "plans" / "small.plan", "  recompute decoder\n", "")
    for form in "text", "md", "github":
        code, out, _ = planc(root, "diff", "--against", "HEAD", "plans", "--format", form)
        expect(code == 0 and "no longer fits" in out, f"{form}: {code} {out}")
    code, out, _ = planc(root, "diff", "--against", "HEAD", "plans", "--fail-if", "not memory.fits")
    expect(code == 1 and out.splitlines()[1].startswith("gate not memory.fits fails: plans/small.plan#small(nodes = 2)"), f"the gate: {out}")
    write(root / "planc.toml", '[gates]\n"memory.fits" = true\n')
    code, found, _ = diff(root, "--against", "HEAD", "plans")
    expect(code == 1 and [f["gate"] for f in found["failures"]] == ["not memory.fits"], f"of planc.toml: {found['failures']}")
    text = (root / "plans" / "small.plan").read_text(encoding="utf-8")
    git(root, "checkout", "-q", "plans")
    write(root / "plans" / "large.plan", text)
    code, found, _ = diff(root, "--against", "HEAD", "plans")
    expect(code == 1 and found["failures"] and found["failures"][0]["id"].startswith("plans/large.plan"), f"a new plan that does not fit: {found}")


def settings(root):
    """The older side is that of its own planc.toml, whose changes are told."""
    repository(root)
    write(root / "planc.toml", '[project]\nplans = ["plans"]\n[gates]\nstep_time = "+3%"\n')
    commit(root)
    git(root, "mv", "plans", "configs")
    write(root / "planc.toml", '[project]\nplans = ["configs"]\n')
    change(root / "configs" / "small.plan", "micro_batch = 1", "micro_batch = 2")
    code, found, err = diff(root, "--against", "HEAD")
    expect([(p["fate"], p["was"]) for p in found["plans"]] == [("changed", "plans/small.plan#small(nodes = 2)")], f"moved with its planc.toml: {err} {found['plans']}")
    expect(found["planc_toml"] == ["project.plans plans → configs", "gates.step_time +3% → none"], f"settings: {found['planc_toml']}")
    code, out, _ = planc(root, "diff", "--against", "HEAD")
    expect("planc.toml: gates.step_time +3% → none" in out, f"in text: {out}")
    git(root, "checkout", "-q", "-f", "HEAD", "--", ".")
    git(root, "rm", "-q", "-r", "-f", "--cached", "configs")
    write(root / "planc.toml", '[project]\nplans = ["plans"]\nexclude = ["plans/small.plan"]\n')
    write(root / "plans" / "rest.plan", "let nothing = 1\n")
    code, found, err = diff(root, "--against", "HEAD")
    expect([p["fate"] for p in found["plans"]] == ["removed"] and "project.exclude none → plans/small.plan" in found["planc_toml"], f"excluded: {err} {found}")


def gates(root):
    """What fails, and what the exit code says."""
    repository(root)
    write(root / "planc.toml", '[project]\nplans = ["plans"]\n\n[gates]\nstep_time = "+100%"\n"memory.peak" = "+1GB"\n')
    change(root / "plans" / "small.plan", "micro_batch = 1", "micro_batch = 2")
    code, found, _ = diff(root, "--against", "HEAD")
    expect(code == 1 and [f["gate"] for f in found["failures"]] == ["memory.peak > +1GB"], f"the gate of planc.toml: {found['failures']}")
    expect(found["failures"][0]["where"] == "plans/small.plan:11", f"where: {found['failures']}")
    code, found, _ = diff(root, "--against", "HEAD", "--fail-if", "memory.peak > +100GB")
    expect(code == 0 and found["gates"] == 2, "the option goes before it")
    write(root / "planc.toml", '[gates]\n"run.days" = "+3%"\nmfu = "-1%"\n')
    code, out, _ = planc(root, "diff", "--against", "HEAD", "plans")
    expect("no plan has a value for run.days > +3%, so it is not checked against that gate" in out, f"a gate on nothing: {out}")
    write(root / "planc.toml", '[project]\nplans = ["plans"]\n\n[gates]\nstep_time = "+100%"\n"memory.peak" = "+1GB"\n')
    code, out, _ = planc(root, "diff", "--against", "HEAD", "--format", "github")
    expect(code == 1 and out.startswith("::error file=plans/small.plan,line=11::gate memory.peak > +1GB fails"), f"annotations: {out}")


def refused(root):
    """What cannot be read, each with a code."""
    repository(root)
    for what, arguments, says in [("no revision", ["--against", "v9"], ["PLAN1122"]), ("an option as one", ["--against", "--output=x"], []),
                                  ("no such path", ["--against", "HEAD", "nowhere"], ["neither here nor at HEAD"])]:
        code, _, err = planc(root, "diff", *arguments, *([] if "nowhere" in arguments else ["plans"]))
        expect(code in (1, 2) and all(s in err for s in says), f"{what}: {code} {err}")
    outside = root.parent / "outside.plan"
    write(outside, PLAN.format(library="x.plan"))
    code, _, err = planc(root, "diff", "--against", "HEAD", "../outside.plan")
    expect(code == 1 and "PLAN1121" in err, f"outside of a repository: {code} {err}")
    code, _, err = planc(root, "diff", "--against", "HEAD", "plans", env={**ENVIRONMENT, "PATH": "/nowhere"})
    expect(code == 1 and "PLAN1120" in err, f"no git: {code} {err}")
    for before, after, says in [("nosuch.plan", "plans", "there is no nosuch.plan"), ("plans", "nosuch.plan", "there is no nosuch.plan"),
                                ("HEAD", "plans", "`HEAD` is a revision: `planc diff --against HEAD`")]:
        code, out, err = planc(root, "diff", before, after)
        expect(code == 2 and says in err and not out, f"{before} {after}: {code} {err} {out}")
    code, found, err = diff(root, "--against", "v9", "plans")
    expect(code == 1 and found["plans"] == [] and "PLAN1122" in str(found["diagnostics"]), f"a result with the error: {found}")
    code, _, err = planc(root, "diff", "--against", "HEAD..HEAD", "plans")
    expect(code == 1 and "REV..." in err, f"a range: {err}")
    code, _, err = planc(root, "diff", "--against", "HEAD", "plans", str(root.parent))
    expect(code == 2 and "outside of the repository" in err, f"a word outside: {err}")
    for form in "md", "github", "json":
        code, _, err = planc(root, "diff", "--against", "HEAD", "plans", "--all", "--format", form)
        expect(code == 2 and "`--all` has no effect" in err, f"--all with {form}: {err}")
    code, _, err = planc(root, "diff", "plans")
    expect(code == 2 and "planc diff --against HEAD~1" in err, f"one side: {code} {err}")
    # A submodule whose commit is not here.
    lib = root.parent / "lib"
    lib.mkdir()
    git(lib, "init", "-q")
    write(lib / "ours.plan", CLUSTER)
    commit(lib)
    git(root, "submodule", "--quiet", "add", str(lib), "lib")
    write(root / "plans" / "small.plan", PLAN.format(library="../lib/ours.plan"))
    commit(root)
    clone = root.parent / "clone"
    git(root.parent, "clone", "-q", str(root), str(clone))
    git(clone, "submodule", "--quiet", "update", "--init")
    write(lib / "ours.plan", CLUSTER.replace("= 50GB/s", "= 25GB/s"))
    commit(lib)
    git(root / "lib", "pull", "-q", "origin", "HEAD")
    commit(root)
    git(clone, "fetch", "-q", "--no-recurse-submodules")
    code, out, err = planc(clone, "diff", "--against", "origin/HEAD", "plans")
    expect(code == 1 and "PLAN1125" in err and "git submodule update --init lib" in err, f"a submodule without its commit: {code} {err}")
    expect("was broken" in out, f"the older state is told as broken: {out}")


def base(root):
    """`REV...` is where this branch left REV; a text that is not in the clone is no mended plan."""
    repository(root)
    git(root, "checkout", "-q", "-b", "mine")
    change(root / "plans" / "small.plan", "micro_batch = 1", "micro_batch = 2")
    commit(root)
    git(root, "checkout", "-q", "main")
    change(root / "clusters" / "ours.plan", "= 50GB/s", "= 25GB/s")
    commit(root)
    git(root, "checkout", "-q", "mine")
    code, found, err = diff(root, "--against", "main...", "plans")
    expect(whose(found["plans"][0]) == {"plan": ["train.micro_batch"]}, f"since the branch began: {err} {found}")
    blob = subprocess.run(["git", "rev-parse", "HEAD~1:plans/small.plan"], cwd=root, check=True, capture_output=True, text=True).stdout.strip()
    (root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    code, out, err = planc(root, "diff", "--against", "HEAD~1", "plans", "--fail-if", "memory.peak > +1%")
    expect(code != 0 and "is not in this clone" in err, f"a missing text: {code} {err} {out}")


def many(root):
    """A comment stays below GitHub's bound, worst first, however many plans differ."""
    repository(root)
    text = (root / "plans" / "small.plan").read_text(encoding="utf-8")
    extra = "".join(f"\nplan p{i} extends small {{ override train {{ global_batch = {96 + 32 * i} }} }}\n" for i in range(300))
    write(root / "plans" / "small.plan", text + extra)
    commit(root)
    change(root / "plans" / "small.plan", "micro_batch = 1", "micro_batch = 2")
    code, out, _ = planc(root, "diff", "--against", "HEAD", "plans", "--format", "md")
    expect(code == 0 and out.startswith("<!-- planc:diff -->\n") and len(out) < 65_536, f"the comment has {len(out)} characters")
    expect("plans: 301 changed" in out and "more plans" in out, "what is left out is said")
    code, out, _ = planc(root, "diff", "--against", "HEAD", "plans", "--format", "github")
    expect(len(out.splitlines()) == 11 and "+291 more" in out, f"annotations: {out[-200:]}")


def main():
    for suite in owners, fates, results, several, room, settings, gates, refused, base, many, hooks:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve() / "repository"
            root.mkdir()
            suite(root)
    for failure in failures:
        print(failure)
    print("differences: " + ("as they should be" if not failures else f"{len(failures)} are wrong"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
