# Reads an estimate as JSON on standard input and prints what one layer of the decoder keeps for backward, over a formula of s, b, h, a, t.
# SPDX-License-Identifier: Apache-2.0
import json
import sys

s, b, h, a, t = 2048, 1, 12288, 96, 8
plan = json.load(sys.stdin)["plans"][0]
stage = plan["layers"][0]["stage"]
kept = sum(row["activation_bytes"] for row in plan["layers"] if row["path"].startswith("decoder.") and row["stage"] == stage)
formula = eval(sys.argv[1])
print(f"kept {kept:.0f} formula {formula:.0f} ratio {kept / formula:.6f}")
