#!/usr/bin/env python3
"""The example of every diagnostic's page reports that diagnostic at a place, and what the page says instead is clean.

Usage: shown.py PLANC ROOT [CODE…]
"""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import page as pages


def run(planc, command, files):
    """Diagnostics of planc over the first of `files`, and its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text)
        done = subprocess.run([planc, command, "--diagnostics=json", next(iter(files))], cwd=folder, timeout=60,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={**os.environ, "LC_ALL": "C.UTF-8"})
    found = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    return found, done.returncode, done.stderr


def text_of(diagnostics):
    return "; ".join(f"{d['code']} at line {d.get('line')}: {d['message']}" for d in diagnostics) or "nothing"


def problems(planc, page):
    found, code, stderr = run(planc, page.command, page.example)
    mine = [d for d in found if d["code"] == page.code]
    if not mine:
        yield f"the example does not report it, but {text_of(found)} (exit code {code}) {'' if found else stderr}"
    elif not any((d.get("line") or 0) > 0 and d.get("file") for d in mine):
        yield "the example reports it at no place"
    elif others := [d for d in found if d["code"] not in (page.code, *page.also)]:
        yield f"the example reports more than {page.code}: {text_of(others)}"
    found, code, stderr = run(planc, page.command, page.instead)
    # What the page says comes along, such as the warning that every search gets, is no error of what stands instead.
    found = [d for d in found if d["code"] not in page.also or d["severity"] == "error"]
    if found or code != 0:
        yield f"`Instead` is not clean: {text_of(found)} (exit code {code}) {'' if found else stderr}"


def main(planc, root, wanted):
    shown = [p for p in pages.pages(root).values() if p.example and p.instead and (not wanted or p.code in wanted)]
    with ThreadPoolExecutor() as pool:
        results = pool.map(lambda p: list(problems(planc, p)), shown)
    bad = 0
    for page, found in zip(shown, results):
        for problem in found:
            print(f"{page.path.relative_to(root)}: {problem.strip()}")
        bad += bool(found)
    print(f"{len(shown)} pages shown, {bad} of them wrong")
    return 1 if bad or not shown else 0


if __name__ == "__main__":
    sys.exit(main(str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve(), set(sys.argv[3:])))
