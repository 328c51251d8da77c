# Says how the times of the same collective compare between three plans that differ in the rate of a level. The start of an all-gather of
# eight ranks is 10.53 us (stdlib/fabrics/nvlink4.plan).
# SPDX-License-Identifier: Apache-2.0
import json
import sys

START = 10.53e-6
plans = {p["name"]: p for p in json.load(open(sys.argv[1]))["plans"]}


def gather(name):
    return next(c["time_s"] for c in plans[name]["collectives"] if c["op"] == "all_gather" and c["layer"] == "decoder.attn")


def width(name):
    totals = plans[name]["totals"]
    return totals["step_time_high_s"] / totals["step_time_low_s"]


print(f"sampled {gather('sampled') / gather('links'):.2f} of links")
print(f"tenth moves {(gather('tenth') - START) / (gather('sampled') - START):.1f} times as long")
print("interval wider" if width("tenth") > width("sampled") else "interval as wide")
