"""Holds the numbers of run.plan's runs against the equations of docs/cost-model.md, section 8."""
# SPDX-License-Identifier: Apache-2.0
import json
import math
import sys


def near(a, b, what, within=1e-9):
    if not math.isclose(a, b, rel_tol=within):
        sys.exit(f"{what}: {a} is not {b}")


plans = {p["name"]: p for p in json.load(sys.stdin)["plans"]}
for plan in plans.values():
    run, totals = plan["run"], plan["totals"]
    parts = sum(run[f"{part}_s"] for part in ("productive", "checkpointing", "lost", "restarting", "unused"))
    near(parts, 86400 * run["days"], "the parts of the time")
    near(run["productive_s"], run["steps"] * totals["step_time_s"], "productive")
    near(run["goodput"], run["productive_s"] / parts, "goodput")
    near(run["device_hours"], 16 * 24 * run["days"], "device-hours")
    near(run["cost_usd"], 2 * run["device_hours"], "cost: the cluster's price")
    near(totals["cost_usd"], 2 * totals["device_hours"], "cost of a step")
    near(totals["energy_kwh"], 1.2 * totals["device_hours"], "energy of a step: device and host")
    near(run["days_high"] / run["days"], totals["step_time_high_s"] / totals["step_time_s"], "interval")

given, derived, plain = (plans[n]["run"] for n in ("given", "derived", "plain"))
near(given["steps"], math.ceil(1e12 / (64 * 8192)), "steps of tokens")
near(plain["steps"], math.ceil(1e8 / 64), "steps of samples")
near(given["energy_kwh"], 1.2 * 1.25 * given["device_hours"], "energy")
near(given["carbon_kg"], 0.4 * given["energy_kwh"], "carbon")
assert plain["carbon_kg"] is None and plain["mtbf_s"] is None
# One of 16 devices fails every 100 h while the job runs; a segment is 2 h of work and 3 min of saving.
near(given["mtbf_s"], 100 * 3600, "mtbf")
running = 86400 * given["days"] - given["unused_s"]
near(given["failures"], running / 360000, "failures")
fails = math.expm1((7200 + 180) / 360000)
segments = given["productive_s"] / 7200
near(given["lost_s"], segments * (360000 * fails - 7380), "lost")
near(given["restarting_s"], segments * fails * 360000 * math.expm1(600 / 360000), "restarting")
near(running, 360000 * math.exp(600 / 360000) * fails * segments, "Daly's total")
# Adam on bf16: 2 bytes of parameters, 4 + 4 of states, 4 of the master copy; each once.
near(derived["checkpoint_bytes"], 14 * plans["derived"]["totals"]["params"], "bytes of a checkpoint")
near(derived["checkpoint_s"], derived["checkpoint_bytes"] / 100e9, "checkpoint")
near(derived["every_s"], math.sqrt(2 * derived["checkpoint_s"] * 360000), "the best interval to first order")
