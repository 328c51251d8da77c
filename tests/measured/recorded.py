# The last accepted table of errors: written by `suite.py --record`, compared by `suite.py --check`, so that a source cannot get worse unseen.
# SPDX-License-Identifier: Apache-2.0
import csv
import os

from errors import COLUMNS, summary

SLACK = 1.0  # points of mean error that a source may lose before the check fails


def path_of(truth, given=None):
    """Where the accepted table of a folder of runs stands: beside the runs if they are part of the repository, else beside this file."""
    here = os.path.dirname(os.path.abspath(__file__))
    inside = os.path.abspath(truth).startswith(here + os.sep)
    return given or os.path.join(truth if inside else here, "recorded.csv")


def write(path, groups):
    """Accepts the errors of {source: pairs}."""
    with open(path, "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(("source",) + COLUMNS)
        for name, pairs in groups.items():
            s = summary(pairs)
            out.writerow([name, s["n"]] + ["" if s[k] is None else f"{s[k]:.3f}" for k in COLUMNS[1:]])


def read(path):
    """{source: {column: number}} in the order of the file; a blank is None."""
    with open(path, newline="") as f:
        return {row["source"]: {k: float(row[k]) if row[k] else None for k in COLUMNS} for row in csv.DictReader(f)}


def compare(path, groups, partial=False, unread=()):
    """What got worse than the accepted table, as lines. With `partial`, sources that were not priced are not missed, nor are those whose names end in `unread`."""
    if not os.path.exists(path):
        return [f"no recorded table {path}: accept one with --record"]
    accepted, worse = read(path), []
    for name, was in accepted.items():
        if name not in groups:
            if not partial and not name.endswith(unread):
                worse.append(f"{name}: {was['n']:.0f} runs were recorded, none is priced")
            continue
        now = summary(groups[name])
        if now["n"] < was["n"]:
            worse.append(f"{name}: {was['n']:.0f} runs were recorded, {now['n']} are priced")
        if now["mean"] > was["mean"] + SLACK:
            worse.append(f"{name}: mean error {now['mean']:.2f} %, recorded {was['mean']:.2f} %: worse by more than {SLACK:g} point")
    worse += [f"{name}: not in the recorded table; accept it with --record" for name in groups if name not in accepted]
    return worse
