#!/usr/bin/env python3
# Misspells one word of a plan by one letter, and checks what it is told: of the mutants that are reported, the word that was meant must be
# named in nearly all. Deterministic: the same mutants in every run. The lines of the file that a report shows do not count as naming.
#
# Usage: misspellings.py PLANC ROOT [MUTANTS [SEED]]
# SPDX-License-Identifier: Apache-2.0
import collections
import json
import pathlib
import random
import re
import shutil
import string
import subprocess
import sys
import tempfile

MUTANTS = 200
SEED = 20221105
NAMED_AT_LEAST = 0.90
SECONDS = 60  # far above what a check takes: bounds on time are tested by mutations.py
FOLDERS = ["examples", "tests/library/plans", "stdlib"]

# Comments and strings are passed over; a word inside of a quantity (`80GB`) is no word.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|(?<!\w)[A-Za-z_]\w+|\w+|.', re.S)
LETTERS = string.ascii_lowercase + "_"


def words(text):
    """Where identifiers and keywords of two letters or more stand."""
    return [m.span() for m in TOKEN.finditer(text) if re.fullmatch(r"[A-Za-z_]\w+", m.group())]


def delete(word, i, rng):
    return word[:i] + word[i + 1:]


def swap(word, i, rng):
    i = min(i, len(word) - 2)
    return word[:i] + word[i + 1] + word[i] + word[i + 2:]


def replace(word, i, rng):
    return word[:i] + rng.choice(LETTERS) + word[i + 1:]


def insert(word, i, rng):
    return word[:i] + rng.choice(LETTERS) + word[i:]


def misspell(word, rng):
    """The word with one letter deleted, swapped with its neighbour, replaced or inserted; another one, and still a word."""
    while True:
        change = rng.choice([delete, swap, replace, insert])
        wrong = change(word, rng.randrange(len(word)), rng)
        if wrong != word and re.fullmatch(r"[A-Za-z_]\w*", wrong):
            return wrong


def texts(diagnostic):
    """All that a diagnostic says, without the lines of the file that it shows."""
    yield diagnostic["message"]
    yield diagnostic.get("label") or ""
    yield from (label["text"] for label in diagnostic["labels"])
    yield from diagnostic["help"]
    yield from diagnostic["notes"]


def names(diagnostics, word):
    """Whether the word stands in what is said, by itself."""
    whole = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    return any(whole.search(text) for d in diagnostics for text in texts(d))


def check(planc, path, folder):
    run = subprocess.run([planc, "check", "--diagnostics=json", path], capture_output=True, timeout=SECONDS, cwd=folder, text=True)
    return run.returncode, [json.loads(line) for line in run.stderr.splitlines() if line.startswith("{")]


def main():
    planc, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else MUTANTS
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else SEED)
    files = [f for folder in FOLDERS for f in sorted((root / folder).rglob("*.plan"))]
    reported = named = silent = 0
    misses, failures = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        for f in files:
            target = pathlib.Path(folder) / f.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(f, target)
        for n in range(count):
            original = rng.choice(files)
            text = original.read_text()
            begin, end = rng.choice(words(text))
            word = text[begin:end]
            wrong = misspell(word, rng)
            path = pathlib.Path(folder) / original.relative_to(root)
            path.write_text(text[:begin] + wrong + text[end:])
            code, diagnostics = check(planc, path.name, path.parent)
            path.write_text(text)
            line = text.count("\n", 0, begin) + 1
            where = f"{original.relative_to(root)}:{line}: {word} -> {wrong}"
            if code not in (0, 1):
                failures.append(f"{where}: exit {code}")
            elif not diagnostics:
                silent += 1
            else:
                reported += 1
                if names(diagnostics, word):
                    named += 1
                else:
                    first = diagnostics[0]
                    misses[first["code"]] += 1
                    print(f"missed {where}: {first['code']} {first['message']} {first['help']}")
    share = named / max(1, reported)
    print(f"{count} misspelt words: {silent} mean the same or something else, {reported} are reported, {named} of them ({share:.1%}) with the word that was meant")
    print("not named, by what was said instead: " + ", ".join(f"{code} {n}" for code, n in misses.most_common()))
    print("\n".join(failures))
    return 1 if failures or share < NAMED_AT_LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
