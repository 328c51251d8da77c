# The values of the fitted constants that measured runs and the priors together make likely, and how sure they are.
# SPDX-License-Identifier: Apache-2.0
"""The sum that is made small: of every measured time the loss of Student's t of its error in logarithms, in which odd rows count little; of every constant
the square of its distance from its prior in widths, where a child's distance is taken from its parent's. It is made small by Gauss and Newton's
steps with the weights that the loss gives the rows, from the priors; each step is halved until it gains. What the runs do not tell thus stays with its
parent or its prior. The uncertainty of a constant follows from the curvature (Laplace), its worth of a source from what the source's rows add to it."""
import math

import linear

FREEDOM = 4  # degrees of freedom of Student's t
SCALE = {"dense": 0.05, "moe": 0.12, "layer": 0.12}  # of the errors of runs, by kind: what rows of one source scatter by that nothing in it tells apart
POWER = 0.5  # a line of n rows counts as n^(1 - POWER) of one: its rows share their source's circumstances
ROUNDS, ENOUGH = 200, 1e-7


class Posterior:
    """The fit of some rows of a table of effects: all whose places stay."""

    def __init__(self, effects, places, stays=lambda place: True):
        self.constants, self.effects = effects.constants, effects
        self.number = {c.name: k for k, c in enumerate(self.constants)}
        self.rows = [i for i, row in enumerate(effects.rows) if stays(places[row.run])]
        lines = [places[effects.rows[i].run]["line"] for i in self.rows]
        size = {line: lines.count(line) for line in lines}
        self.count = dict(zip(self.rows, (size[line] ** -POWER for line in lines)))
        self.scale = {i: SCALE[places[effects.rows[i].run]["kind"]] for i in self.rows}
        self.publisher = {i: places[effects.rows[i].run]["publisher"] for i in self.rows}
        self.precision = self._precision()
        self.at = [c.place(c.prior) for c in self.constants]
        self._minimise()
        self.values = {c.name: c.value(u) for c, u in zip(self.constants, self.at)}

    def _precision(self):
        """The precision of the priors, of distances from them."""
        size = len(self.constants)
        out = [[0.0] * size for _ in range(size)]
        for k, c in enumerate(self.constants):
            weight = c.width ** -2
            out[k][k] += weight
            if c.parent:
                p = self.number[c.parent]
                out[p][p] += weight
                out[k][p] -= weight
                out[p][k] -= weight
        return out

    def _distance(self, at):
        return [u - c.place(c.prior) for u, c in zip(at, self.constants)]

    def _errors(self, at):
        """({row: its error}, {row: [(constant, slope)]}) at a place."""
        off = {i: self.effects.rows[i].base for i in self.rows}
        slopes = {i: [] for i in self.rows}
        for k, c in enumerate(self.constants):
            if curve := self.effects.curves.get(c.name):
                for i, move, slope in curve.at(at[k]):
                    if i in off:
                        off[i] += move
                        slopes[i].append((k, slope))
        return off, slopes

    def _loss(self, off, at):
        told = sum(self.count[i] * (FREEDOM + 1) / 2 * math.log1p((r / self.scale[i]) ** 2 / FREEDOM) for i, r in off.items())
        d = self._distance(at)
        return told + 0.5 * sum(a * b for a, b in zip(d, (sum(p * x for p, x in zip(row, d)) for row in self.precision)))

    def weight(self, i, r):
        """What a row with an error counts in the squares."""
        return self.count[i] * (FREEDOM + 1) / (FREEDOM + (r / self.scale[i]) ** 2) / self.scale[i] ** 2

    def _system(self, off, slopes, at):
        """(curvature, gradient)."""
        curvature = [list(row) for row in self.precision]
        d = self._distance(at)
        gradient = [sum(p * x for p, x in zip(row, d)) for row in self.precision]
        for i, r in off.items():
            w = self.weight(i, r)
            for n, (k, a) in enumerate(slopes[i]):
                gradient[k] += w * a * r
                for m, b in slopes[i][: n + 1]:
                    curvature[k][m] += w * a * b
                    if m != k:
                        curvature[m][k] += w * a * b
        return curvature, gradient

    def _range(self, k):
        low, high = self.constants[k].ends()
        if curve := self.effects.curves.get(self.constants[k].name):
            low, high = max(low, curve.points[0]), min(high, curve.points[-1])
        return low, high

    def _step(self, curvature, gradient, at):
        """Newton's step of those constants that are not held at an end of their range."""
        ranges = [self._range(k) for k in range(len(at))]
        held = {k for k, (low, high) in enumerate(ranges) if (at[k] <= low and gradient[k] > 0) or (at[k] >= high and gradient[k] < 0)}
        free = [k for k in range(len(at)) if k not in held]
        lower = linear.factor([[curvature[k][m] for m in free] for k in free])
        move = dict(zip(free, linear.solved(lower, [-gradient[k] for k in free])))
        return lambda part: [min(max(u + part * move.get(k, 0.0), ranges[k][0]), ranges[k][1]) for k, u in enumerate(at)]

    def _minimise(self):
        off, slopes = self._errors(self.at)
        cost = self._loss(off, self.at)
        for self.rounds in range(ROUNDS):
            stepped = self._step(*self._system(off, slopes, self.at), self.at)
            part = 1.0
            while part > 1e-4:
                at = stepped(part)
                now, there = self._errors(at)
                if (less := self._loss(now, at)) < cost:
                    break
                part /= 2
            else:
                break
            gained, cost, self.at, off, slopes = cost - less, less, at, now, there
            if gained < ENOUGH:
                break
        self.cost, self.off = cost, off
        self.curvature, _ = self._system(off, slopes, self.at)
        self.slopes = slopes

    def spread(self):
        """{constant: (standard deviation with the runs, without them)}, on its scale."""
        told, believed = linear.inverse(self.curvature), linear.inverse(self.precision)
        return {c.name: (math.sqrt(told[k][k]), math.sqrt(believed[k][k])) for k, c in enumerate(self.constants)}

    def tellers(self):
        """{constant: the publishers whose rows alone say as much of it as its prior does}."""
        told = [{} for _ in self.constants]
        for i, r in self.off.items():
            w = self.weight(i, r)
            for k, a in self.slopes[i]:
                told[k][self.publisher[i]] = told[k].get(self.publisher[i], 0) + w * a * a
        return {c.name: [p for p, much in told[k].items() if much >= c.width ** -2] for k, c in enumerate(self.constants)}
