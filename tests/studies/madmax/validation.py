#!/usr/bin/env python3
# The runs that MAD-Max (arXiv 2310.02784) is held against: what was measured, what it predicts and what planc does. Prints the tables of
# docs/studies/madmax.md; `--write PAGE` puts them there, `--check PAGE` compares them. Exits with 77 where the runs are not beside the checkout.
# SPDX-License-Identifier: Apache-2.0
import csv
import json
import pathlib
import statistics
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
sys.dont_write_bytecode = True  # no caches in the tree
import pages
import study

MARK = "tests/studies/madmax/validation.py"
RUNS = "madmax_validation.csv"
TOKENS, SEQ, BATCH = 1.4e12, 2048, 2048  # of LLaMA-65B's training: arXiv 2302.13971, Tables 2 and 15
UNITS = {"gpu_hours": "GPU hours", "million_samples_per_s": "million samples/s", "tflops_per_gpu": "TFLOP/s per GPU"}
NO_SOURCE = "a source of the measured figure"
NO_MACHINE = "network, and how operations are counted"
# row of the table of runs: plan, and what no source prints that a prediction needs
PLANS = {
    "madmax-012": ("llama_65b", ""), "madmax-010": ("dlrm_a", NO_SOURCE), "madmax-011": ("dlrm_b", NO_SOURCE),
    "madmax-001": ("vit_l_32", NO_MACHINE), "madmax-002": ("vit_h_32", NO_MACHINE), "madmax-003": ("vit_10b_32", NO_MACHINE),
    "madmax-004": ("vit_10b_128", NO_MACHINE), "madmax-005": ("vit_25b_32", NO_MACHINE), "madmax-006": ("vit_25b_128", NO_MACHINE),
    "madmax-007": ("vit_25b_128_4096", NO_MACHINE), "madmax-008": ("vit_60b_128", NO_MACHINE), "madmax-009": ("vit_120b_128", NO_MACHINE),
}


class Run:
    """A published run beside the estimate of its plan; every figure in the unit that the table prints."""

    def __init__(self, row, plan):
        self.row, self.plan, self.missing = row, plan, PLANS[row["id"]][1]
        self.measured, self.theirs = float(row["value"]), float(row["predicted_by_source"])
        totals = plan["totals"]
        self.ours, self.least, self.most = (self.in_unit(totals[s]) for s in ("step_time_s", "step_time_low_s", "step_time_high_s"))
        self.flops = totals["model_tflops_per_device"] * 1e12 * totals["step_time_s"]

    def in_unit(self, step):
        """What a step of so many seconds is in the row's unit."""
        kind = self.row["measured_metric"]
        if kind == "gpu_hours":
            return step * self.plan["devices"] / 3600 * TOKENS / (BATCH * SEQ)
        if kind == "million_samples_per_s":
            return self.plan["totals"]["samples_per_s"] * self.plan["totals"]["step_time_s"] / step / 1e6
        return self.plan["totals"]["model_tflops_per_device"] * self.plan["totals"]["step_time_s"] / step

    def off(self, predicted):
        return 100 * (predicted / self.measured - 1)

    def moved(self):
        """Bytes that FSDP brings into a node in a step: parameters gathered twice, gradients reduced once, all in two bytes."""
        return 3 * 2 * self.plan["totals"]["params"]

    def their_least(self):
        """TFLOP/s that MAD-Max's equations and rates give at least, with nothing overlapped."""
        seconds = self.flops / (312e12 * study.THEIR_SHARE) + self.moved() / (2 * study.THEIR_REDUCE)
        return self.flops / seconds / 1e12

    def into_node(self):
        """GB/s into a node if the measured step does nothing but move these bytes."""
        return self.moved() * self.measured * 1e12 / self.flops / 1e9


def price(planc, truth):
    """The runs in the order of the page, and what went wrong."""
    with open(truth / RUNS, newline="") as f:
        rows = {r["id"]: r for r in csv.DictReader(f)}
    done = subprocess.run([planc, "estimate", str(FOLDER / "validation.plan"), "--format", "json", "--allow-oom", "--no-fixes"], capture_output=True, text=True)
    report = json.loads(done.stdout) if done.stdout.strip() else {"plans": [], "diagnostics": []}
    failed = [f"{d['code']}: {d['message']}" for d in report["diagnostics"] if d["severity"] == "error"] or ([] if report["plans"] else [done.stderr[:2000]])
    plans = {p["name"]: p for p in report["plans"]}
    failed += [f"row {row} has no plan" for row in sorted(rows.keys() - PLANS.keys())] + [f"there is no row {row}" for row in sorted(PLANS.keys() - rows.keys())]
    failed += [f"plan {name} belongs to no row" for name in sorted(plans.keys() - {p for p, _ in PLANS.values()})]
    return [Run(rows[row], plans[name]) for row, (name, _) in PLANS.items() if row in rows and name in plans], failed


def figure(x):
    return f"{x:,.0f}" if x >= 1000 else f"{x:.2f}"


def table(runs):
    rows = []
    for r in runs:
        name = f"{r.row['model']}" + (f", batch {int(r.row['global_batch']):,}" if r.row["global_batch"] else "")
        rows.append([name, f"{int(r.row['gpus']):,}", UNITS[r.row["measured_metric"]], figure(r.measured), figure(r.theirs), f"{r.off(r.theirs):+.0f} %",
                     figure(r.ours), f"{r.off(r.ours):+.0f} %", r.missing])
    lines = pages.table(["run", "devices", ":unit", "measured", "MAD-Max", "off", "planc", "off", ":missing"], rows)
    lines += ["", "Median of absolute errors:", ""]
    heads, of = ["runs", "n", "MAD-Max", "planc"], [("complete", [r for r in runs if not r.missing]), ("all, as if nothing were missing", runs)]
    return lines + pages.table(heads, [[name, len(some), f"{median(some, 'theirs'):.0f} %", f"{median(some, 'ours'):.0f} %"] for name, some in of])


def median(runs, whose):
    return statistics.median(abs(r.off(getattr(r, whose))) for r in runs)


def images(runs):
    """Why the rows of ViT are incomplete."""
    rows = [[f"{r.row['model']}, batch {int(r.row['global_batch']):,}", r.row["gpus"], figure(r.measured), figure(r.theirs), figure(r.their_least()), f"{r.into_node():.1f}"]
            for r in runs if r.missing == NO_MACHINE]
    heads = ["run", "devices", "measured, TFLOP/s", "its sheet", "its code on its system, at least", "GB/s into a node, as measured"]
    return ["**What the sheet of ViT runs leaves open**", ""] + pages.table(heads, rows)


def claims(runs):
    """What must hold, as (claim, holds)."""
    complete = [r for r in runs if not r.missing]
    yield "complete rows are nearer to what was measured than MAD-Max's", median(complete, "ours") < median(complete, "theirs")
    for r in complete:
        yield f"{r.row['model']} was measured inside planc's interval", min(r.least, r.most) <= r.measured <= max(r.least, r.most)
    for r in runs:
        if r.missing == NO_MACHINE:
            yield f"{r.plan['name']}: MAD-Max's code on the system that it prints does not give its sheet", r.their_least() > 2 * r.theirs


def main():
    args = pages.arguments(truth=True)
    if not (args.truth / RUNS).exists():
        print(f"skipped: no {RUNS} in {args.truth}")
        return pages.SKIPPED
    runs, failed = price(args.planc, args.truth)
    if failed:
        return pages.finish(args, MARK, "", failed)
    text = "\n".join(table(runs) + [""] + images(runs))
    return pages.finish(args, MARK, text, [claim for claim, holds in claims(runs) if not holds])


if __name__ == "__main__":
    sys.exit(main())
