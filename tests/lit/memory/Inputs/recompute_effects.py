# Reads an estimate on standard input and holds what statements free and cost against the plans without them.
# SPDX-License-Identifier: Apache-2.0
import json
import sys

plans = {p["name"]: p for p in json.load(sys.stdin)["plans"]}

for name, base in (("named", "nothing"), ("norms", "nothing"), ("both", "norms")):
    plan, without, effect = plans[name], plans[base], plans[name]["recompute"][-1]
    freed = without["memory"]["peak_bytes"] - plan["memory"]["peak_bytes"]
    cost = plan["totals"]["step_time_s"] - without["totals"]["step_time_s"]
    same = freed == effect["freed_bytes"] > 0 and cost == effect["cost_s"] > 0
    print(f"{name} against {base}: {'equal' if same else f'{freed} and {cost}, not {effect}'}")
