#!/usr/bin/env python3
"""Diagnostics whose example is no text for a page: files too large or not UTF-8, folders, options of the command line.

Usage: generated.py PLANC ROOT
"""
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import tempfile
from pathlib import Path

CASES = []  # (code, function that fills a folder and gives the arguments of planc)


def case(code):
    return lambda make: CASES.append((code, make)) or make


def checked(data):
    """Arguments that check a file of this text or these bytes."""
    def make(folder):
        (folder / "example.plan").write_bytes(data if isinstance(data, bytes) else data.encode())
        return ["check", "example.plan"]
    return make


def model_of(block):
    return f"model m(n: int = 8) {{\n  in x: [n]\n  y = {block}(x)\n}}\n"


def twice(depth):
    """Blocks that each use the one before two times: 2 ** depth operators."""
    text = "op square(x: [..]) -> [..] { kind = memory; flops = size(x) }\nblock b0(x: [..]) {\n  out square(x)\n}\n"
    for i in range(1, depth + 1):
        text += f"block b{i}(x: [..]) {{\n  half = b{i - 1}(x)\n  out b{i - 1}(half)\n}}\n"
    return text + model_of(f"b{depth}")


PLAN = """import std.models.llama
import std.clusters.hgx
import std.optimizers

plan p {
  model   = llama.llama3_8b(layers = 40_000)
  cluster = hgx.hgx_h100(nodes = 1)
  train { seq = 4096; global_batch = 8; micro_batch = 1; optimizer = optimizers.adam }
  mesh  { dp = 8 }
"""
SUM = "(extent(a) + extent(b) + extent(c))"

case("PLAN0001")(checked(b"// " + b"x" * (16 << 20) + b"\n"))
case("PLAN0002")(checked("// caf\u00e9\nlet a = 1\n".encode("latin-1")))
case("PLAN0007")(checked("let a = " + "(" * 300 + "1" + ")" * 300 + "\n"))
case("PLAN0008")(checked("let a = " + "if true then 1 else " * 300 + "1\n"))
case("PLAN0319")(checked("".join(f"let c{i} = c{i - 1} + 1\n" for i in range(600, 0, -1)) + "let c0 = 1\n"))
case("PLAN0320")(checked("let a = [" + "1, " * 100_001 + "]\nlet b = [n for n in a]\n"))
case("PLAN0322")(checked("op big(x: [a, b, c]) -> [a, b, c] {\n  kind  = memory\n  flops = " + " * ".join([SUM] * 30) +
                         "\n}\nmodel m(a: int = 2, b: int = 3, c: int = 4) {\n  in x: [a, b, c]\n  y = big(x)\n}\n"))
case("PLAN0418")(checked(twice(16)))
case("PLAN0526")(checked("device d0 { memory = 80GB }\n" + "".join(f"device d{i} extends d{i - 1} {{ }}\n" for i in range(1, 100))))
case("PLAN0527")(checked("plan p0 { }\n" + "".join(f"plan p{i} extends p{i - 1} {{ }}\n" for i in range(1, 100))))
case("PLAN0669")(checked(PLAN + "  place {\n" + "".join(f"    decoder[{i}] {{ batch -> dp }}\n" for i in range(30_000)) + "  }\n}\n"))
case("PLAN0758")(checked(PLAN + "  place { batch -> dp }\n  recompute " + ", ".join(f"decoder[{i}]" for i in range(1100)) + "\n}\n"))


@case("PLAN0102")
def a_folder(folder):
    (folder / "clusters.plan").mkdir()
    return checked('import "clusters.plan" as ours\n')(folder)


@case("PLAN0108")
def another_name(folder):
    (folder / "clusters.txt").write_text("export let nodes = 8\n")
    return checked('import "clusters.txt" as ours\n')(folder)


@case("PLAN0212")
def no_such_plan(folder):
    checked(PLAN + "  place { batch -> dp }\n}\n")(folder)
    return ["estimate", "example.plan", "--plan", "q"]


@case("PLAN0213")
def no_name_of_a_plan(folder):
    checked(PLAN + "  place { batch -> dp }\n}\n")(folder)
    return ["estimate", "example.plan", "--plan", "8"]


def setting(*words):
    """A file with one plan, and facts set beside it."""
    def make(folder):
        checked(PLAN + "  place { batch -> dp }\n}\n")(folder)
        return ["estimate", "example.plan", *(part for word in words for part in ("--set", word))]
    return make


@case("PLAN0699")
def no_run(folder):
    priced = PLAN.replace("import std.optimizers", "import std.optimizers\nimport std.stacks.fsdp")
    checked(priced + "  software = fsdp.torchtitan\n  place { batch -> dp }\n}\n")(folder)
    return ["search", "example.plan", "--set", "train.global_batch=16", "--vary", "train.micro_batch in [1, 2]", "--minimize", "run.days"]


@case("PLAN0940")
def one_plan_compared(folder):
    checked(PLAN + "  place { batch -> dp }\n}\n")(folder)
    return ["estimate", "example.plan", "--compare"]


case("PLAN0930")(setting("trian.micro_batch=2"))
case("PLAN0931")(setting("train.optimizer.states=1"))
case("PLAN0932")(setting("train.micro_batch = 2; train.seq = 4096"))


def git(folder, *arguments):
    who = [part for setting in ("user.name=t", "user.email=t@example.com", "commit.gpgsign=false", "protocol.file.allow=always", "init.defaultBranch=main")
           for part in ("-c", setting)]
    return subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def repository(folder, **files):
    """A repository with one commit."""
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q")
    for name, text in files.items():
        (folder / f"{name}.plan").write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")


@case("PLAN1120")
def without_git(folder):
    checked("let a = 1\n")(folder)
    return ["diff", "--against", "HEAD", "example.plan"], {"PATH": "/nowhere"}


@case("PLAN1121")
def without_repository(folder):
    checked("let a = 1\n")(folder)
    return ["diff", "--against", "HEAD", "example.plan"], {"GIT_CEILING_DIRECTORIES": str(folder.parent)}


@case("PLAN1122")
def no_such_revision(folder):
    repository(folder, example="let a = 1\n")
    return ["diff", "--against", "v9", "example.plan"]


@case("PLAN1123")
def lost_objects(folder):
    repository(folder, example="let a = 1\n")
    tree = git(folder, "rev-parse", "HEAD^{tree}")
    (folder / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    return ["diff", "--against", "HEAD", "example.plan"]


@case("PLAN1124")
def no_result(folder):
    (folder / "before.json").write_text("{")
    (folder / "after.json").write_text("{}")
    return ["diff", "before.json", "after.json"]


@case("PLAN1125")
def lost_submodule(folder):
    repository(folder / "lib", ours="export let n = 1\n")
    repository(folder / "plans", example='import "lib/ours.plan" as ours\nlet n = ours.n\n')
    git(folder / "plans", "submodule", "--quiet", "add", str(folder / "lib"), "lib")
    git(folder / "plans", "commit", "-q", "-m", "second")
    git(folder, "clone", "-q", "plans", "clone")
    return ["diff", "--against", "HEAD", "clone/example.plan"]


def run(planc, arguments, folder):
    arguments, changed = arguments if isinstance(arguments, tuple) else (arguments, {})
    done = subprocess.run([planc, *arguments, "--diagnostics=short"], cwd=folder, timeout=60, capture_output=True, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, env={**os.environ, **changed})
    return done.stderr, done.returncode


def main(planc, root):
    bad = 0
    for code, make in CASES:
        with tempfile.TemporaryDirectory() as folder:
            stderr, exit_code = run(planc, make(Path(folder)), folder)
        if f"[{code}]" not in stderr or exit_code != 1:
            bad += 1
            print(f"{code} is not reported (exit code {exit_code}): {stderr[:400]}")
    # PLAN0099 is a mistake of the formatter itself: it must not occur in any file there is.
    stderr, exit_code = run(planc, ["fmt", "--check", "examples", "stdlib", "tests"], root)
    if "PLAN0099" in stderr:
        bad += 1
        print(f"PLAN0099 is reported: {stderr[:400]}")
    print(f"{len(CASES)} generated cases, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()))
