#!/usr/bin/env python3
"""Every source file of a room stands in the room's README: whoever reads that page alone knows which file to open.

A file is named by its stem (`Merge`), the file of a pass also by the name of the pass (`check-mesh`).

Usage: rooms.py ROOT
"""
# SPDX-License-Identifier: Apache-2.0
import re
import sys
from pathlib import Path

ROOMS = ("support", "project", "packages", "import", "ir", "frontend", "passes", "backends", "calibrate", "search", "report", "api", "driver", "bench", "fuzz")


def names(stem):
    """What a README may call the file."""
    return stem, re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", stem).lower()


def readme_of(file, root):
    """The nearest README above a file."""
    folder = file.parent
    while not (folder / "README.md").exists() and folder != root:
        folder = folder.parent
    return folder / "README.md"


def main(root):
    files = sorted(f for room in ROOMS for f in (root / room).rglob("*") if f.suffix in (".cpp", ".h"))
    missing = []
    for file in files:
        page = readme_of(file, root)
        words = set(re.findall(r"[A-Za-z][A-Za-z0-9-]*", page.read_text()))
        if not words.intersection(names(file.stem)):
            missing.append((page.relative_to(root), file.relative_to(root)))
    for page, file in missing:
        print(f"{page}: does not name {file}")
    print(f"{len(files)} files, {len(missing)} not named")
    return 1 if missing or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
