# What identifies the plans, files and library of three results. Usage: identity.py ESTIMATE CHECK VERSION FILE…
# SPDX-License-Identifier: Apache-2.0
import hashlib
import json
import sys
from pathlib import Path

estimate, check, version = (json.loads(Path(path).read_text()) for path in sys.argv[1:4])
for plan in estimate["plans"]:
    print(plan["id"].split("#")[1], plan["arguments"], plan["name"])
    assert plan["id"].startswith(plan["file"] + "#"), plan["id"]
print("checked", check["plans"][0]["id"].split("#")[1])
digests = {Path(path).name: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in sys.argv[4:]}
for result in (estimate, check):
    assert {Path(i["path"]).name: i["sha256"] for i in result["inputs"]} == digests, result["inputs"]
print("inputs are", ", ".join(digests) + ", with their digests")
assert len({result["library_sha256"] for result in (estimate, check, version)}) == 1
assert version["formats"]["plans"] == estimate["format_version"] == check["format_version"]
assert version["commit"] is None or len(version["commit"]) >= 40
print("one library")
