# Writes plans of a search down by `--apply`, and holds each against what the search showed of it.
# usage: apply.py PLANC FILE WORKDIR RANKS [words of `planc search` ...]
# FILE may be a folder: then those of its files that hold a search. With RANKS `each`, every value of every choice is asked for by itself, and the best with it is written.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import subprocess
import sys

planc, file, work, ranks = sys.argv[1:5]
words = sys.argv[5:]
folder = pathlib.Path(work)
folder.mkdir(parents=True, exist_ok=True)
written = 0


def run(*arguments, good=True):
    done = subprocess.run([planc, *arguments], capture_output=True, text=True)
    if good and done.returncode not in (0,):
        sys.exit(f"{' '.join(arguments)}\nexit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr}")
    return done


def plans(path):
    return [w.split()[1].split("(")[0] for w in path.read_text().splitlines() if w.startswith("plan ")]


def check(rank, *more):
    global written
    out = folder / f"written_{written + 1}.plan"
    done = run("search", file, *words, *more, "--format", "json", "--apply", str(rank), "-o", str(out), good=False)
    if done.returncode and " to write" in done.stderr:
        return None
    if done.returncode:
        sys.exit(f"{more}: exit code {done.returncode}\n{done.stderr}")
    found = json.loads(done.stdout)["search"]
    shown = (found["front"] if len(found["front"]) > 1 else found["best"])[rank - 1]
    name = plans(out)[-1]
    checked = run("check", str(out))
    if rank == 1 and checked.stdout + checked.stderr:
        sys.exit(f"{out}: {checked.stdout}{checked.stderr}{out.read_text()}")
    run("fmt", "--check", str(out))
    estimated = json.loads(run("estimate", str(out), "--plan", name, "--format", "json", good=False).stdout)
    totals, memory = estimated["plans"][0]["totals"], estimated["plans"][0]["memory"]
    if totals["step_time_s"] != shown["step_time_s"] or memory["peak_bytes"] != shown["memory_peak_bytes"]:
        sys.exit(f"{out}: {totals['step_time_s']} s, {memory['peak_bytes']} B; shown {shown}\n{out.read_text()}")
    if "search" in [w.split()[0] for w in out.read_text().splitlines() if w.startswith("  search")]:
        sys.exit(f"{out} holds a search")
    written += 1
    if written > 1:
        return shown
    printed = run("search", file, *words, *more, "--apply", str(rank)).stdout
    if printed.split(" {\n")[-1] != out.read_text().split(" {\n")[-1]:
        sys.exit(f"printed is not what is written:\n{printed}\n{out.read_text()}")
    return shown


def searched():
    if not os.path.isdir(file):
        return [file]
    return [str(p) for p in sorted(pathlib.Path(file).glob("*.plan")) if "\n  search {" in p.read_text()]


for file in searched():
    if ranks == "each":
        found = json.loads(run("search", file, *words, "--format", "json", good=False).stdout)["search"]
        for value in found["values"]:
            if not value["best"]:
                continue
            bound = value["choice"].split(", ")
            line = " with ".join(
                f"{path} in [{text}]" for path, text in value["best"]["choices"].items() if path.split(" ->")[0] in bound
            )
            if check(1, "--vary", line) is None:
                print(f"no answer: {line}")
    else:
        for rank in range(1, int(ranks) + 1):
            if check(rank) is None:
                break
print(f"{written} plans are what they were shown as")
