#!/usr/bin/env python3
# Names decide nothing: operators, blocks, models, plan and workload are copied with every dimension under another name, and with the operators' own
# names alone (`kv_seq`), and every plan is priced as before, to the bit.
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import re
import subprocess
import sys
import tempfile

MARK = "renamed_"
# `batch` is the language's; the others are functions of its formulas or a fact of operators as well.
KEPT = {"batch", "extent", "width", "groups"}
# Names of an operator's own, which no model and no workload knows.
OWN = {"kv_seq", "from"}


def without_comments(text):
    return re.sub(r"//.*", "", text)


def dimensions(files):
    """Every name in a shape: `x: [.., hidden]`, `-> [batch, seq]`, `[kv_seq = seq]`. Operators keep theirs: stacks say their passes by name."""
    names, operators = set(), set()
    for path in files:
        operators |= set(re.findall(r"^export op (\w+)", path.read_text(), re.M))
        for shape in re.findall(r"(?::|->) *\[([^\]]*)\]", without_comments(path.read_text())):
            names |= set(re.findall(r"\b[a-z]\w*", shape))
    return names - operators - KEPT


def merged(folder, imports):
    """The files of a folder as one: no two of them declare one name, and what one takes from another is its own now."""
    texts = []
    for path in sorted(folder.glob("*.plan")):
        text = without_comments(path.read_text())
        for module, name in re.findall(r"^import std\.blocks\.(\w+)(?: as (\w+))?$", text, re.M):
            theirs = re.findall(r"^export \w+ (\w+)", (folder / f"{module}.plan").read_text(), re.M)
            text = re.sub(rf"\b{name or module}\.({'|'.join(theirs)})\b", r"\1", text)
        texts.append(re.sub(r"^import .*\n", "", text, flags=re.M))
    return imports + "\n".join(texts)


def copy(library, target, plan, words):
    """The library's operators, blocks and models, and the plan, with other names, as files that import each other."""
    rename = lambda text: re.sub(r"\b(" + "|".join(sorted(words)) + r")\b", MARK + r"\1", text)
    (target / "mask.plan").write_text(rename(without_comments((library / "ops/mask.plan").read_text())))
    ops = merged(library / "ops", 'import "mask.plan" as mask\n')
    (target / "ops.plan").write_text(rename(re.sub(r"export let (visible|last|chunked)\(.*\n|let reach\(.*\n", "", ops)))
    (target / "blocks.plan").write_text(rename(merged(library / "blocks", 'import "ops.plan" as ops\n')))
    local = lambda text: re.sub(r"^import std\.(ops|blocks)$", r'import "\1.plan" as \1', text, flags=re.M)
    models = lambda text: re.sub(r"^import std\.models\.(\w+)$", r'import "model_\1.plan" as \1', text, flags=re.M)
    for path in sorted((library / "models").glob("*.plan")):
        (target / f"model_{path.name}").write_text(rename(models(local(without_comments(path.read_text())))))
    (target / plan.name).write_text(rename(models(without_comments(plan.read_text()))))


def priced(planc, plan):
    run = subprocess.run([planc, "estimate", plan, "--format", "json", "--allow-oom"], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"planc estimate {plan}: exit code {run.returncode}\n{run.stdout[:2000]}{run.stderr[:4000]}")
    return json.loads(run.stdout.replace(MARK, ""))["plans"]


def differences(before, after, where=""):
    """Paths at which two documents differ, texts of places and sources left out."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() | after.keys():
            if key not in ("source", "because", "because_of", "file", "id", "path_of", "facts"):
                yield from differences(before.get(key), after.get(key), f"{where}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (a, b) in enumerate(zip(before, after)):
            yield from differences(a, b, f"{where}[{i}]")
    elif before != after:
        yield f"{where}: {before} and {after}"


def main():
    planc, root = sys.argv[1], pathlib.Path(sys.argv[2])
    library, plan = root / "stdlib", root / "tests/extension/families.plan"
    files = [path for folder in ("ops", "blocks", "models") for path in sorted((library / folder).glob("*.plan"))]
    every = dimensions(files)
    before = priced(planc, str(plan))
    failed = False
    for words in (every, OWN):
        with tempfile.TemporaryDirectory() as folder:
            copy(library, pathlib.Path(folder), plan, words)
            found = list(differences(before, priced(planc, str(pathlib.Path(folder) / plan.name))))
        print(f"{len(before)} plans, {len(words)} names changed, {len(found)} differences", *found[:20], sep="\n  ")
        failed |= bool(found)
    return 1 if failed or len(every) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
