# Reads an estimate of several plans as JSON on standard input and prints the largest relative difference of their totals and memory.
# SPDX-License-Identifier: Apache-2.0
import json
import sys

plans = json.load(sys.stdin)["plans"]
names = sys.argv[1:]
worst, where = 0.0, "none"
for section in ("totals", "memory"):
    for key, first in plans[0][section].items():
        if not isinstance(first, (int, float)) or isinstance(first, bool) or (names and key not in names):
            continue
        for other in plans[1:]:
            difference = abs(other[section][key] - first) / max(abs(first), 1e-12)
            if difference > worst:
                worst, where = difference, key
print(f"{len(plans)} plans, largest difference {worst:.1e} in {where}")
