# The lit tests as commands: their RUN lines with another planc, so that what it prints can be looked at. What they expect is lit's affair.
# SPDX-License-Identifier: Apache-2.0
import concurrent.futures
import os
import re
import subprocess
import sys

import planc as shared

RUN = re.compile(r"RUN:\s*(.*)$")


def commands(test):
    """The RUN lines; a backslash joins two."""
    out, open_line = [], ""
    for line in test.read_text(errors="replace").splitlines():
        found = RUN.search(line)
        if not found:
            continue
        open_line += found.group(1)
        if open_line.endswith("\\"):
            open_line = open_line[:-1]
            continue
        out.append(open_line)
        open_line = ""
    return out


def wanted(test, words):
    """Whether a test asks for one of the words."""
    return any(word in line for line in commands(test) for word in words)


def run_test(test, planc, root, where):
    """Runs the lines up to the first that this shell takes for a failure: a test that is no plain sh has records as far as it came."""
    name = str(test.relative_to(root / "tests/lit")).replace("/", "-")
    # FileCheck and not are left out: no code of a line is looked at
    substitutions = [(r"%planc\b(?!-)", str(planc)), (r"%FileCheck\b[^|;&'\n]*", "cat >/dev/null"), (r"%python\b", sys.executable), (r"%not\b", ""),
                     (r"%stdlib\b", f"{root}/stdlib"), (r"%examples\b", f"{root}/examples"), (r"%root\b", str(root)),
                     (r"%S\b", str(test.parent)), (r"%s\b", str(test)), (r"%t\b", str(where / f"{name}.tmp")), (r"%T\b", str(where))]
    for line in commands(test):
        for pattern, text in substitutions:
            line = re.sub(pattern, lambda _, text=text: text, line)
        subprocess.run(["sh", "-c", line], cwd=where, stdin=subprocess.DEVNULL, capture_output=True, timeout=shared.SECONDS,
                       env={**os.environ, "LC_ALL": "C.UTF-8"})


def run(planc, root, where, words):
    """Runs the tests that ask for one of the words; how many there are."""
    tests = [t for t in sorted((root / "tests/lit").rglob("*")) if t.suffix in (".plan", ".test") and "Inputs" not in t.parts and wanted(t, words)]
    with concurrent.futures.ThreadPoolExecutor(shared.workers()) as pool:
        list(pool.map(lambda t: run_test(t, planc, root, where), tests))
    return len(tests)
