# A page whose tables a study writes: between two marks, renewed by `--write`, compared by `--check`.
# SPDX-License-Identifier: Apache-2.0
import argparse
import pathlib
import re
import sys

END = "<!-- end of table -->"
TOLERANCE = 0.02  # of the page's numbers: what rounding leaves
SKIPPED = 77  # what ctest takes for a test that did not run


def begin(study):
    return f"<!-- table: {study} -->"


def table(heads, rows):
    """Lines of a Markdown table. The first column and those whose head begins with `:` are aligned to the left."""
    lines = ["| " + " | ".join(h.lstrip(":") for h in heads) + " |"]
    lines.append("|" + "|".join("---" if i == 0 or h.startswith(":") else "--:" for i, h in enumerate(heads)) + "|")
    return lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]


def renew(page, study, text):
    """Writes a study's text into its page."""
    head, rest = page.read_text().split(begin(study))
    page.write_text(head + begin(study) + "\n\n" + text.strip() + "\n\n" + END + rest.split(END, 1)[1])


def stale(page, study, fresh):
    """Lines of a page's table that differ from today's by more than rounding."""
    old = page.read_text().split(begin(study))[1].split(END)[0].strip().splitlines()
    new = fresh.strip().splitlines()
    if len(old) != len(new):
        return [f"{page}: {len(old)} lines, {len(new)} today"]
    number = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
    wrong = []
    for a, b in zip(old, new):
        xs, ys = ([float(x.replace(",", "")) for x in number.findall(line)] for line in (a, b))
        near = all(abs(x - y) <= max(TOLERANCE * y, 1.5 if "%" in b and y <= 100 else 0.11) for x, y in zip(xs, ys))
        if number.sub("", a) != number.sub("", b) or not near:
            wrong.append(f"page:  {a}\n  today: {b}")
    return wrong


def arguments(truth=False):
    """What a study is called with: planc, and the page to write or compare; `truth`: and the folder of published runs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("planc")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE")
    parser.add_argument("--check", type=pathlib.Path, metavar="PAGE")
    if truth:
        parser.add_argument("--truth", type=pathlib.Path, metavar="FOLDER", required=True)
    return parser.parse_args()


def finish(args, study, text, failed):
    """Writes, compares or prints a study's text; its exit code. `failed`: what did not come out otherwise."""
    if args.write:
        renew(args.write, study, text)
    elif args.check:
        failed = failed + stale(args.check, study, text)
    else:
        print(text)
    for f in failed:
        print(f"error: {f}", file=sys.stderr)
    if args.check and failed:
        print(f"write the tables anew: python3 {study} {args.planc} --write {args.check}", file=sys.stderr)
    return 1 if failed else 0
