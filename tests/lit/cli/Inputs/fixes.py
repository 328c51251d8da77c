# The fixes that JSON or SARIF holds of a check. Usage: fixes.py json|sarif FILE
# SPDX-License-Identifier: Apache-2.0
import json
import sys


def of_json(found):
    for diagnostic in found["diagnostics"]:
        for fix in diagnostic["fixes"]:
            for edit in fix["edits"]:
                yield diagnostic["code"], edit["line"], edit["column"], edit["end_column"], edit["text"], fix["title"], fix["safe"]


def of_sarif(found):
    for result in found["runs"][0]["results"]:
        for fix in result.get("fixes", []):
            for change in fix["artifactChanges"]:
                assert change["artifactLocation"] == result["locations"][0]["physicalLocation"]["artifactLocation"]
                for edit in change["replacements"]:
                    region = edit["deletedRegion"]
                    yield result["ruleId"], region["startLine"], region["startColumn"], region["endColumn"], edit["insertedContent"]["text"]


with open(sys.argv[2]) as file:
    for row in {"json": of_json, "sarif": of_sarif}[sys.argv[1]](json.load(file)):
        print(*row, sep="|")
