# What was recorded of sources that a fit never saw: the rows, their errors per source and pooled, beside what planc is meant to reach.
# SPDX-License-Identifier: Apache-2.0
import csv
import os

from grounds import KINDS, figures

ROWS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "left_out_rows.csv")
CONSTANTS = ROWS.replace("_rows.csv", "_constants.csv")


def name_of(by, kind):
    """The name of a kind of runs beside those of publishers."""
    return f"{'framework' if by == 'base' else by} {kind}"


def without(by):
    """The column of predictions without the kind of a run."""
    return f"without_{by}"


RATIOS = ("shipped", "refitted", "left_out", "low", "high", *map(without, KINDS))
MOVED, PART = 2.0, 0.2  # points and part by which the shipped error of a line may move before the fit must be made anew

# (what, which rows, {statistic: at most, in percent}): met where the figure of sources that weigh alike is.
POOLS = (
    ("dense runs on known ground", lambda r: r["kind"] == "dense" and r["known"], {"median": 4.5, "mean": 6, "p90": 13}),
    ("dense runs on new ground", lambda r: r["kind"] == "dense" and not r["known"], {"median": 8, "mean": 10, "p90": 20}),
    ("experts", lambda r: r["kind"] == "moe", {"mean": 13}),
    ("all dense runs", lambda r: r["kind"] == "dense", {}),
)


UNSEEN = {"median": 7, "mean": 9, "p90": 20}  # dense runs of a kind that no run was fitted with, at most, in percent


def scaled(rows):
    """Rows with predictions and intervals as multiples of what was measured."""
    return [{k: v / row["measured"] if k in RATIOS and v != "" else v for k, v in row.items() if k != "measured"} for row in rows]


def read(path=ROWS):
    """The recorded rows, with numbers as numbers."""
    with open(path, newline="") as f:
        return [{k: float(v) if k in RATIOS and v else int(v) if k == "known" else v for k, v in r.items()} for r in csv.DictReader(f)]


def constants(path=CONSTANTS):
    """{publisher, or name of a kind: {constant: the value that was fitted without it}}."""
    found = {}
    with open(path, newline="") as f:
        for r in csv.DictReader(f):
            found.setdefault(r["without"], {})[r["constant"]] = float(r["value"])
    return found


def errors(rows, column):
    return [100 * (r[column] - 1) for r in rows]


def lines(rows):
    """{(publisher, line): rows} in their order."""
    found = {}
    for r in rows:
        found.setdefault((r["publisher"], r["line"]), []).append(r)
    return found


def cells(rows, by=None):
    """The figures of rows: the mean as shipped and as fitted on all, then the left-out ones; with `by`, its values weigh alike."""
    shipped, refitted, held = (figures(errors(rows, column), by) for column in ("shipped", "refitted", "left_out"))
    return [f"{shipped['mean']:.1f} %", f"{refitted['mean']:.1f} %"] + [f"{held[k]:.1f} %" for k in ("median", "mean", "p90")] + [f"{held['bias']:+.1f} %"]


HEADS = ["shipped, mean", "fitted on all, mean", "left out, median", "mean", "p90", "bias"]


def table(rows):
    """The errors per publisher and line."""
    out = ["| source | runs | n | on known ground | " + " | ".join(HEADS) + " |", "|---|---|" + "--:|" * 8]
    for (publisher, line), found in lines(rows).items():
        known = sum(r["known"] for r in found)
        out.append(" | ".join([f"| {publisher}", line, str(len(found)), "all" if known == len(found) else str(known) if known else "none", *cells(found)]) + " |")
    return out


def pooled(rows):
    """The pooled errors, plain and with sources that weigh alike."""
    out = ["| runs | n | sources | weighted | " + " | ".join(HEADS) + " |", "|---|--:|--:|---|" + "--:|" * 6]
    for name, wanted, _ in POOLS:
        if found := [r for r in rows if wanted(r)]:
            for alike in (False, True):
                counts = [str(len(found)), str(len({r["publisher"] for r in found})), "sources alike" if alike else "rows alike"]
                out.append(" | ".join([f"| {name}", *counts, *cells(found, [r["publisher"] for r in found] if alike else None)]) + " |")
    return out


def targets(rows):
    """What left-out errors are meant to be, and are."""
    out = ["| left out | at most | sources alike | rows alike | in sight of all runs, as shipped | |", "|---|--:|--:|--:|--:|---|"]
    for name, wanted, bars in POOLS:
        if found := [r for r in rows if wanted(r)]:
            by = [r["publisher"] for r in found]
            alike, plain, seen = figures(errors(found, "left_out"), by), figures(errors(found, "left_out")), figures(errors(found, "shipped"), by)
            for statistic, bar in bars.items():
                out.append(f"| {name}, {statistic} | {bar:g} % | {alike[statistic]:.1f} % | {plain[statistic]:.1f} % | {seen[statistic]:.1f} % "
                           f"| {'met' if alike[statistic] <= bar else 'missed'} |")
    return out


def section(rows):
    """The section of the page."""
    return pooled(rows) + [""] + targets(rows) + [""] + table(rows)


POOLED = "all of these"


def unseen(rows, kind):
    """{name: rows whose `left_out` is without their kind `of`} of dense runs or of experts: by what the kinds are of, pooled, and with base stacks."""
    found = {by: [r | {"left_out": r[without(by)], "of": name_of(by, r[by])} for r in rows if r["kind"] == kind and r[by]] for by in KINDS}
    base = found.pop("base")
    named = {KINDS[by]: mine for by, mine in found.items()} | {POOLED: [r for mine in found.values() for r in mine], KINDS["base"]: base}
    return {name: mine for name, mine in named.items() if mine}


def kinds(rows):
    """The errors of runs when no run of their kind was fitted, beside those with all runs in sight: pooled, the targets, and by kind."""
    out = ["| left out | runs | n | kinds | weighted | fitted on all, mean | left out, median | mean | p90 | bias |", "|---|---|--:|--:|---|" + "--:|" * 5]
    bars = ["| dense, left out | " + " | ".join(f"{statistic}, at most {bar} %" for statistic, bar in UNSEEN.items()) + " | |", "|---|" + "--:|" * len(UNSEEN) + "---|"]
    each = ["| left out | runs | n | sources | fitted on all, mean | left out, median | mean | p90 | bias |", "|---|---|--:|--:|" + "--:|" * 5]
    for kind, title in (("dense", "dense"), ("moe", "experts")):
        for name, mine in unseen(rows, kind).items():
            of = [r["of"] for r in mine]
            for weighted, by in (("rows alike", None), ("kinds alike", of)):
                out.append("| " + " | ".join([name, title, str(len(mine)), str(len(set(of))), weighted, *cells(mine, by)[1:]]) + " |")
            if kind == "dense":
                now = figures(errors(mine, "left_out"), of)
                met = all(now[s] <= bar for s, bar in UNSEEN.items())
                bars.append(f"| {name} | " + " | ".join(f"{now[s]:.1f} %" for s in UNSEEN) + f" | {'met' if met else 'missed'} |")
            for one in dict.fromkeys(of if name != POOLED else ()):
                these = [r for r in mine if r["of"] == one]
                counts = [f"{name}: {one.partition(' ')[2]}", title, str(len(these)), str(len({r["publisher"] for r in these}))]
                each.append("| " + " | ".join(counts + cells(these)[1:]) + " |")
    return out + [""] + bars + [""] + each


def lacking(rows, fitted):
    """Publishers and kinds of the recorded rows without recorded constants, as texts."""
    names = [(r["publisher"], *(name_of(by, r[by]) for by in KINDS if r[by])) for r in rows]
    return [f"{name}: no constants were fitted without it" for name in dict.fromkeys(n for found in names for n in found) if name not in fitted]


def mean(rows, column="left_out"):
    """{line: the mean error in percent}."""
    return {line: figures(errors(found, column))["mean"] for (_, line), found in lines(rows).items()}


def stale(rows, accepted):
    """Lines whose recorded errors of today are not those that were left out, as texts."""
    shipped, count = mean(rows, "shipped"), {}
    for (_, line), found in lines(rows).items():
        count[line] = count.get(line, 0) + len(found)
    accepted = {line: now for line, now in accepted.items() if line in shipped or not line.startswith("all ") and ", memory" not in line}
    return [f"{line}: not there" for line in accepted if line not in shipped] + [
        f"{line}: recorded {now['mean']:.1f} % for {now['n']:.0f} runs, left out when it was {shipped[line]:.1f} % for {count[line]}"
        for line, now in accepted.items()
        if line in shipped and (abs(shipped[line] - now["mean"]) > MOVED + PART * now["mean"] or count[line] != now["n"])]
