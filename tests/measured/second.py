# The later tables of published runs: their errors, intervals and verdicts per source, and the rules of their rows.
# SPDX-License-Identifier: Apache-2.0
import sys

sys.dont_write_bytecode = True  # no caches in the tree
import runs
from errors import summary

# Words in a module's head: the rules below them apply to the rows of this table only, up to the words of another table.
STARTS = {runs.SECOND: "Second table:", runs.THIRD: "Third table:"}
PARTS = {runs.SECOND: "second table", runs.THIRD: "third table", runs.CARDS: "verification cards"}  # generated parts of docs/evidence


def listed(rows):
    """The ids of rows as text; three and more consecutive ids are a range."""
    stem, _, first = rows[0].rpartition("-")
    if len(rows) > 2 and first.isdigit() and rows == [f"{stem}-{int(first) + i:0{len(first)}}" for i in range(len(rows))]:
        return f"{rows[0]} to {rows[-1]}"
    return " and ".join(part for part in (", ".join(rows[:-1]), rows[-1]) if part)


def without(missing):
    """One line per reason for which rows are not priced."""
    by_reason = {}
    for row, reason in missing:
        by_reason.setdefault(reason, []).append(row)
    return [f"* {len(rows)} {'rows lack' if len(rows) > 1 else 'row lacks'} {reason}: {listed(rows)}" for reason, rows in by_reason.items()]


def rules(source, table):
    """The lines of the tables of rules in a source's head that are about rows of a table; all lines if the head does not separate them."""
    head = getattr(source, "RULES", source.__doc__ or "")
    part = head.partition(STARTS[table])[2] if table in STARTS else ""
    for start in STARTS.values():
        part = part.partition(start)[0]
    return [line for line in (part or head).splitlines() if line.startswith("|")]


def verdicts(of):
    """(share inside the interval, share that fits) of [(inside, fits)], as texts."""
    return [f"{100 * sum(v[i] for v in of) / len(of):.0f} %" for i in (0, 1)]


def line_of(name, pairs, of=()):
    """A line of the table; printed peaks of memory have no interval and no verdict."""
    s = summary(pairs)
    cells = [name, str(s["n"])] + [f"{s[k]:.1f} %" for k in ("median", "mean", "p90", "worst")] + [f"{s['bias']:+.1f} %"]
    return "| " + " | ".join(cells + ["" if s["rho"] is None else f"{s['rho']:.2f}"] + (verdicts(of) if of else ["", ""])) + " |"


HEAD = ["| runs | n | median | mean | p90 | worst | bias | rank correlation | inside the interval | fits |", "|---|" + "--:|" * 9]


def section(tally, sources, table):
    """The section of the page: all runs of a table by kind, then a part per source."""
    mark = runs.MARKS[table]
    groups = {g: pairs for g, pairs in tally.all().items() if g.endswith(mark)}
    if not groups:
        return [f"(no run of {table})"]
    short = {g: g.removesuffix(mark) for g in groups}
    lines = HEAD + [line_of(short[kind], groups[kind], of) for kind, of in tally.of_kind.items() if kind in groups]
    for source in sources:
        complete, incomplete = tally.found[runs.name_of(source), table]
        if not complete and not incomplete:
            continue
        lines += ["", f"### {source.TITLE.rstrip('.')}", "", f"{len(complete) + len(incomplete)} rows, {len(complete)} complete.", ""]
        mine = {}  # lines of this source alone: two may share the name of one
        for run in complete:
            mine.setdefault(run.group, []).extend(tally.of_run.get(run.name, []))
        lines += HEAD * bool(mine) + [line_of(short[g], *zip(*found)) for g, found in mine.items() if found]
        peaks = {g.removesuffix(mark) + ", memory" + mark for g in mine}
        lines += [line_of(g.removesuffix(mark), pairs) for g, pairs in groups.items() if g in peaks]
        lines += [""] + without(incomplete) if incomplete else []
        lines += [""] + rules(source, table) if rules(source, table) else []
    return lines
