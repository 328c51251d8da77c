# Sums of a comparison as JSON.
# SPDX-License-Identifier: Apache-2.0
import json
import sys

report = json.load(open(sys.argv[1]))
steps = {p["name"]: p["totals"]["step_time_s"] for p in report["plans"]}
c = report["comparison"]
best = steps[c["best"]]
for p in c["plans"]:
    parts = sum(part["difference_s"] for part in p["parts"])
    assert abs(parts - p["difference_s"]) <= 1e-9 * best, (p["name"], parts, p["difference_s"])
    assert abs(steps[p["name"]] - best - p["difference_s"]) <= 1e-9 * best, p["name"]
    r = p["ratio"]
    assert abs(r["value"] - steps[p["name"]] / best) <= 1e-12 and r["low"] <= r["value"] <= r["high"], p["name"]
    assert (r["low"] == r["high"] == 1) == p["best"], p["name"]
print(f"{len(c['plans'])} plans, {sum(p['best'] for p in c['plans'])} best, parts add up")
