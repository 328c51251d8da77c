# The names of cases, and where they stand. Usage: names.py FOLDER
# SPDX-License-Identifier: Apache-2.0
import json
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

folder = Path(sys.argv[1])
tests = json.loads((folder / "t.json").read_text())["tests"]
for test in tests:
    print(f"{test['id']} at {test['file']}:{test['line']} of {test['plan_file']}:{test['plan_line']}")
assert len({test["id"] for test in tests}) == len(tests) and not any(" is " in test["name"] for test in tests)
failed = xml.parse(folder / "j.xml").getroot().find("./testsuite/testcase[failure]")
print("junit:", failed.get("classname"), failed.get("file"), failed.get("line"))
print("gitlab:", json.loads((folder / "g.json").read_text())[0]["description"])
for result in json.loads((folder / "s.json").read_text())["runs"][0]["results"]:
    places = [place["physicalLocation"] for place in result["relatedLocations"]]
    found = [f"{p['artifactLocation']['uri']}:{p['region']['startLine']}" for p in places if p["artifactLocation"]["uri"] == "house.plan"]
    print("sarif:", result["message"]["text"], "also", *found)
