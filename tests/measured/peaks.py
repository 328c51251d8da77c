#!/usr/bin/env python3
# How far off peaks of memory are, and how often the verdict `fits` is right by what planc says of its probability, on sources that it was not taken from.
# SPDX-License-Identifier: Apache-2.0
"""planc's probability that a plan fits is Φ(ln(room / peak) / error) with `accuracy.memory` of the stack (docs/cost-model.md, section 3a). Its error is taken
from what runs tell: of those that print a peak, the root of the mean square of ln(measured / predicted); of nanotron's sweep, which says what ran out of
memory, the error under which its verdicts are likeliest. Publishers weigh alike, and the error of a stack is drawn, in squares, towards that of all of them,
as if these were one more publisher of the stack. A stack without runs takes that of all. Stacks that have one `accuracy.memory` are one.

Judged is every publisher by an error that nothing of it went into. A printed peak p tells the verdict of every device: a room in which planc gives a chance
of q is that much larger than the predicted peak, and p is within it or not. Over all of them p is to be within it in the share q.

Published runs of every table ran, so planc is to say of them that they fit. Errors are taken from the tables that the fit sees alone."""
import argparse
import math
import os
import statistics
import sys

sys.dont_write_bytecode = True  # no caches in the tree
import coverage
import nanotron
import page
import runs
from bench import Bench
from grounds import weights
from library import Library, number_of

FACT = "accuracy.memory"
SWEEP = "nanotron"
LEVELS = (0.5, 0.75, 0.9, 0.95, 0.99)
SURE = 0.9  # below it planc warns
BANDS = ((0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 0.99), (0.99, 1))
FITS = 0.5  # from this chance on, planc says that a plan fits
TABLES = {runs.FIRST: "first table", runs.SECOND: "second table", runs.THIRD: "third table", runs.CARDS: "verification cards"}
LIKELY = [n / 1000 for n in range(5, 501)]  # errors among which the likeliest is looked for
NORMAL = statistics.NormalDist()


def chance(peak, room, error):
    return NORMAL.cdf(math.log(room / peak) / error)


def chance_of(memory, error):
    """What planc says of a plan's memory with that error."""
    device = chance(memory["peak_bytes"], memory["room_bytes"], error)
    return min(device, chance(memory["host_bytes"], memory["host_capacity_bytes"], error)) if memory["host_bytes"] else device


class Peaks:
    """What runs tell: `printed` peaks, the `sweep` with its verdicts, and how sure planc is of `all` runs that were published."""

    def __init__(self, planc, truth):
        bench, self.library = Bench(planc, truth, tables=runs.TABLES), Library()
        self.printed, self.all, self.sweep = [], [], []
        for source, plans in bench.reports(self.library, list(bench.runs)).items():
            for run in bench.runs[source]:
                self._add(bench.publisher[source], bench.uses[source][run.name][0], plans[run.name], run)
        self._add_sweep(planc, truth)
        self.own = {key: own(rows) for key, rows in self._by_publisher().items()}

    def _add(self, publisher, stack, plan, run):
        memory = plan["memory"]
        said, computed = memory["fits_probability"], chance_of(memory, number_of(self.library.get(stack, FACT)))
        assert math.isclose(said, computed, rel_tol=1e-6, abs_tol=1e-12), f"{run.name}: planc says {said}, its parts make {computed}"
        row = {"publisher": publisher, "stack": coverage.owner(self.library, stack, (FACT,)), "chance": said, "memory": memory, "ran": True,
               "line": run.group, "table": table_of(run)}
        self.all.append(row)
        for m in plan["measured"]:
            if run.memory and m["metric"] == run.counter and row["table"] in runs.FITTED:
                self.printed.append(row | {"off": math.log(m["measured"] / m["predicted"])})

    def _add_sweep(self, planc, truth):
        files = [os.path.join(truth, f) for f in ("nanotron_8b.csv", "nanotron_8b_out_of_memory.csv")]
        if not all(map(os.path.exists, files)):
            return
        rows = [r for f in files for r in nanotron.read(f)]
        plans = nanotron.price(planc, rows, nanotron.COMMON)
        stack = coverage.owner(self.library, "stacks.nanotron", (FACT,))
        for r in rows:
            memory = plans[r["id"]]["memory"]
            self.sweep.append({"publisher": SWEEP, "stack": stack, "chance": memory["fits_probability"], "memory": memory, "ran": r["ran"]})

    def _by_publisher(self):
        """{(publisher, stack): rows that tell an error}."""
        found = {}
        for r in self.printed + self.sweep:
            found.setdefault((r["publisher"], r["stack"]), []).append(r)
        return found

    def publishers(self):
        return list(dict.fromkeys(publisher for publisher, _ in self.own))

    def pool(self, without=None):
        """The error of all publishers but one, which weigh alike."""
        of = {}
        for (publisher, _), (square, count) in self.own.items():
            if publisher != without:
                of.setdefault(publisher, []).append((square, count))
        return math.sqrt(statistics.fmean(sum(s * n for s, n in parts) / sum(n for _, n in parts) for parts in of.values()))

    def error(self, stack, without=None):
        """The error of a stack, from all publishers but one."""
        mine = [square for (publisher, of), (square, _) in self.own.items() if of == stack and publisher != without]
        return math.sqrt((sum(mine) + self.pool(without) ** 2) / (len(mine) + 1))

    def sweep_left_out(self):
        """The rows of nanotron's sweep with an error that it had no part in."""
        error = self.error(self.sweep[0]["stack"], SWEEP) if self.sweep else 0
        return [r | {"chance": chance_of(r["memory"], error)} for r in self.sweep]


def table_of(run):
    """The table that the row of a run stands in."""
    return next((table for table, mark in runs.MARKS.items() if mark == runs.mark_of(run.group)), runs.FIRST)


def own(rows):
    """(error in squares, runs) of one publisher on one stack."""
    if "off" in rows[0]:
        return statistics.fmean(r["off"] ** 2 for r in rows), len(rows)
    return max(LIKELY, key=lambda error: likelihood(rows, error)) ** 2, len(rows)


def likelihood(rows, error):
    """Of what ran and what did not, in logarithms."""
    def of(row):
        q = min(max(chance_of(row["memory"], error), 1e-12), 1 - 1e-12)
        return math.log(q if row["ran"] else 1 - q)
    return math.fsum(map(of, rows))


def levels(rows, peaks):
    """[share of the rows whose printed peak is within the room of a chance], level by level; rows alike, publishers alike."""
    errors = {p: {s: peaks.error(s, p) for s in {r["stack"] for r in rows}} for p in {r["publisher"] for r in rows}}
    alike = weights([r["publisher"] for r in rows])
    for level in LEVELS:
        within = [r["off"] <= NORMAL.inv_cdf(level) * errors[r["publisher"]][r["stack"]] for r in rows]
        yield level, statistics.fmean(within), sum(w for w, yes in zip(alike, within) if yes)


def level_table(peaks):
    """Lines of a Markdown table: per publisher and pooled, how many printed peaks are within the room of a chance; {level: pooled share}."""
    lines = ["| printed peaks | n | error | left out | " + " | ".join(f"within {100 * q:.0f} %" for q in LEVELS) + " |", "|---|" + "--:|" * (len(LEVELS) + 3)]

    def line(name, rows, errors, shares):
        lines.append(f"| {name} | {len(rows)} | {errors} | " + " | ".join(f"{100 * s:.0f} %" for s in shares) + " |")
    for publisher in dict.fromkeys(r["publisher"] for r in peaks.printed):
        mine = [r for r in peaks.printed if r["publisher"] == publisher]
        square = statistics.fmean(r["off"] ** 2 for r in mine)
        used = statistics.fmean(peaks.error(r["stack"], publisher) for r in mine)
        line(publisher, mine, f"{100 * math.sqrt(square):.1f} % | {100 * used:.1f} %", [share for _, share, _ in levels(mine, peaks)])
    pooled = list(levels(peaks.printed, peaks))
    line("all, rows alike", peaks.printed, "| ", [share for _, share, _ in pooled])
    line("all, sources alike", peaks.printed, "| ", [share for _, _, share in pooled])
    return lines, {level: (share, alike) for level, share, alike in pooled}


def band_table(peaks):
    """Lines of a Markdown table: by bands of the chance, how many published runs are there, which all ran, and of nanotron's sweep how many ran."""
    lines = ["| planc says of fitting | published runs | third table | verification cards | nanotron's | of them ran | left out: nanotron's | of them ran |",
             "|---|" + "--:|" * 7]
    left_out = peaks.sweep_left_out()

    def within(rows, low, high):
        return [r for r in rows if low <= r["chance"] < high or high == 1 == r["chance"]]

    def cells(rows, low, high):
        found = within(rows, low, high)
        return f"{len(found)} | " + (f"{100 * statistics.fmean(r['ran'] for r in found):.0f} %" if found else "")
    for low, high in BANDS:
        published = [len(within([r for r in peaks.all if r["table"] in tables], low, high)) for tables in (runs.FITTED, (runs.THIRD,), (runs.CARDS,))]
        lines.append(f"| {100 * low:.0f} to {100 * high:.0f} % | {' | '.join(map(str, published))} | {cells(peaks.sweep, low, high)} | {cells(left_out, low, high)} |")
    return lines


def share_that_fits(rows):
    return statistics.fmean(r["chance"] >= FITS for r in rows)


def fit_table(peaks):
    """Lines of a Markdown table: of how many published runs planc says that they fit, per table, of all, and of each source of which it does not say so of all."""
    lines = ["| published runs, which all ran | n | said to fit | share |", "|---|--:|--:|--:|"]

    def line(name, rows):
        lines.append(f"| {name} | {len(rows)} | {sum(r['chance'] >= FITS for r in rows)} | {100 * share_that_fits(rows):.1f} % |")
    for table, name in TABLES.items():
        if mine := [r for r in peaks.all if r["table"] == table]:
            line(name, mine)
    line("all", peaks.all)
    for name in dict.fromkeys(r["line"] for r in peaks.all if r["chance"] < FITS):
        line(name, [r for r in peaks.all if r["line"] == name])
    return lines


def broken(peaks, pooled, least, most, fit):
    """What does not hold: texts."""
    if 100 * share_that_fits(peaks.all) < fit:
        yield f"planc says of {100 * share_that_fits(peaks.all):.1f} % of the published runs that they fit; {fit:g} % are asked for"
    if not all(least <= 100 * share <= most for share in pooled[SURE]):
        yield (f"planc is {100 * SURE:.0f} % sure of {100 * pooled[SURE][0]:.1f} % of the printed peaks, sources alike {100 * pooled[SURE][1]:.1f} %; "
               f"both must be {least:g} to {most:g} %")
    rows = peaks.sweep_left_out()
    for what, of, right in (("fit", lambda r: r["chance"], True), ("not fit", lambda r: 1 - r["chance"], False)):
        found = [r["ran"] == right for r in rows if of(r) >= SURE]
        if found and statistics.fmean(found) < SURE:
            yield f"nanotron's sweep: {100 * statistics.fmean(found):.1f} % of what planc is {100 * SURE:.0f} % sure to {what} did so"


def main():
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser)
    parser.add_argument("--bar", nargs=2, type=float, metavar=("LEAST", "MOST"), help="fail if the share of printed peaks, in percent, that planc is 90 %% sure of is outside")
    parser.add_argument("--fit", type=float, default=0, help="with --bar: least share of the published runs, in percent, that planc must say fit")
    parser.add_argument("--write", help="renew the section of peaks in the pages of this folder")
    parser.add_argument("--accuracies", action="store_true", help="print what the stacks of the library are to say")
    a = parser.parse_args()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    peaks = Peaks(a.planc, a.truth)
    table, pooled = level_table(peaks)
    lines = table + [""] + band_table(peaks) + [""] + fit_table(peaks)
    print("\n".join(lines))
    if a.write:
        page.renew(a.write, "peaks", lines)
    if a.accuracies:
        print(f"any: memory = {peaks.pool():.3f} of {len(peaks.publishers())} publishers")
        for (publisher, stack), (square, count) in peaks.own.items():
            print(f"{stack}: memory = {peaks.error(stack):.3f}, own {math.sqrt(square):.3f} of {count} runs of {publisher}")
    wrong = list(broken(peaks, pooled, *a.bar, a.fit)) if a.bar else []
    print("".join(text + "\n" for text in wrong), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
