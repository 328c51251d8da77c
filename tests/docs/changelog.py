#!/usr/bin/env python3
"""CHANGELOG.md begins with the version of the program, and has the form of keepachangelog.com.

Usage: changelog.py PLANC ROOT
"""
# SPDX-License-Identifier: Apache-2.0
import re
import subprocess
import sys
from pathlib import Path

HEADING = re.compile(r"\[(\d+)\.(\d+)\.(\d+)\] - (unreleased|\d{4}-\d{2}-\d{2})")
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")


def problems(text, version):
    """What is wrong with a changelog of a program of this version."""
    headings = re.findall(r"^## (.*)$", text, re.M)
    found = [HEADING.fullmatch(heading) for heading in headings]
    yield from (f"`## {heading}` is not `## [1.2.3] - 2026-01-31` or `- unreleased`" for heading, match in zip(headings, found) if not match)
    versions = [tuple(map(int, match.groups()[:3])) for match in found if match]
    dates = [match[4] for match in found if match]
    newest = ".".join(map(str, versions[0])) if versions else "none"
    if newest != version:
        yield f"the newest version is {newest}, and the program says {version}"
    if versions != sorted(set(versions), reverse=True):
        yield "versions do not fall from top to bottom"
    if "unreleased" in dates[1:]:
        yield "only the newest version may be unreleased"
    if dates != sorted(dates, reverse=True):
        yield "dates do not fall from top to bottom"  # `unreleased` is above all of them
    yield from (f"`### {kind}` is none of {', '.join(KINDS)}" for kind in re.findall(r"^### (.*)$", text, re.M) if kind not in KINDS)


def main(planc, root):
    version = subprocess.run([planc, "version"], capture_output=True, text=True, check=True).stdout.split()[1]
    text = (root / "CHANGELOG.md").read_text()
    wrong = list(problems(text, version))
    # Each of these must be seen, or the test proves nothing.
    oldest = re.findall(r"- (\d{4}-\d{2}-\d{2})$", text, re.M)[-1]
    for was, now in (f"[{version}]", "[9.9.9]"), ("- unreleased", ""), ("### Added", "### New"), ("[0.1.0]", f"[{version}]"), (oldest, "unreleased"):
        if was in text and not list(problems(text.replace(was, now), version)):
            wrong.append(f"{now or 'no date'} in place of {was} is not seen")
    print("\n".join(wrong) or f"planc {version}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]).resolve()))
