# One planc process per file of plans: runs it, reads its JSON, and tells a prediction that is off from a plan that is wrong.
# SPDX-License-Identifier: Apache-2.0
import csv
import io
import json
import subprocess

OFF = "PLAN0902"  # a measured value out of its tolerance: what these tests count, and no mistake in a plan


# Warnings that something of a plan has no effect: where a test writes the plan, it says something else than it means.
IDLE = {f"PLAN{n:04}" for n in (640, 644, 645, 647, 648, 723, 726, 738, 763, 766, 767, 787, 788, 794, 795, 796, 924, 925, 1153)}


def _run(planc, path, *options):
    return subprocess.run([planc, "estimate", path, "--allow-oom", "--no-fixes", *options], capture_output=True, text=True)


def step_times(planc, path):
    """({plan: seconds of its step}, what was written to stderr): a small part of a report, in a quarter of its time."""
    done = _run(planc, path, "--format", "csv", "--compare")
    return {row["plan"]: float(row["step_time_s"]) for row in csv.DictReader(io.StringIO(done.stdout))}, done.stderr


def price(planc, path, *options):
    """(the report of one planc process on a file, what it wrote to stderr). A process that prints nothing gives a report without plans."""
    done = _run(planc, path, "--format", "json", *options)
    return (json.loads(done.stdout) if done.stdout.strip() else {"plans": [], "diagnostics": []}), done.stderr


def mistakes(report):
    """The errors of a report, less those that say how far a prediction is off, as lines."""
    return [f"{d['code']}: {d['message']}" for d in report["diagnostics"] if d["severity"] == "error" and d["code"] != OFF]


def idle(report):
    """What of the plans of a report has no effect, as lines."""
    return [f"{d['code']}: {d['message']}" for d in report["diagnostics"] if d["code"] in IDLE]


def pairs_of(report):
    """{plan: [(metric, predicted, measured)]}."""
    return {p["name"]: [(m["metric"], m["predicted"], m["measured"]) for m in p["measured"]] for p in report["plans"]}


def checked(planc, path, *options):
    """The report of a file that must hold plans without mistakes; raises RuntimeError with what planc said."""
    report, stderr = price(planc, path, *options)
    wrong = mistakes(report)
    if wrong or not report["plans"]:
        raise RuntimeError("\n".join(wrong) or stderr[:3000] or f"no plans in {path}")
    return report
