"""Whether both sides of a comparison add up."""

import json
import sys

plan = json.load(sys.stdin)["plans"][0]
for side in ("predicted", "measured"):
    parts = {part["part"]: part[side + "_s"] for part in plan["parts"]}
    step, rows = plan["step_s"][side], sum(row[side + "_s"] for row in plan["operators"])
    near = [abs(sum(parts.values()) - step) <= 1e-9 * step, abs(rows - parts["operators"]) <= 1e-9 * step]
    print(side + ":", "parts add up to the step," if near[0] else "parts DIFFER,", "operators to their part" if near[1] else "operators DIFFER")
