"""Pipelines that the pages print, of YAML or of Jenkins: whether they are YAML, their scripts are shell, and planc knows the commands and options in them."""
# SPDX-License-Identifier: Apache-2.0
import re
import subprocess
from pathlib import Path

import yaml

HOOKS = Path(__file__).resolve().parents[2] / ".pre-commit-hooks.yaml"
ACTION = Path(__file__).resolve().parents[2] / "action.yml"
SCRIPTS = ("run", "script", "before_script", "after_script")  # of GitHub and of GitLab
COMMAND = re.compile(r"(?<![\w./-])planc ([a-z]+)\b([^\n|;&>]*)")
OPTION = re.compile(r"(?<!\S)(--[a-z-]+)(?:[ =](\w+))?")


def scripts(node):
    """Every shell script of a pipeline; the lines of a list are one."""
    if isinstance(node, list):
        for item in node:
            yield from scripts(item)
    if isinstance(node, dict):
        for key, value in node.items():
            if key in SCRIPTS:
                yield value if isinstance(value, str) else "\n".join(value)
            else:
                yield from scripts(value)


def unknown(script, planc):
    """What planc does not know of a script's commands."""
    for command, words in COMMAND.findall(script):
        done = subprocess.run([planc, command, "--help"], capture_output=True, text=True, timeout=60)
        if done.returncode:
            yield f"`planc {command}`: {done.stderr}"
            continue
        known = {line.split()[0].split("=")[0]: line for line in done.stdout.splitlines() if line.startswith("  -")}
        for option, value in OPTION.findall(re.sub(r'"[^"]*"', '""', words)):
            line = known.get(option)
            if line is None:
                yield f"`planc {command}` has no option `{option}`"
            elif option in ("--format", "--output") and not re.search(rf"\b{value}\b", line):
                yield f"`planc {command} {option}` does not take `{value}`"


def actions(node):
    """What a pipeline of GitHub gives to planc's own action, each time that it uses it."""
    if isinstance(node, list):
        for item in node:
            yield from actions(item)
    if isinstance(node, dict):
        if "/planc@" in node.get("uses", ""):
            yield node.get("with", {})
        for value in node.values():
            yield from actions(value)


def problems(text, planc):
    try:
        pipeline = yaml.safe_load(text)
    except yaml.YAMLError as error:
        yield f"no YAML: {error}"
        return
    if "repos" in pipeline:  # of pre-commit
        known = {hook["id"] for hook in yaml.safe_load(HOOKS.read_text())}
        yield from (f"no hook `{hook['id']}`" for repo in pipeline["repos"] for hook in repo["hooks"] if hook["id"] not in known)
        return
    found = list(scripts(pipeline))
    used = list(actions(pipeline))
    inputs = yaml.safe_load(ACTION.read_text())["inputs"]
    yield from (f"the action has no input `{name}`" for given in used for name in given if name not in inputs)
    commands = len(used)
    for script in found:
        done = subprocess.run(["sh", "-n"], input=script, capture_output=True, text=True, timeout=60)
        if done.returncode:
            yield f"no shell: {done.stderr}{script}"
        commands += len(COMMAND.findall(script))
        yield from unknown(script, planc)
    if not commands:
        yield "a pipeline without a planc command"
