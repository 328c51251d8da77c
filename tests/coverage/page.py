"""The pages of docs/diagnostics and the codes declared in C++."""
# SPDX-License-Identifier: Apache-2.0
import re
from dataclasses import dataclass, field
from pathlib import Path

import markdown

ROOMS = ("support", "project", "packages", "import", "frontend", "ir", "passes", "backends", "calibrate", "api", "driver")
SECTIONS = ["What it means", "Why", "Example", "Instead"]
DECLARATION = re.compile(r"\bPLANC_(ERROR|WARNING)\(\s*(\w+)\s*,\s*(\d+)\s*,")
TITLE = re.compile(r"^# (PLAN\d{4}): \S.*$")


@dataclass
class Declared:
    code: str
    name: str
    severity: str
    where: str


def declared(root):
    """Every declaration of a diagnostic in the rooms, duplicates included, and what is wrong with how they are written."""
    found, problems = [], []
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.cpp")):
            text = path.read_text()
            for match in DECLARATION.finditer(text):
                where = f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}"
                if match[3].startswith("0"):
                    problems.append(f"{where}: {match[3]} begins with 0, which C++ reads as octal")
                found.append(Declared(f"PLAN{int(match[3]):04d}", match[2], match[1].lower(), where))
    return found, problems


@dataclass
class Page:
    code: str
    path: Path
    title: str = ""
    command: str = "check"
    shown_by: str = ""
    also: list = field(default_factory=list)  # other codes that the example cannot avoid
    example: dict = field(default_factory=dict)  # file name -> text; the first is the one that planc is given
    instead: dict = field(default_factory=dict)
    problems: list = field(default_factory=list)


def read(path):
    """A page, with what is wrong with its form in `problems`."""
    text = path.read_text()
    page = Page(path.stem, path)
    first = text.splitlines()[0] if text else ""
    title = TITLE.match(first)
    if not title or title[1] != page.code:
        page.problems.append(f"the first line is not `# {page.code}: …`")
    page.title = first
    if markdown.headings(text) != SECTIONS:
        page.problems.append(f"the sections are not {', '.join(SECTIONS)}")
    for line in text.splitlines():
        if line.startswith("command: "):
            page.command = line.split(": ", 1)[1].strip()
        if line.startswith("also: "):
            page.also = line.split(": ", 1)[1].split()
        if line.startswith("shown-by: "):
            page.shown_by = line.split(": ", 1)[1].strip()
    if page.command not in ("check", "estimate", "test"):
        page.problems.append(f"`command: {page.command}` is none of check, estimate and test")
    for block in markdown.blocks(text):
        if block.kind != "plan" or block.words == ["fragment"]:
            continue
        files = {"Example": page.example, "Instead": page.instead}.get(block.section)
        if files is None:
            page.problems.append(f"line {block.line}: a plan block outside of Example and Instead")
            continue
        name = block.words[0] if block.words else "example.plan"
        if name in files:
            page.problems.append(f"line {block.line}: a second block `{name}` in {block.section}")
        files[name] = block.text
    if page.shown_by and page.example:
        page.problems.append("`shown-by:` stands beside a block that can be run; mark it `plan fragment`")
    if not page.shown_by:
        for section, files in (("Example", page.example), ("Instead", page.instead)):
            if not files:
                page.problems.append(f"no plan block in {section}, and no `shown-by:` line")
    return page


def pages(root):
    """Every page, by code."""
    return {path.stem: read(path) for path in sorted((root / "docs/diagnostics").glob("PLAN*.md"))}
