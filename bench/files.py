#!/usr/bin/env python3
"""How many files a second `planc check` and `planc estimate` take on one core and on several.

Usage: files.py PLANC ROOT [FILES [JOBS]]

The plans are those of the examples that import nothing from disk, copied until there are so many (1,000), each with a
comment of its own. One job and several run in turns, three times; the best of each counts.
"""
# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def seconds(planc, command, folder, jobs):
    begin = time.monotonic()
    subprocess.run([planc, command, "--jobs", str(jobs), folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=False)
    return time.monotonic() - begin


def main(planc, root, files=1000, jobs=2):
    texts = [path.read_text() for path in sorted(Path(root, "examples").glob("*.plan"))]
    texts = [text for text in texts if 'import "' not in text]
    with tempfile.TemporaryDirectory() as folder:
        for i in range(files):
            Path(folder, f"{i:05}.plan").write_text(f"{texts[i % len(texts)]}// {i}\n")
        for command in ("check", "estimate"):
            runs = [(seconds(planc, command, folder, 1), seconds(planc, command, folder, jobs)) for _ in range(3)]
            one, many = (min(times) for times in zip(*runs))
            print(f"{command:8}  1 job {files / one:7.0f} files/s  {jobs} jobs {files / many:7.0f} files/s  {one / many:.2f} times")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
