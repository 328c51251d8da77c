# What the fitted constants do to predicted times: a table made by pricing every run with a few values of each constant.
# SPDX-License-Identifier: Apache-2.0
"""Of each constant, on a scale on which its prior has a width (the logarithm, or the value itself of shares), a few points are priced; between them the
logarithm of a time follows a smooth line that never turns, beyond them it stays. The moves of several constants add up, which holds near the values that
the table was made with."""
import bisect
import math

from bench import module, pairs
from fitted import CONSTANTS
from library import Library

STEPS = (-2, -1, 0, 1, 2)  # widths of the prior around what the table is made with


class Row:
    """One measured time: the run and the metric that it is of, and how far the base's prediction is off, in logarithms."""

    def __init__(self, run, metric, measured, predicted):
        self.run, self.metric, self.measured, self.base = run, metric, measured, math.log(predicted / measured)


class Curve:
    """What a constant moves: at every point of its scale, {row: move of the logarithm of its time}."""

    def __init__(self, points, moves):
        self.points = points
        self.rows = {}  # {row: [(move, slope) at every point]}
        for row in sorted({i for move in moves for i in move}):
            found = [move.get(row, 0.0) for move in moves]
            self.rows[row] = list(zip(found, slopes(points, found)))

    def at(self, place):
        """[(row, move, slope)] at a place of the scale."""
        points = self.points
        i = min(max(bisect.bisect_right(points, place) - 1, 0), len(points) - 2)
        span = points[i + 1] - points[i]
        t = min(max((place - points[i]) / span, 0), 1)
        # Hermite's cubic and its slope.
        b = 3 * t * t - 2 * t**3, t**3 - 2 * t * t + t, t**3 - t * t
        s = (6 * t - 6 * t * t) / span, 3 * t * t - 4 * t + 1, 3 * t * t - 2 * t
        out = []
        for row, ends in self.rows.items():
            (low, m), (high, n) = ends[i], ends[i + 1]
            out.append((row, low + b[0] * (high - low) + span * (b[1] * m + b[2] * n), s[0] * (high - low) + s[1] * m + s[2] * n))
        return out


def slopes(points, values):
    """The slope at every point of a smooth line that never turns between two points (Fritsch and Carlson)."""
    secants = [(b - a) / (y - x) for a, b, x, y in zip(values, values[1:], points, points[1:])]
    inner = [0.0 if a * b <= 0 else 2 * a * b / (a + b) for a, b in zip(secants, secants[1:])]
    return [secants[0], *inner, secants[-1]]


class Effects:
    """The rows of a bench and the curve of each constant, around the shipped library or `base`, {constant: value}."""

    def __init__(self, bench, base=None, constants=CONSTANTS, steps=STEPS):
        self.bench, self.constants, self.library = bench, constants, Library()
        self.apply(self.library, base or {})
        self.priced = bench.reports(self.library, list(bench.runs))
        self.rows, self.index = [], {}
        for source, found in bench.runs.items():
            for run in found:
                for metric, predicted, measured in pairs(self.priced[source][run.name]):
                    self.index[run.name, metric] = len(self.rows)
                    self.rows.append(Row(run.name, metric, measured, predicted))
        self.curves = {c.name: self._curve(c, base, steps) for c in constants if c.places}

    def apply(self, library, values):
        """Writes constants into a library, in the order of their table."""
        for c in self.constants:
            if c.name in values:
                c.apply(library, values[c.name])

    def times(self, sources, values):
        """{source: {plan: report}} with some values in place of those of the base."""
        return self.bench.reports(self.changed(values), sources)

    def ratios(self, wanted, changed):
        """{(run, metric): predicted over measured} of some runs of sources with a changed library."""
        found = {}
        for plans in self.bench.times(changed, wanted).values():
            for run, times in plans.items():
                found |= {(run, metric): predicted / self.rows[self.index[run, metric]].measured for metric, predicted in times}
        return found

    def changed(self, values):
        """The library with some values in place of those of the base."""
        changed = self.library.copy()
        self.apply(changed, values)
        return changed

    def _touched(self, c):
        """{source: its runs whose stack or device has the constant}."""
        found, having = {}, c.declarations(self.library)
        for source, mine in self.bench.runs.items():
            uses = self.bench.uses[source]
            if touched := [run for run in mine if having & {*uses[run.name], module(run)}]:
                found[source] = touched
        return found

    def _curve(self, c, base, steps):
        points = c.points((base or {}).get(c.name), steps)
        touched = self._touched(c)
        return Curve(points, [self._moves(c, c.value(point), touched) for point in points])

    def _moves(self, c, value, touched):
        changed = self.library.copy()
        c.apply(changed, value)
        if not touched or changed.facts == self.library.facts:
            return {}
        moves = {}
        for plans in self.bench.times(changed, touched).values():
            for run, found in plans.items():
                for metric, predicted in found:
                    row = self.index[run, metric]
                    if move := math.log(predicted / self.rows[row].measured) - self.rows[row].base:
                        moves[row] = move
        return moves
