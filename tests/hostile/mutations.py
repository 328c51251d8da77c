#!/usr/bin/env python3
# Mutates the examples and checks every mutant: it must end with exit code 0 or 1 within two seconds, never with a crash, and most of the
# mutants with a located diagnostic. Deterministic: the same mutants in every run.
# SPDX-License-Identifier: Apache-2.0
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

MUTANTS = 200
LOCATED_AT_LEAST = 150
SECONDS = 2

TOKEN = re.compile(r'//[^\n]*|"[^"\n]*"|[A-Za-z_]\w*|\d[\w.%/]*|->|\*\*|[<>=!]=|\s+|.', re.S)
SWAPS = {"->": "=", "=": "->", "{": "(", "}": ")", "(": "[", ",": ";", ":": "=", "+": "*", "*": "+", "[": "{"}


def tokens(text):
    return TOKEN.findall(text)


def meaningful(parts):
    return [i for i, t in enumerate(parts) if t.strip() and not t.startswith("//")]


def delete(parts, i, rng):
    parts[i] = ""


def duplicate(parts, i, rng):
    parts[i] = parts[i] + " " + parts[i]


def swap(parts, i, rng):
    parts[i] = SWAPS.get(parts[i], parts[i] + "_")


def rename(parts, i, rng):
    parts[i] = "x" + parts[i]


def number(parts, i, rng):
    parts[i] = rng.choice(["0", "-1", "1000000000000", "99999999999999999999", "1e308", "7", "3.5", "0GB", "5parsec"])


def exchange(parts, i, rng):
    j = rng.choice(meaningful(parts))
    parts[i], parts[j] = parts[j], parts[i]


def garbage(parts, i, rng):
    parts[i] = rng.choice(["\x00", "\xff", "§", '"open', "/* open", "((((((((", "\u202e", "@@", "if then else"])


def cut(parts, i, rng):
    del parts[i:]


MUTATIONS = [delete, duplicate, swap, rename, number, exchange, garbage, cut]


def mutate(text, rng):
    parts = tokens(text)
    mutation = rng.choice(MUTATIONS)
    places = meaningful(parts)
    if mutation is number:
        numbers = [i for i in places if parts[i][0].isdigit()]
        places = numbers or places
    if mutation is rename:
        places = [i for i in places if parts[i][0].isalpha()] or places
    i = rng.choice(places)
    what = f"{mutation.__name__} {parts[i]!r}"
    mutation(parts, i, rng)
    return "".join(parts), what


def main():
    planc, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    files = sorted(examples.glob("*.plan"))
    rng = random.Random(20221105)
    located = accepted = 0
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for f in files:
            shutil.copy(f, folder)
        for n in range(MUTANTS):
            original = files[n % len(files)]
            text, what = mutate(original.read_text(), rng)
            path = pathlib.Path(folder) / f"mutant_{n}.plan"
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
            try:
                run = subprocess.run([planc, "check", str(path)], capture_output=True, timeout=SECONDS, cwd=folder)
            except subprocess.TimeoutExpired:
                failures.append(f"mutant {n} of {original.name} ({what}): over {SECONDS} s")
                continue
            errors = run.stderr.decode("utf-8", "replace")
            if run.returncode not in (0, 1):
                failures.append(f"mutant {n} of {original.name} ({what}): exit {run.returncode}\n{errors[:2000]}")
            elif run.returncode == 0:
                accepted += 1
            elif re.search(r"error\[PLAN\d{4}\]", errors) and re.search(r"--> [^\n]*:\d+:\d+", errors):
                located += 1
            else:
                failures.append(f"mutant {n} of {original.name} ({what}): exit 1 without a located diagnostic\n{errors[:2000]}")
            path.unlink()
    print(f"{MUTANTS} mutants of {len(files)} examples: {located} rejected with a located diagnostic, {accepted} accepted, {len(failures)} failures")
    for f in failures:
        print(f)
    if located < LOCATED_AT_LEAST:
        print(f"only {located} mutants were rejected; {LOCATED_AT_LEAST} are expected")
    return 1 if failures or located < LOCATED_AT_LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
