#!/usr/bin/env python3
"""The measured step of docs/compare.md: what `planc compare` says of a profile of one H200. Without --write: fails unless the page says the same."""

import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "measured"))
import page  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("planc")
parser.add_argument("samples", help="the folder of trace.json.gz")
parser.add_argument("docs", help="the folder of compare.md")
parser.add_argument("--write", action="store_true", help="renew the page")
options = parser.parse_args()

trace = os.path.join(options.samples, "trace.json.gz")
if not os.path.exists(trace):
    print(f"skipped: there is no {trace}")
    sys.exit(77)
planc, docs = os.path.abspath(options.planc), os.path.abspath(options.docs)
os.chdir(options.samples)
found = subprocess.run([planc, "compare", os.path.join(HERE, "h200.plan"), "--plan", "h200", "--trace", "trace.json.gz"], capture_output=True, text=True)
if found.returncode != 0:
    sys.exit(found.stderr)
lines = ["", "```text", *found.stdout.rstrip("\n").split("\n"), "```", ""]
if options.write:
    page.renew(docs, "tests/compare/h200.py", lines)
    sys.exit(0)
with open(os.path.join(docs, "compare.md"), encoding="utf-8") as file:
    if "\n".join(lines) in file.read():
        sys.exit(0)
sys.exit(f"docs/compare.md says something else: python3 tests/compare/h200.py {options.planc} {options.samples} {options.docs} --write")
