#!/usr/bin/env python3
"""Chooses the headers that a build of lone files compiles once (PlancAlone.cmake).

A compiled header may stand before a file only if the file includes it anyway, or it would hide a forgotten `#include`. Every header of the rooms is
a file, too, so a header that forgets an `#include` fails by itself, whatever stands before it elsewhere.

Usage: alone.py ROOT MOST ROOM…   prints `FILE;HEADER HEADER…` per line, at most MOST different lists of headers; `-` is the empty list.
"""
# SPDX-License-Identifier: Apache-2.0
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^#include (["<])([^">]+)[">]', re.M)
GENERATED = "antlr4-runtime.h"  # a header with it needs flags and headers that the build makes
# Headers of others that cost most, as tuples that are compiled together with one of ours.
OTHERS = ((), ("algorithm", "fmt/format.h"), ("algorithm", "fmt/format.h", "nlohmann/json.hpp"))
# What reading them costs, in lines of ours; about. Another header of others costs LINES.
COSTS = {"fmt/format.h": 6000, "nlohmann/json.hpp": 15000}
LINES = 1500


class Headers:
    """What the files of a repository include."""

    def __init__(self, root):
        self.root, self.texts, self.reached = root, {}, {}

    def text(self, file):
        if file not in self.texts:
            self.texts[file] = (self.root / file).read_text()
        return self.texts[file]

    def own(self, file):
        """The headers of the repository that a file names."""
        return [name for mark, name in INCLUDE.findall(self.text(file)) if mark == '"' and (self.root / name).exists()]

    def closure(self, file):
        """A file and all that it includes, directly or not. Headers of others are leaves."""
        if file not in self.reached:
            named = {name for _, name in INCLUDE.findall(self.text(file))}
            self.reached[file] = frozenset({file} | named).union(*(self.closure(name) for name in self.own(file)))
        return self.reached[file]

    def weight(self, names):
        """What reading headers costs, in lines."""
        reached = frozenset(names).union(*(self.closure(name) for name in names if (self.root / name).exists()))
        return sum(self.text(f).count("\n") if (self.root / f).exists() else COSTS.get(f, LINES) for f in reached)


def choose(sees, weight, most):
    """{file: the heaviest of the chosen lists that it may have}. `sees` are the headers that each file includes, `weight` holds the lists."""
    best = dict.fromkeys(sees, ())
    fits = {names: [file for file in sees if sees[file].issuperset(names)] for names in weight}
    for _ in range(most):
        def saved(names):
            return sum(max(0, weight[names] - weight[best[file]]) for file in fits[names]) - weight[names]
        chosen = max(weight, key=lambda names: (saved(names), names))
        if saved(chosen) <= 0:
            break
        for file in fits[chosen]:
            best[file] = max(best[file], chosen, key=weight.get)
    return best


def main(root, most, *rooms):
    headers = Headers(Path(root))
    files = sorted(str(f.relative_to(root)) for room in rooms for f in (headers.root / room).rglob("*.*") if f.suffix in (".cpp", ".h"))
    sees = {file: headers.closure(file) - {file} for file in files}
    plain = [file for file in files if file.endswith(".h") and GENERATED not in headers.closure(file)]
    lists = [(header, *others) for header in plain for others in OTHERS] + [()]
    for file, names in sorted(choose(sees, {names: headers.weight(names) for names in lists}, int(most)).items()):
        print(f"{file};{' '.join(names) or '-'}")


if __name__ == "__main__":
    main(*sys.argv[1:])
