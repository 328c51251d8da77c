"""Fenced blocks and sections of a Markdown file, as far as the tests of the pages need them."""
# SPDX-License-Identifier: Apache-2.0
import re
from dataclasses import dataclass

FENCE = re.compile(r"^(```+)\s*(.*)$")


@dataclass
class Block:
    """A fenced block. `kind` is the first word after the fence, `words` are the others."""
    line: int
    kind: str
    words: list
    text: str
    section: str


def blocks(markdown):
    """Every fenced block of the text, with the heading (of level 2) that it stands under."""
    found, section, fence, body = [], "", None, []
    for number, line in enumerate(markdown.splitlines(), 1):
        match = FENCE.match(line)
        if fence is None:
            if match:
                fence = (number, match[1], match[2].split())
                body = []
            elif line.startswith("## "):
                section = line[3:].strip()
        elif match and match[1] == fence[1] and not match[2]:
            kind, *words = fence[2] or [""]
            found.append(Block(fence[0], kind, words, "".join(l + "\n" for l in body), section))
            fence = None
        else:
            body.append(line)
    if fence is not None:
        raise ValueError(f"line {fence[0]}: the fence is not closed")
    return found


def headings(markdown):
    """Headings of level 2, in order; those inside of fences are text."""
    found, fenced = [], False
    for line in markdown.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and line.startswith("## "):
            found.append(line[3:].strip())
    return found
