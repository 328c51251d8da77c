#!/usr/bin/env python3
# Accepts the errors as they are and renews every generated part of docs/evidence: one command after a change that moves them on purpose.
# SPDX-License-Identifier: Apache-2.0
import argparse
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # no caches in the tree
import runs

HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = os.path.join(HERE, "..", "..", "docs", "evidence")


def commands(planc, truth, slow):
    """What is run, in this order: the main table has a column of recorded left-out errors."""
    full, page = ["--planc", planc, "--truth", truth], ["--write", PAGES]
    yield ["subset.py", "--truth", truth]
    yield ["suite.py", "--planc", planc, "--record"]
    if slow:
        yield ["fit.py", *full, "--left-out", "--record", *page]
    yield ["suite.py", *full, "--record", *page]
    yield ["regret.py", *full, *page]
    yield ["scaling.py", *full, *page]
    yield ["ablation.py", *full, *page]
    yield ["coverage.py", *full, *page, "--kinds"]
    yield ["distance.py", *page]
    yield ["own_runs.py", *full, *page]
    yield ["ratio_coverage.py", *full, *page]
    yield ["peaks.py", *full, *page]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--planc", required=True)
    parser.add_argument("--truth", required=True, help="the folder of the full tables")
    parser.add_argument("--slow", action="store_true", help="leave out every source in turn, too")
    a = parser.parse_args()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    for command in commands(os.path.abspath(a.planc), a.truth, a.slow):
        print("==", *command[:1], flush=True)
        if status := subprocess.run([sys.executable, os.path.join(HERE, command[0]), *command[1:]]).returncode:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
