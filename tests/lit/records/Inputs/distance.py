# Steps of three plans whose sites are near, far and without a word on it.
# SPDX-License-Identifier: Apache-2.0
import json
import sys

step = {p["name"]: p["totals"]["step_time_s"] for p in json.load(sys.stdin)["plans"]}
print("near as without a latency:", step["near"] == step["silent"])
print("far longer by a step at least:", step["far"] >= step["near"] + 0.1)
