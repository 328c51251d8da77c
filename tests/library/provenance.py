#!/usr/bin/env python3
# Every calibrated fact of the library says how it is known: with samples and their error, or, in its source, that and how it was derived or assumed.
# SPDX-License-Identifier: Apache-2.0
import os
import re
import sys

ROOMS = {"devices": ("calibration", "host.bandwidth"), "fabrics": ("",), "stacks": ("passes", "attention", "optimizer", "grouped", "launch")}
DERIVED = re.compile(r"\b(assum\w*|deriv\w*|as|no samples)\b")
NO_MEASUREMENT = ("algorithm", "growth", "growth_beyond", "sampled_at")  # a choice; growth per doubling and its first group; the datasheet of the links


def statements(text):
    """The statements of a file, a line each: lists and calls that go on are joined, comments left out."""
    line = ""
    for raw in text.splitlines():
        line += re.sub(r"^\s*//.*", "", raw) + "\n"
        if line.count("[") <= line.count("]") and line.count("(") <= line.count(")"):
            yield line.strip()
            line = ""


def unproven(room, text):
    """Each fact that has neither statistics nor a word on where it comes from, as `declaration: path "source"`."""
    sections, statistics = [], []
    for line in statements(text):
        bare = re.sub(r'"[^"]*"', '""', line)
        head = re.match(r"(?:export )?(?:device|fabric|stack) (\w+)", line)
        opened = re.match(r"(?:override )?(\w+) \{$", bare)
        if head:
            sections, statistics = [head[1]], [False]
            if bare.rstrip().endswith("{}"):
                sections = []
            continue
        if opened:
            sections.append(opened[1])
            statistics.append(False)
            continue
        if bare == "}":
            sections, statistics = sections[:-1], statistics[:-1]
            continue
        if not sections:
            continue
        for fact in re.findall(r'(?:override )?(\w+)\s*(?:=|\{)((?:[^:"]|:(?! "))*):? ?("[^"]*")?', line)[:1]:
            name, value, source = fact
            path = ".".join(sections[1:] + [name])
            if name in ("samples", "error", "p90", "valid"):
                statistics[-1] = True
                continue
            inside = any(not s or path == s or path.startswith(s + ".") for s in ROOMS[room])
            known = "samples" in value and "error" in value or any(statistics)
            if inside and not known and not DERIVED.search(source) and path.split(".")[0] not in NO_MEASUREMENT:
                yield f"{sections[0]}: {path} {source}"


def main():
    root = sys.argv[1]
    wrong = []
    for room in ROOMS:
        for file in sorted(os.listdir(os.path.join(root, "stdlib", room))):
            with open(os.path.join(root, "stdlib", room, file)) as f:
                wrong += [f"stdlib/{room}/{file}: {w}" for w in unproven(room, f.read())]
    print("\n".join(wrong) or "every calibrated fact says how it is known")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
