# What SARIF, GitLab and JUnit hold of a check. Usage: check_formats.py FOLDER
# SPDX-License-Identifier: Apache-2.0
import json
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

folder = Path(sys.argv[1])
first, moved = (json.loads((folder / name).read_text())["runs"][0] for name in ("s.json", "moved.json"))


def shown(result):
    place = result["locations"][0]["physicalLocation"]
    return f"{result['ruleId']} {result['level']} {place['artifactLocation']['uri']}:{place['region']['startLine']}"


print("sarif:", ", ".join(map(shown, first["results"])))
rules = first["tool"]["driver"]["rules"]
assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in first["results"])
print("every rule has a page" if all(rule["id"] in rule["help"]["markdown"] for rule in rules) else rules)
same = [r["partialFingerprints"] for r in first["results"]] == [r["partialFingerprints"] for r in moved["results"]]
lines = [r["locations"][0]["physicalLocation"]["region"]["startLine"] for run in (first, moved) for r in run["results"]]
print("fingerprints survive a moved line" if same and lines[0] + 1 == lines[len(lines) // 2] else lines)
print("gitlab:", ", ".join(f"{r['check_name']} {r['severity']} {r['location']['path']} {r['location']['lines']['begin']}"
                           for r in json.loads((folder / "g.json").read_text())))
suites = xml.parse(folder / "j.xml").getroot()
print(f"junit: {sum(int(s.get('tests')) for s in suites)} tests, {sum(int(s.get('failures')) for s in suites)} failure")
assert len(suites.findall("./testsuite/testcase")) == 3 and suites.find(".//failure").get("type") == "PLAN0201"
