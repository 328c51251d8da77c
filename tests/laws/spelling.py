#!/usr/bin/env python3
# How a plan is spelled changes no interval of a ratio: other names of axes, an heir of the cluster that has a price, an heir of the stack that changes
# nothing, a model with its arguments in another order. Nor do runs leave more open than twice what the two steps do not share.
# SPDX-License-Identifier: Apache-2.0
import json
import math
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # no caches in the tree
from plan_text import file_text
from specification import draw
from variants import OTHER_NAMES

BASES = range(400, 440)

def again(spec):
    """The plan `other` in other words."""
    return (f"cluster cluster_again extends cluster_other {{ price = 3.5USD/h : \"made for tests/laws\" }}\nstack stack_again extends {spec.stack} {{ }}\n"
            "plan plan_again extends plan_other {\n  override cluster = cluster_again\n  override software = stack_again\n}\n")


def comparisons(planc, spec):
    """The ratio of `other` over `base` by the spelling of `other`; nothing if a law of plans forbids one."""
    other = spec.with_(micro_batch=2 * spec.micro_batch)
    renamed = other.with_(axis_names=OTHER_NAMES[0], model=dict(reversed(other.model.items())))
    text = file_text({"base": spec, "other": other, "renamed": renamed})[0] + again(other)
    text += "".join(f"compare {name} {{ base = plan_base; other = plan_{name} }}\n" for name in ("other", "renamed", "again"))
    text += "compare itself { base = plan_renamed; other = plan_again }\n"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "spelling.plan"
        path.write_text(text)
        run = subprocess.run([planc, "estimate", str(path), "--format", "json", "--no-fixes", "--allow-oom"], capture_output=True, text=True)
    report = json.loads(run.stdout) if run.stdout.startswith("{") else {"diagnostics": []}
    if not report.get("comparisons"):
        return {}, [d["message"] for d in report["diagnostics"] if d["severity"] == "error"][:1] or [run.stderr[:300]], []
    warned = [d["message"] for d in report["diagnostics"] if d["code"] == "PLAN0942"]
    found = {c["name"]: next((p["ratio"], c["best"]) for p in c["plans"] if not p["best"]) for c in report["comparisons"]}
    return found, [], warned


def problems(found, warned):
    first, best = found["other"]
    for name in ("renamed", "again"):
        ratio, other_best = found[name]
        if best == other_best:
            yield from (f"{name}: {k} {first[k]!r} -> {v!r}" for k, v in ratio.items() if not math.isclose(v or 0, first[k] or 0, rel_tol=1e-9, abs_tol=1e-12))
    itself = found["itself"][0]
    if any(abs(itself[k] - 1) > 1e-9 for k in ("value", "low", "high") if itself[k] is not None):
        yield f"a plan over itself is {itself}"
    if first["high"] is not None and max(math.log(first["runs_high"]), -math.log(first["runs_low"])) > 2 * first["unshared"] + 1e-9:
        yield f"runs are less sure than what differs: {first}"
    yield from warned


def main():
    planc, wrong, compared, refused = str(pathlib.Path(sys.argv[1]).resolve()), 0, 0, []
    for seed in BASES:
        found, errors, warned = comparisons(planc, draw(seed))
        if not found:
            refused.append(f"seed {seed}: {errors[0]}")
            continue
        compared += 1
        for problem in problems(found, warned):
            wrong += 1
            print(f"seed {seed}: {problem}")
    print("\n".join(refused[:3]))
    print(f"{compared} plans spelled in four ways, {wrong} wrong, {len(refused)} refused")
    return 1 if wrong or compared < len(BASES) / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
