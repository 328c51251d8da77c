#!/usr/bin/env python3
# How far left-out predictions are off by what of a run was new to all other sources: what the distance in an interval is to be.
# SPDX-License-Identifier: Apache-2.0
"""Of every row in left_out_rows.csv, the logarithm of measured over the left-out prediction. Publishers weigh alike within a line of the table. *With*:
all rows of which this was new, whatever else was; *alone*: rows of which nothing else was; *own part*: variances that add up, one for every row and one
for each thing that was new, none below zero, with the least squares of the squared errors cut at CUT: what one thing adds to the rest."""
import argparse
import math
import sys

sys.dont_write_bytecode = True  # no caches in the tree
import left_out
import linear
import page
from grounds import quantile, weights

WHAT = ("family", "generation", "device", "type", "cluster", "ranks", "sequence")
CUT = 0.5
KINDS = ("dense", "moe")


def off(row):
    return -math.log(row["left_out"])


def spread(rows):
    """(rms, half-width that nine of ten stay in, mean) of the errors."""
    of = weights([r["publisher"] for r in rows])
    return (math.sqrt(sum(w * off(r) ** 2 for w, r in zip(of, rows))), quantile([abs(off(r)) for r in rows], of, 0.9), sum(w * off(r) for w, r in zip(of, rows)))


def parts(rows):
    """{what: its own variance}, with "nothing" of every row: least squares of squared errors, without those that would be below zero."""
    of = weights([r["publisher"] for r in rows])
    names = ["nothing"] + [w for w in WHAT if any(w in r["new"].split("+") for r in rows)]
    while True:
        have = [[float(n == "nothing" or n in r["new"].split("+")) for n in names] for r in rows]
        square = [min(CUT, abs(off(r))) ** 2 for r in rows]
        matrix = [[sum(w * x[a] * x[b] for w, x in zip(of, have)) + (1e-9 if a == b else 0) for b in range(len(names))] for a in range(len(names))]
        found = linear.solved(linear.factor(matrix), [sum(w * x[a] * s for w, x, s in zip(of, have, square)) for a in range(len(names))])
        least = min(range(len(names)), key=lambda k: found[k])
        if found[least] >= 0:
            return dict(zip(names, found))
        del names[least]


def table(rows):
    """Lines of a Markdown table."""
    out = []
    for kind in KINDS:
        mine = [r for r in rows if r["kind"] == kind and r["metric"] == "step_time"]
        own = parts(mine)
        out += [f"| {kind}: new was | runs | sources | rms | nine of ten | bias | alone: runs | rms | nine of ten | own part |", "|---|" + "--:|" * 9]
        for what in ("nothing",) + WHAT:
            having = [r for r in mine if (what in r["new"].split("+") if what != "nothing" else not r["new"])]
            alone = [r for r in having if r["new"] in ("", what)]
            if not having:
                continue
            rms, ninety, bias = spread(having)
            cells = [what, str(len(having)), str(len({r["publisher"] for r in having})), f"{rms:.3f}", f"{ninety:.3f}", f"{bias:+.3f}", str(len(alone))]
            cells += [f"{x:.3f}" for x in spread(alone)[:2]] if alone else ["", ""]
            out.append("| " + " | ".join(cells + [f"{math.sqrt(own[what]):.3f}" if what in own else "0"]) + " |")
        out.append("")
    return out[:-1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", default=left_out.ROWS, help="the left-out rows, if not the recorded ones")
    parser.add_argument("--write", help="renew the section of distance in the pages of this folder")
    a = parser.parse_args()
    lines = table(left_out.read(a.rows))
    print("\n".join(lines))
    if a.write:
        page.renew(a.write, "distance", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
