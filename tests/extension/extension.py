#!/usr/bin/env python3
# Adding something touches only the places that the rooms' pages name. `ours.plan` is made of one's own text alone, down to operator, device
# and stack, and must check and be priced; the names of the library stand in no C++ file; a kind in exactly one, a word in that of its vocabulary and in that of its row.
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import subprocess
import sys

ROOMS = ("ir", "frontend", "passes", "backends", "calibrate", "driver", "support")
# Rows of tables and where they stand; the made-up ones are added in tests/unit.
ROWS = {
    "operator kind": (["grouped_gemm", "scores", "permute"], ["ir/model/Model.cpp"]),
    "schedule": (["gpipe", "one_f_one_b", "interleaved_1f1b", "zero_bubble", "dualpipe"], ["ir/vocabulary/Schedules.h", "passes/schedules/Schedules.h"]),
    "topology": (["fat_tree", "full_mesh", "torus"],
                 ["backends/cost/price/collectives/Topologies.cpp", "ir/vocabulary/Topologies.h"]),
    "algorithm": (["hierarchical", "fastest"],
                  ["backends/cost/price/collectives/Algorithms.h", "ir/vocabulary/Algorithms.h"]),
}
# `add` is what `+` stands for: the one operator that the language itself calls (docs/language.md, section 6).
CALLED_BY_THE_LANGUAGE = {"add"}
KEYWORDS = {"cluster"}  # also the name of a cluster in std.clusters.generic
ROLES = {"linear", "bias", "detach"}  # facts and statements of operators as well (docs/language.md, section 7)
STEPS = {"slice"}  # also a step between two layouts, and an argument of messages
FIGURES = {"mean"}  # also of lengths of documents (docs/language.md, section 11), and a row of a table
KINDS = {"gemm", "grouped_gemm", "scores", "context", "attention", "memory", "lookup", "permute"}


def sources(root):
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                yield path.relative_to(root), set(re.findall(r'"(\w+)"', path.read_text()))


def main():
    planc, root = sys.argv[1], pathlib.Path(sys.argv[2])
    problems = []
    ours = str(root / "tests/extension/ours.plan")
    for command in (["check", ours], ["estimate", ours, "--format", "csv"]):
        run = subprocess.run([planc, *command], capture_output=True, text=True)
        if run.returncode or run.stderr:
            problems.append(f"planc {command[0]} ours.plan: exit code {run.returncode}\n{run.stderr}")
    files = list(sources(root))
    for what, (names, places) in ROWS.items():
        for name in names:
            where = sorted(str(path) for path, words in files if name in words)
            if where != places:
                problems.append(f"{what} `{name}` stands in {', '.join(where)}; should be {', '.join(places)}")
    exported = 0
    for path in sorted((root / "stdlib").rglob("*.plan")):
        if path.parent.name == "blocks":  # names of everyday words
            continue
        for name in re.findall(r"^export (?:op|model|device|fabric|cluster|stack) (\w+)", path.read_text(), re.M):
            exported += 1
            if name in KINDS | CALLED_BY_THE_LANGUAGE | KEYWORDS | ROLES | STEPS | FIGURES:
                continue
            where = [str(p) for p, words in files if name in words]
            if where:
                problems.append(f"`{name}` of {path.relative_to(root)} stands in {', '.join(where)}")
    for p in problems:
        print(p)
    print(f"{sum(len(names) for names, _ in ROWS.values())} rows, {exported} names of the library, {len(problems)} problems")
    return 1 if problems or not exported else 0


if __name__ == "__main__":
    sys.exit(main())
