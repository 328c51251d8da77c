#!/usr/bin/env python3
# Searches every published sweep: `planc search` over exactly its plans must find what `planc estimate` says of each of them.
# SPDX-License-Identifier: Apache-2.0
"""A sweep is the runs of a source that do the same work on the same machine under different plans; of llm-foundry a model on different numbers of
the same GPU, compared by tokens per second and device; of nanotron a number of devices with a batch, runs that ran out of memory included. Its runs
become the values of one choice of one plan: the sizes of the axes, the micro-batch, the schedule, the cut and whatever else tells them apart, bound by
`with`. All step times, memories and verdicts must be those of the plans as they are written out, to the bit, and so must be the order."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace

sys.dont_write_bytecode = True  # no caches in the tree
import nanotron
import pricing
import regret
import runs
from sources.common import file_text


SWEPT = ("vtrain", "llm_foundry", "zero_bubble")


@dataclass
class Sweep:
    name: str
    plans: str  # text of a file with a plan for each run
    base: str  # text of a file with the plan that is searched, `base`
    names: list  # of the plans, in the order of the candidates
    vary: list  # (path, the value of the base, a value for each run); no choice where all runs have the value of the base
    goal: str
    better: object  # of a reported plan: the less the better


def step_time(plan):
    return plan["totals"]["step_time_s"]


def slowness(plan):
    return -plan["totals"]["tokens_per_s_per_device"]


def sweep_of(source, group):
    """The runs of a sweep as choices of one plan that has every axis that one of them has."""
    first = group[0]
    devices = first.data * first.tensor * first.pipeline
    tensor, pipeline = (2 if any(getattr(r, axis) > 1 for r in group) else 1 for axis in ("tensor", "pipeline"))
    base = replace(first, name="base", tensor=tensor, pipeline=pipeline, data=devices // (tensor * pipeline))
    if first.stages:  # every device a stage: the sizes stay; the first and the last virtual stage hold a layer less, or none
        base = replace(first, name="base", stages=["stages = even(position = 1, head = 1)"])
    paths = {"mesh.dp": lambda r: r.data, "mesh.tp": lambda r: r.tensor, "mesh.pp": lambda r: r.pipeline, "train.micro_batch": lambda r: r.micro_batch,
             "train.global_batch": lambda r: r.global_batch, "cluster.nodes": lambda r: r.data * r.tensor * r.pipeline // 8,
             "recompute": lambda r: r.recompute or "none", "pipeline.schedule": lambda r: r.schedule}
    vary = [(path, value(base), [value(r) for r in group]) for path, value in paths.items()]
    text = file_text(source.TITLE, [base], getattr(source, "PREAMBLE", "")).replace("stage 0 = stages", "stages")
    whole = runs.name_of(source) not in regret.KEYS
    return Sweep(f"{regret.title(source)}, {first.model.partition('(')[0]}, {devices} devices, batch {first.global_batch}",
                 file_text(source.TITLE, group, getattr(source, "PREAMBLE", "")), text, [r.name for r in group], vary,
                 "minimize step_time" if whole else "maximize tokens_per_second_per_device", step_time if whole else slowness)


def published(truth):
    """Sweeps of sources whose plans differ in what can be chosen in one plan."""
    for name in SWEPT:
        source = runs.selected([name])[0]
        for plans in regret.grouped(name, runs.runs_of(truth, source, runs.FITTED)[0]).values():
            group = [same[0] for same in plans.values()]
            for kept in sorted({run.kept for run in group}):  # whether parameters stay is no choice of one plan
                if len(alike := [run for run in group if run.kept == kept]) > 1:
                    yield sweep_of(source, alike)


def layers(row):
    """The numbers of layers of a run's stages, as `stages` says them."""
    size = nanotron.SIZES["8b"]
    owners = nanotron.stages(size, row["pp"])[:size.layers]
    return "[" + ", ".join(str(owners.count(s)) for s in range(row["pp"])) + "]"


def nanotron_sweeps(truth):
    """Sweeps of nanotron's runs, whose machine and model stand in a file of their own."""
    files = [os.path.join(truth, f) for f in ("nanotron_8b.csv", "nanotron_8b_out_of_memory.csv")]
    groups = {}
    for row in (r for f in files if os.path.exists(f) for r in nanotron.read(f)):
        groups.setdefault((row["gpus"], row["gbs"], row["seq"]), []).append(row)
    for (gpus, batch, seq), group in groups.items():
        if len(group) < 2:
            continue
        base = dict(group[0], id="base", tp=2, pp=1, dp=gpus // 2, zero1=True)
        text = nanotron.plan(base).rstrip()[:-1] + "  pipeline pp { schedule = one_f_one_b; stages = [32] }\n}\n"
        paths = {"mesh.dp": lambda r: r["dp"], "mesh.tp": lambda r: r["tp"], "mesh.pp": lambda r: r["pp"], "train.micro_batch": lambda r: r["mbs"],
                 "states.optimizer ->": lambda r: "dp" if r["zero1"] else "replicate", "software": nanotron.software, "pipeline.stages": layers,
                 "cluster.intra_bandwidth": nanotron.links}
        vary = [(path, value(base), [value(r) for r in group]) for path, value in paths.items()]
        yield Sweep(f"nanotron, {gpus} devices, batch {batch}", nanotron.HEAD + "\n".join(map(nanotron.plan, group)), nanotron.HEAD + text,
                    [r["id"] for r in group], vary, "minimize step_time", step_time)


def search(planc, path, sweep):
    words = [f"{p} in [{', '.join(map(str, values))}]" for p, base, values in sweep.vary if set(values) != {base}]
    done = subprocess.run([planc, "search", path, "--plan", "base", "--vary", " with ".join(words), "--" + sweep.goal.split()[0], sweep.goal.split()[1],
                           "--top", str(len(sweep.names)), "--format", "json"], capture_output=True, text=True)
    if not done.stdout.strip():
        raise RuntimeError(done.stderr[:3000])
    return json.loads(done.stdout)["search"]


def same(sweep, plans, found):
    """What a search says otherwise than the plans do, as lines."""
    wrong = []
    fits = [n for n in sweep.names if plans[n]["memory"]["fits"]]
    ranked = sorted(fits, key=lambda n: (sweep.better(plans[n]), sweep.names.index(n)))
    answers = [sweep.names[row["candidate"]] for row in found["best"]]
    if answers != ranked:
        wrong.append(f"the order is {', '.join(answers)}; by estimate {', '.join(ranked)}")
    fates = found["fates"]
    counts = (found["candidates"], fates["priced"], fates["answers"], fates["do_not_fit"])
    if counts != (len(sweep.names), len(sweep.names), len(fits), len(sweep.names) - len(fits)):
        wrong.append(f"candidates, priced, answers, too large: {counts}; by estimate {len(fits)} of {len(sweep.names)} fit")
    for row in found["best"]:
        name = sweep.names[row["candidate"]]
        said, known = (row["step_time_s"], row["memory_peak_bytes"]), (step_time(plans[name]), plans[name]["memory"]["peak_bytes"])
        if said != known:
            wrong.append(f"{name}: {said}; by estimate {known}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser)
    parser.add_argument("--least", type=int, required=True, help="sweeps that there must be")
    a = parser.parse_args()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    sweeps, bad = 0, []
    for sweep in [*published(a.truth), *nanotron_sweeps(a.truth)]:
        with tempfile.TemporaryDirectory(prefix="searched-") as folder:
            files = {"common.plan": open(nanotron.COMMON).read(), "runs.plan": sweep.plans, "base.plan": sweep.base}
            for name, text in files.items():
                with open(os.path.join(folder, name), "w") as out:
                    out.write(text)
            report = pricing.checked(a.planc, os.path.join(folder, "runs.plan"))
            plans = {p["name"]: p for p in report["plans"]}
            found = search(a.planc, os.path.join(folder, "base.plan"), sweep)
        wrong = same(sweep, plans, found)
        best = sweep.names[found["best"][0]["candidate"]] if found["best"] else "none"
        print(f"{sweep.name}: {len(sweep.names)} plans, {found['fates']['answers']} fit, best {best}{', WRONG' if wrong else ''}")
        bad += [f"{sweep.name}: {line}" for line in wrong]
        sweeps += 1
    print("\n".join(bad + [f"{sweeps} sweeps"]))
    return 0 if not bad and sweeps >= a.least else 1


if __name__ == "__main__":
    sys.exit(main())
