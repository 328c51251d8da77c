#!/usr/bin/env python3
"""Imports configuration files: every one becomes a plan that checks clean and is formatted, or an error says what is missing, with its place.

Usage: files.py PLANC FOLDER [SHARED]

FOLDER has files written by hand and `commands.txt`. SHARED, `../shared/import`, has published files; without it the test is skipped (77).
"""
# SPDX-License-Identifier: Apache-2.0
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PLACED = re.compile(r"error\[PLAN\d{4}\]: .*\n +--> .+:\d+:\d+", re.M)
SIMUMAX = "configs__strategy__tp1_pp2_dp4_mbs1.json"
CALCULON = "examples__3072_t4_p64_d12_mbs4_full.json"


def shared_commands(shared):
    """The words of a command for each published file, and whether the file must become a plan."""
    for path in sorted(shared.glob("hf/*.json")):
        yield ["hf", path, "--cluster", "hgx_h100", "--set", "devices=64"], False
    for path in sorted(p for p in shared.glob("megatron/*") if p.suffix in (".sh", ".yaml")):
        yield ["megatron", path, "--set", "devices=8"], False
    for path in sorted(shared.glob("torchtitan/*.toml")):
        yield ["torchtitan", path, "--set", "devices=64"], False
    for path in sorted(shared.glob("calculon/models__*.json")):
        yield ["calculon", path], True
        yield ["calculon", path, shared / "calculon" / CALCULON], False
    for path in sorted(shared.glob("calculon/systems__*.json")):
        yield ["calculon", path], False
    for path in sorted(shared.glob("simumax/configs__models__*.json")):
        yield ["simumax", path], True
        yield ["simumax", path, shared / "simumax" / SIMUMAX], False
    for path in sorted(shared.glob("simumax/configs__strategy__*.json")):
        yield ["simumax", path, shared / "simumax" / "configs__models__mixtral-8x7b.json"], False


def run(planc, words, folder, cwd=None):
    """The outcome of a command: `plan`, `named`, or a text that says what is wrong."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        plan = pathlib.Path(own) / "imported.plan"
        done = subprocess.run([planc, "import", *words, "-o", plan], capture_output=True, text=True, cwd=cwd, timeout=120)
        if done.returncode == 1:
            if plan.exists():
                return "wrote a plan in spite of errors"
            return "named" if PLACED.search(done.stderr) else f"error without a place:\n{done.stderr}"
        if done.returncode:
            return f"exit {done.returncode}:\n{done.stderr}"
        for check in (["check"], ["fmt", "--check"]):
            if subprocess.run([planc, *check, plan], capture_output=True).returncode:
                return f"`planc {check[0]}` rejects the plan"
        if not re.search(r"planc: \d+ of \d+ arguments used, \d+ do not matter", done.stderr):
            return "does not say what was used"
        return "plan"


def main():
    planc, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    commands = [(line.split(), True, folder) for line in (folder / "commands.txt").read_text().splitlines() if line and line[0] != "#"]
    if len(sys.argv) > 3:
        shared = pathlib.Path(sys.argv[3])
        if not shared.is_dir():
            print(f"no {shared}: skipped")
            return 77
        commands = [(words, must, None) for words, must in shared_commands(shared)]
    wrong, plans = 0, 0
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = pool.map(lambda one: run(planc, one[0], temporary, one[2]), commands)
        for (words, must, _), outcome in zip(commands, outcomes):
            plans += outcome == "plan"
            if outcome == "plan" or (outcome == "named" and not must):
                continue
            wrong += 1
            print(" ".join(map(str, words)) + ": " + outcome)
    print(f"{len(commands)} imports, {plans} plans, {wrong} wrong")
    return 1 if wrong or not plans else 0


if __name__ == "__main__":
    sys.exit(main())
