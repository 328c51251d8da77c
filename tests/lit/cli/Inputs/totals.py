# Prints the totals and the memory of the plans of an estimate as JSON, without the path of its file.
# SPDX-License-Identifier: Apache-2.0
import json
import sys

for plan in json.load(sys.stdin)["plans"]:
    print(json.dumps({key: plan[key] for key in ("totals", "memory")}, indent=1))
