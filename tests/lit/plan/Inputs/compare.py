# Reads an estimate as JSON on standard input and evaluates a condition over its plans: by name of the plan: `time`, `peak`, the seconds that are
# `exposed` and `slowed`, and those that collectives hold each level: `wire`.
# SPDX-License-Identifier: Apache-2.0
import json
import sys

plans = {plan["name"]: plan for plan in json.load(sys.stdin)["plans"]}
time = {name: plan["totals"]["step_time_s"] for name, plan in plans.items()}
peak = {name: plan["memory"]["peak_bytes"] for name, plan in plans.items()}
exposed = {name: plan["totals"]["exposed_comm_s"] for name, plan in plans.items()}
slowed = {name: plan["totals"]["slowed_s"] for name, plan in plans.items()}
wire = {name: {} for name in plans}
for name, plan in plans.items():
    for row in plan["collectives"]:
        wire[name][row["level"]] = wire[name].get(row["level"], 0) + row["count"] * row["time_s"]
print("holds" if eval(sys.argv[1]) else f"does not hold: {time} {peak} {exposed} {slowed} {wire}")
