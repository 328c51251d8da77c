#!/usr/bin/env python3
"""Links between the Markdown files of the tree lead to files and headings that exist.

Usage: links.py ROOT
"""
# SPDX-License-Identifier: Apache-2.0
import re
import sys
from pathlib import Path

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.M | re.S)


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", FENCED.sub("", text), re.M):
        plain = re.sub(r"[`*]", "", heading).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


def main(root):
    bad = count = 0
    for path in sorted(root.rglob("*.md")):
        if any(part.startswith(("build", ".")) for part in path.relative_to(root).parts[:-1]):
            continue
        text = path.read_text()
        for target in LINK.findall(re.sub(r"`[^`\n]*`", "", FENCED.sub("", text))):
            if "://" in target or target.startswith("mailto:"):
                continue
            count += 1
            file, _, anchor = target.partition("#")
            to = (path.parent / file).resolve() if file else path
            if not to.exists():
                problem = "no such file"
            elif anchor and to.suffix == ".md" and anchor not in anchors(to.read_text()):
                problem = "no such heading"
            else:
                continue
            bad += 1
            print(f"{path.relative_to(root)}: {target}: {problem}")
    print(f"{count} links, {bad} broken")
    return 1 if bad or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
