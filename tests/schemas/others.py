#!/usr/bin/env python3
"""What `check` and `test` print for other tools is what those read: SARIF by the schema of the npm package @microsoft/jest-sarif, JUnit by
python3-junitparser. The inputs are those of the lit tests that ask for these formats, and the examples.

Usage: others.py PLANC ROOT sarif|junit
"""
# SPDX-License-Identifier: Apache-2.0
import copy
import json
import pathlib
import sys
import tempfile

import planc as shared
import suite

WRONG = "plan p {\n  model = nothing.at_all\n}\n"
COMMANDS = [["check", "examples"], ["test", "examples"], ["check", "-"]]


def printed(planc, root, where, form):
    """Every document of a format, with the words it was asked for by."""
    records = where / "records"
    recorded = shared.recorder(planc, records)
    suite.run(recorded, root, where, [f"--format {form}", f"--format={form}", f"{form}="])
    for words in COMMANDS:
        shared.run(recorded, [*words, "--format", form], root, WRONG)
    for record in sorted(p for p in records.iterdir() if not p.suffix):
        words, out = record.read_text().splitlines(), record.with_suffix(".out").read_text()
        if shared.word_of(words, "--format") == form and out:
            yield words, out


def check_sarif(documents):
    """All of them are valid, and none is without what it must have."""
    jsonschema = shared.needed("jsonschema")
    schema = json.loads((pathlib.Path(__file__).parent / "sarif-2.1.0-rtm.5.json").read_text())
    validator = jsonschema.Draft4Validator(schema)
    rich = None
    for words, text in documents:
        log = json.loads(text)
        problem = shared.problem(validator, log)
        if problem:
            yield f"planc {' '.join(words)}: {problem}"
        if any("fixes" in result for result in log["runs"][0]["results"]):
            rich = log
    if not rich:
        yield "no document with fixes"
        return
    for what in ("tool", "results/0/message", "results/0/fixes/0/artifactChanges", "tool/driver/name"):
        mutant = copy.deepcopy(rich)
        result = next(r for r in mutant["runs"][0]["results"] if "fixes" in r)
        mutant["runs"][0]["results"] = [result]
        *way, last = what.split("/")
        at = mutant["runs"][0]
        for key in way:
            at = at[int(key) if key.isdigit() else key]
        del at[last]
        if validator.is_valid(mutant):
            yield f"taken for SARIF: without {what}"


def check_junit(documents):
    """The parser finds as many cases as a suite says, and fails those that have failed."""
    junitparser = shared.needed("junitparser")
    failed = 0
    for words, text in documents:
        for unit in junitparser.JUnitXml.fromstring(text.encode()):
            cases = list(unit)
            failures = sum(any(isinstance(r, junitparser.Failure) for r in case.result) for case in cases)
            skipped = sum(any(isinstance(r, junitparser.Skipped) for r in case.result) for case in cases)
            failed += failures
            if (len(cases), failures, skipped) != (unit.tests, unit.failures, unit.skipped):
                yield f"planc {' '.join(words)}: {unit.name} says {unit.tests}, {unit.failures}, {unit.skipped}; there are {len(cases)}, {failures}, {skipped}"
            if any(not case.name or not case.classname for case in cases):
                yield f"planc {' '.join(words)}: a case without a name in {unit.name}"
    if not failed:
        yield "no case failed"


CHECKS = {"sarif": ("jsonschema", check_sarif), "junit": ("junitparser", check_junit)}


def main():
    planc, root = shared.paths()
    module, check = CHECKS[sys.argv[3]]
    shared.needed(module)
    with tempfile.TemporaryDirectory() as folder:
        documents = list(printed(planc, root, pathlib.Path(folder), sys.argv[3]))
        failures = list(check(documents))
    for failure in failures:
        print(failure)
    print(f"{len(documents)} documents, {len(failures)} failures")
    return 1 if failures or not documents else 0


if __name__ == "__main__":
    sys.exit(main())
