# Sums of comparisons as JSON: of the plans of the report, and of those that the file declares.
# SPDX-License-Identifier: Apache-2.0
import json
import sys


def check(c, steps):
    best = steps[c["best"]]
    for p in c["plans"]:
        parts = sum(part["difference_s"] for part in p["parts"])
        assert abs(parts - p["difference_s"]) <= 1e-9 * best, (p["name"], parts, p["difference_s"])
        assert abs(steps[p["name"]] - best - p["difference_s"]) <= 1e-9 * best, p["name"]
        r = p["ratio"]
        assert abs(r["value"] - steps[p["name"]] / best) <= 1e-12 and r["low"] <= r["value"] <= r["high"], p["name"]
        assert (r["low"] == r["high"] == 1) == p["best"], p["name"]
    return f"{len(c['plans'])} plans, {sum(p['best'] for p in c['plans'])} best, parts add up"


report = json.load(open(sys.argv[1]))
if "comparison" in report:
    print(check(report["comparison"], {p["name"]: p["totals"]["step_time_s"] for p in report["plans"]}))
for declared in report.get("comparisons", []):
    steps = {p["name"]: p["estimate"]["totals"]["step_time_s"] for p in declared["plans"]}
    assert all(p["plan"] == p["estimate"]["name"] for p in declared["plans"])
    print(f"{declared['name']}: {check(declared, steps)}")
