#!/usr/bin/env python3
# Misspells one word of an example by one letter, and lets `planc check --fix` mend it: of the mutants with one nearest candidate nearly all must
# be the original again, of all of them most; none may have more errors than before, and a second run must change nothing. Deterministic: the same
# mutants in every run. What is misspelt is every name and keyword of two letters or more, also where the new word is as good as the old one.
#
# Usage: fixes.py PLANC ROOT [MUTANTS [SEED]]
# SPDX-License-Identifier: Apache-2.0
import collections
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import misspellings

MUTANTS = 300
SEED = 20221126
RIGHT_OF_SINGLE = 0.95
RIGHT_OF_ALL = 0.75
SECONDS = 300  # for all files together; far above what that takes


def mutants(files, count, rng):
    """Files with one word misspelt: where, the text, and the original."""
    for _ in range(count):
        original = rng.choice(files)
        text = original.read_text()
        begin, end = rng.choice(misspellings.words(text))
        word = text[begin:end]
        wrong = misspellings.misspell(word, rng)
        line = text.count("\n", 0, begin) + 1
        yield f"{original.name}:{line}: {word} -> {wrong}", text[:begin] + wrong + text[end:], text


def check(planc, folder, names, *options):
    """What a check of these files reports, by file."""
    run = subprocess.run([planc, "check", "--diagnostics=json", *options, *names], capture_output=True, timeout=SECONDS, cwd=folder, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"exit code {run.returncode}: {run.stderr[-2000:]}")
    found = collections.defaultdict(list)
    for line in run.stderr.splitlines():
        diagnostic = json.loads(line)
        found[diagnostic["file"]].append(diagnostic)
    return found


def errors(diagnostics):
    return sum(d["severity"] == "error" for d in diagnostics)


def main():
    planc, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else MUTANTS
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else SEED)
    made = list(mutants(sorted((root / "examples").glob("*.plan")), count, rng))
    names = [f"mutant{n:03}.plan" for n in range(len(made))]
    with tempfile.TemporaryDirectory() as where:
        folder = pathlib.Path(where, "examples")
        shutil.copytree(root / "examples", folder)
        for name, (_, text, _) in zip(names, made):
            (folder / name).write_text(text)
        before = check(planc, folder, names)
        after = check(planc, folder, names, "--fix")
        fixed = [(folder / name).read_text() for name in names]
        again = check(planc, folder, names, "--fix")
        same = [(folder / name).read_text() for name in names] == fixed
    single = single_right = right = 0
    failures = [] if same and after == again else ["a second run changes something"]
    for name, (what, _, original), text in zip(names, made, fixed):
        mended = text == original
        right += mended
        if any(fix["safe"] for d in before[name] for fix in d["fixes"]):
            single += 1
            single_right += mended
        if errors(after[name]) > errors(before[name]):
            failures.append(f"{what}: {errors(before[name])} errors before, {errors(after[name])} after")
        if not mended:
            first = before[name][0] if before[name] else None
            print(f"not mended {what}: " + (f"{first['code']} {first['message']} {[fix['title'] for fix in first['fixes']]}" if first else "no report"))
    print(f"{len(made)} misspelt words, {right} mended ({right / len(made):.1%}); {single} with one nearest candidate, {single_right} of them mended ({single_right / max(1, single):.1%})")
    print("\n".join(failures))
    return 1 if failures or single_right < RIGHT_OF_SINGLE * single or right < RIGHT_OF_ALL * len(made) else 0


if __name__ == "__main__":
    sys.exit(main())
