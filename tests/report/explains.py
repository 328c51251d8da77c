#!/usr/bin/env python3
"""Asks `planc explain` for every name in the text report of plans, and holds the numbers against each other.

Usage: explains.py PLANC PLAN-FILE…

Every table of the report is read: a row's name must be explained (exit 0), and what the row prints as numbers of that
name must stand in the explanation, as the same text. An explanation of a layer fits on a screen.
"""
# SPDX-License-Identifier: Apache-2.0
import re
import subprocess
import sys

SCREEN = 50
NUMBER = re.compile(r"[\d.]+(?:e[+-]?\d+)?(?: [A-Za-z/%^·-]+)?")


def run(planc, *words):
    done = subprocess.run([planc, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def cells(line):
    return re.split(r"\s{2,}", line.strip())


def table(lines, begin):
    """Rows of a table as dictionaries by the words of its head; the head stands behind the title."""
    head, rows = [], []
    for line in lines[begin + 1:]:
        if not line.startswith("  "):
            break
        if not head:
            head = [(m.group(), m.start(), m.end()) for m in re.finditer(r"\S+(?: \S+)*", line)]
            continue
        row = {}
        for m in re.finditer(r"\S+(?: \S+)*", line):
            # A column is aligned left or right with its head.
            near = min(head, key=lambda h: min(abs(h[1] - m.start()), abs(h[2] - m.end())))
            row[near[0]] = m.group()
        rows.append(row)
    return rows


def title(lines, word):
    return next((i for i, line in enumerate(lines) if re.match(rf"{word}[, :]", line)), None)


def first_stage(text):
    return re.match(r"\d+", text).group()


def questions(report):
    """(name, [texts that its explanation holds]) for everything that is printed."""
    lines = report.splitlines()
    begin = title(lines, "step time")
    step = re.match(r"step time (\S+ \S+?),", lines[begin]).group(1)
    out = [("step time", [step])]
    for line in lines[begin + 1:]:
        words = cells(line)
        if not line.startswith("  "):
            if line and not line.startswith("critical stage"):
                break
            continue
        values = [w for w in words[1:] if NUMBER.fullmatch(w)]
        if words[-1].endswith("%") and words[0] not in ("step time",):
            values = values[:1]  # its share is of the step
        out.append((words[0], values))
    for pattern, name in ((r"  model .*, (\S+ ?[TBM]?) parameters", "parameters"),
                          (r", (\S+ ?[TBM]?) active", "parameters"),
                          (r"(\d+) micro-batch", "micro-batches")):
        found = re.search(pattern, "\n".join(lines[:begin]))
        if found:
            out.append((name, [found.group(1)]))
    for line in lines[:begin]:
        key = re.match(r"  (\w+) +(.*)", line)
        if key:
            out.append((key.group(1), [" ".join(key.group(2).split())]))
    begin = title(lines, "run")
    for line in lines[begin + 1:] if begin is not None else []:
        words = cells(line)
        if not line.startswith("  "):
            break
        out.append((words[0], [w for w in words[1:] if NUMBER.fullmatch(w)]))
    begin = title(lines, "stages")
    for row in table(lines, begin) if begin is not None else []:
        values = [v for k, v in row.items() if k != "stages" and NUMBER.fullmatch(v)]
        stage = f"stage {first_stage(row['stages'])}"
        out.append((stage, [] if " to " in str(row) else values))
        out += [(f"{stage} {k}", [v]) for k, v in row.items() if NUMBER.fullmatch(v) and k != "stages"]
    for row in table(lines, title(lines, "layers")):
        values = [v for k, v in row.items() if k not in ("layer", "stages", "bound") and v != "-"]
        out.append((row["layer"], values))
    begin = title(lines, "communication")
    for row in table(lines, begin) if begin is not None else []:
        name = " ".join(row[k] for k in ("collective", "class", "axis", "level") if k in row)
        out.append((name, [row[k] for k in ("time", "exposed", "limit") if row.get(k, "-") != "-"]))
    begin = title(lines, "memory")
    peak = re.match(r"memory (\S+ \S+) of (\S+ \S+)", lines[begin])
    out.append(("memory", list(peak.groups())))
    for kind in ("params", "grads", "optimizer", "activations", "buffers"):
        rows = [r for r in table(lines, begin) if r["peak"] == peak.group(1)]
        if rows[0].get(kind, "-") != "-":
            out.append((f"memory.{kind}", [rows[0][kind]]))
    begin = title(lines, "fullest in")
    for line in lines[begin + 1:] if begin is not None else []:
        if not line.startswith("  "):
            break
        words = cells(line)
        out.append((words[0], words[1:]))
    return out


def check(planc, file, plan):
    code, report, errors = run(planc, "estimate", file, "--plan", plan, "--no-fixes", "--allow-oom")
    problems, asked = [], 0
    for name, values in questions(report):
        asked += 1
        code, text, errors = run(planc, "explain", file, name, "--plan", plan)
        where = f"{file} {plan}: explain {name!r}"
        if code != 0:
            problems.append(f"{where}: exit {code}: {errors.strip()}")
            continue
        words = " ".join(text.split())
        problems += [f"{where}: {v!r} is not in it:\n{text}" for v in values if v not in words]
        layer = "." in name or name in ("head", "embed", "decoder")
        if layer and text.count("\n") > SCREEN:
            problems.append(f"{where}: {text.count(chr(10))} lines")
    return asked, problems


def main():
    planc = sys.argv[1]
    asked, problems = 0, []
    for file in sys.argv[2:]:
        code, report, errors = run(planc, "estimate", file, "--no-fixes", "--allow-oom", "--format", "csv")
        for plan in dict.fromkeys(line.split(",")[0] for line in report.split("\n\n")[0].splitlines()[1:]):
            count, found = check(planc, file, plan)
            asked += count
            problems += found
        # A misspelt one names the right one, and the exit code is that of a usage error.
        code, text, errors = run(planc, "explain", file, "exposd", "--plan", plan)
        if code != 2 or "did you mean `exposed`" not in errors:
            problems.append(f"a misspelt name: exit {code}: {errors}")
    print("\n".join(problems[:40]))
    print(f"{asked} names explained, {len(problems)} problems")
    sys.exit(1 if problems or asked < 20 else 0)


main()
