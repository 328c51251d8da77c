#!/usr/bin/env python3
"""The files that others read of this repository: .pre-commit-hooks.yaml, action.yml, Containerfile.

Usage: files.py PLANC SOURCE

planc has to know every command and option in them; scripts have to be scripts, and the action's is run on an example.
"""
# SPDX-License-Identifier: Apache-2.0
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "docs"))
import pipelines  # noqa: E402

PLAN = "examples/gpt3_175b.plan"


def not_a_script(shell, script):
    done = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, timeout=60)
    return [f"no script of {shell}: {done.stderr}{script}"] if done.returncode else []


def hooks(planc, text):
    for hook in yaml.safe_load(text):
        for key in ("id", "name", "entry", "language", "files"):
            if not hook.get(key):
                yield f"a hook without `{key}`: {hook}"
        if not re.search(hook["files"], PLAN) or re.search(hook["files"], "README.md"):
            yield f"`{hook['id']}` is for {hook['files']}"
        if not pipelines.COMMAND.search(hook["entry"]):
            yield f"`{hook['id']}` runs no command of planc"
        yield from pipelines.unknown(hook["entry"], planc)


def action(planc, text, source):
    parsed = yaml.safe_load(text)
    steps = parsed["runs"]["steps"]
    if parsed["runs"]["using"] != "composite" or not parsed["name"] or not parsed["description"]:
        yield "not a composite action"
    used, declared = set(re.findall(r"inputs\.(\w+)", text)), set(parsed["inputs"])
    if used != declared:
        yield f"inputs that are declared or used only: {used ^ declared}"
    for step in steps:
        if "run" not in step:
            continue
        if step.get("shell") != "bash":
            yield f"step `{step['name']}` has no shell"
        if "${{" in step["run"]:
            yield f"step `{step['name']}`: a value in a script is a script; it belongs in `env`"
        yield from not_a_script("bash", step["run"])
        yield from pipelines.unknown(step["run"], planc)
    yield from action_runs(planc, {step["name"]: step.get("run") for step in steps}, source)


def action_runs(planc, scripts, source):
    """The action's scripts that need no network, run on an example."""
    def run(name, folder, **env):
        paths = {"GITHUB_PATH": f"{folder}/path", "GITHUB_OUTPUT": f"{folder}/output", "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64"}
        return subprocess.run(["bash", "-eo", "pipefail", "-c", scripts[name]], env={**os.environ, **paths, **env}, cwd=folder, capture_output=True, text=True, timeout=300)

    with tempfile.TemporaryDirectory() as folder:
        for digest in ("", "0" * 64):
            run("key of the cache", folder, PLANC_SHA256=digest, PLANC_SOURCE=str(source / "examples"))
        if not re.fullmatch(r"key=planc-Linux-X64-[0-9a-f]{64}\nkey=planc-Linux-X64-0{64}\n", Path(folder, "output").read_text()):
            yield f"the key of the cache is {Path(folder, 'output').read_text()}"
    for words, expected, files in (("fmt check test", 0, {"path", "planc.sarif", "planc.xml"}), ("chek", 2, {"path"})):
        with tempfile.TemporaryDirectory() as folder:
            done = run("run", folder, PLANC_PREFIX=str(planc.parent.parent), PLANC_RUN=words, PLANC_PATHS=str(source / PLAN), PLANC_AGAINST="")
            made = {entry.name for entry in Path(folder).iterdir()}
            if done.returncode != expected or made != files:
                yield f"the action with `{words}`: exit {done.returncode}, made {sorted(made)}\n{done.stdout}{done.stderr}"


def container(text, source):
    lines = text.replace("\\\n", "")
    stages = re.findall(r"^FROM \S+ AS (\w+)$", lines, re.M)
    options = "".join(file.read_text() for file in (source / "CMakeLists.txt", *(source / "cmake").glob("*.cmake")))
    for stage in re.findall(r"--from=(\w+)", lines):
        if stage not in stages:
            yield f"no stage `{stage}`"
    for script in re.findall(r"^RUN (.*)$", lines, re.M):
        yield from not_a_script("sh", script)
        for option in re.findall(r"-D(PLANC_\w+)", script):
            if f"option({option} " not in options:
                yield f"no option `{option}`"


def main(planc, source):
    problems = [f".pre-commit-hooks.yaml: {p}" for p in hooks(planc, (source / ".pre-commit-hooks.yaml").read_text())]
    problems += [f"action.yml: {p}" for p in action(planc, (source / "action.yml").read_text(), source)]
    problems += [f"Containerfile: {p}" for p in container((source / "Containerfile").read_text(), source)]
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
