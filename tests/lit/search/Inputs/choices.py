# Estimates the best candidate of every value with the choices that the JSON of a search names, given by `--set`.
# usage: choices.py PLANC FILE PLAN [words of `planc search` ...]
# SPDX-License-Identifier: Apache-2.0
import json
import subprocess
import sys

planc, file, plan, *words = sys.argv[1:]


def result(*arguments):
    done = subprocess.run([planc, *arguments, file, "--plan", plan, "--format", "json"], capture_output=True, text=True)
    if not done.stdout:
        sys.exit(f"{arguments}: {done.stderr}")
    return json.loads(done.stdout)


found = result("search", *words)["search"]
best = [value["best"] for value in found["values"] if value["best"]]
for one in found["best"] + best + [f for f in [found["best_without_memory"]] if f]:
    estimated = result("estimate", "--allow-oom", "--no-fixes", *(w for path, text in one["choices"].items() for w in ("--set", f"{path}={text}")))
    seconds = estimated["plans"][0]["totals"]["step_time_s"]
    if abs(seconds / one["step_time_s"] - 1) > 1e-9:
        sys.exit(f"{one}: estimated {seconds} s")
print(f"{len(best)} best of values are what their choices say")
