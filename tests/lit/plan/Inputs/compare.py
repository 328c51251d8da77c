# Reads an estimate as JSON on standard input and evaluates a condition over its plans: `time` and `peak` by name of the plan.
# SPDX-License-Identifier: Apache-2.0
import json
import sys

plans = {plan["name"]: plan for plan in json.load(sys.stdin)["plans"]}
time = {name: plan["totals"]["step_time_s"] for name, plan in plans.items()}
peak = {name: plan["memory"]["peak_bytes"] for name, plan in plans.items()}
print("holds" if eval(sys.argv[1]) else f"does not hold: {time} {peak}")
