# What JSON, JUnit and SARIF hold of tests. Usage: formats.py FOLDER
# SPDX-License-Identifier: Apache-2.0
import json
import sys
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path

folder = Path(sys.argv[1])
found = json.loads((folder / "t.json").read_text())
print(f"json: {found['passed']} passed, {found['failed']} failed, {found['skipped']} skipped")
for test in found["tests"]:
    assert test["ok"] == (test["outcome"] != "failed") and test["id"].startswith(test["file"] + "#"), test
    codes = [found["diagnostics"][i]["code"] for i in test["diagnostics"]]
    print(test["kind"], test["id"].split("#")[1], test["outcome"], *codes)
suites = list(xml.parse(folder / "j.xml").getroot())
total = {key: sum(int(s.get(key)) for s in suites) for key in ("tests", "failures", "skipped")}
print("junit: {tests} tests, {failures} failures, {skipped} skipped".format(**total))
assert [len(s.findall("testcase")) for s in suites] == [4] and len(suites[0].findall("testcase/failure")) == 2
try:
    from junitparser import JUnitXml
except ImportError:
    pass  # where it is installed, a second reader agrees
else:
    read = JUnitXml.fromfile(str(folder / "j.xml"))
    read.update_statistics()
    assert (read.tests, read.failures, read.skipped) == (4, 2, 1), (read.tests, read.failures, read.skipped)
sarif = json.loads((folder / "s.json").read_text())["runs"][0]["results"]
for code, count in Counter(r["ruleId"] for r in sarif if r["level"] == "error").items():
    print("sarif:", code, count)
