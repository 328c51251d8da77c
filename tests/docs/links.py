#!/usr/bin/env python3
"""Links between the Markdown files of the tree lead to files and headings that exist. Where a link to a source file is called by a name of the
code, [`ir::Layer`](ir/model/Model.h), the file has that name.

Usage: links.py ROOT
"""
# SPDX-License-Identifier: Apache-2.0
import re
import sys
from pathlib import Path

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
SOURCES = (".h", ".cpp", ".g4", ".plan", ".py")
BRACKETED = re.compile(r"`[^`\n]*[\[\]][^`\n]*`")  # code that may look like a link
FENCED = re.compile(r"^```.*?^```", re.M | re.S)


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", FENCED.sub("", text), re.M):
        plain = re.sub(r"[`*]", "", heading).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


def stands(name, text):
    """Whether the last part of a name of the code is a word of the text; the name of a file need not be."""
    return "/" in name or "." in name or re.search(rf"\b{re.escape(name.split('::')[-1])}\b", text) is not None


def main(root):
    bad = count = 0
    for path in sorted(root.rglob("*.md")):
        if any(part.startswith(("build", ".")) for part in path.relative_to(root).parts[:-1]):
            continue
        text = path.read_text()
        for name, target in LINK.findall(BRACKETED.sub("", FENCED.sub("", text))):
            if "://" in target or target.startswith("mailto:"):
                continue
            count += 1
            file, _, anchor = target.partition("#")
            to = (path.parent / file).resolve() if file else path
            if not to.exists():
                problem = "no such file"
            elif anchor and to.suffix == ".md" and anchor not in anchors(to.read_text()):
                problem = "no such heading"
            elif to.suffix in SOURCES and name.startswith("`") and not stands(name.strip("`"), to.read_text()):
                problem = f"{name} does not stand there"
            else:
                continue
            bad += 1
            print(f"{path.relative_to(root)}: {target}: {problem}")
    print(f"{count} links, {bad} broken")
    return 1 if bad or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
