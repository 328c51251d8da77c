#!/usr/bin/env python3
"""No line of Markdown is longer than 160 characters, so that diffs and editors show whole sentences.

Code blocks and generated parts are skipped. The target of a link does not count in a row of a table, which cannot be broken.

Usage: lines.py ROOT
"""
# SPDX-License-Identifier: Apache-2.0
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import figures  # noqa: E402

MOST = 160
SKIPPED = ("docs/words.md", "docs/facts.md")  # tests write these pages
LINK = re.compile(r"\]\([^)]*\)")


def long_lines(text):
    """(number, length) of each line that is too long."""
    code = generated = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif figures.END.fullmatch(line.strip()):
            generated = False
        elif figures.PART.fullmatch(line.strip()):
            generated = True
        elif not code and not generated:
            length = len(LINK.sub("]", line) if line.startswith("|") else line)
            if length > MOST:
                yield number, length


def main(root):
    pages = [p for p in sorted(root.rglob("*.md")) if not any(part.startswith(("build", ".")) for part in p.relative_to(root).parts[:-1])]
    names = {str(p.relative_to(root)): p for p in pages}
    found = [(name, *line) for name, page in names.items() if not name.startswith(SKIPPED) for line in long_lines(page.read_text())]
    for name, number, length in found:
        print(f"{name}:{number}: {length} characters, at most {MOST}: break the line, or move a paragraph out of a table")
    print(f"{len(names)} pages, {len(found)} lines too long")
    return 1 if found or not names else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
