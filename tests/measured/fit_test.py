#!/usr/bin/env python3
# The fit, on made-up runs: it finds the constants that runs were made with, and leaves with its parent or its prior what they do not tell.
# SPDX-License-Identifier: Apache-2.0
import math
import os
import random
import sys
import types
import unittest

sys.dont_write_bytecode = True  # no caches in the tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import linear
from effects import Curve, Row, slopes
from fitted import Constant
from posterior import Posterior

POINTS = [math.log(v) for v in (0.5, 1, 2, 4, 8)]


def constant(name, width=0.5, parent="", places=True):
    return Constant(name, ("somewhere",) if places else (), 1, width, "made up", 0.5, 8, parent=parent)


def made_up(constants, runs):
    """Effects of runs whose time is the product of the constants that they name; `runs`: {run: (constants, measured)}."""
    rows = [Row(run, "step_time", measured, 1.0) for run, (_, measured) in runs.items()]
    curves = {c.name: Curve(POINTS, [{i: p for i, (of, _) in enumerate(runs.values()) if c.name in of} for p in POINTS]) for c in constants if c.places}
    places = {run: {"publisher": run[0], "line": run[0], "kind": "dense"} for run in runs}
    return types.SimpleNamespace(constants=constants, rows=rows, curves=curves), places


class Values(unittest.TestCase):
    def test_runs_give_the_values_they_were_made_with(self):
        constants = (constant("one", 2), constant("two", 2))
        effects, places = made_up(constants, {"a1": (("one",), 3), "b1": (("one", "two"), 6), "b2": (("one", "two"), 6), "c1": (("two",), 2)})
        fit = Posterior(effects, places)
        self.assertAlmostEqual(fit.values["one"], 3, delta=0.02)
        self.assertAlmostEqual(fit.values["two"], 2, delta=0.02)

    def test_a_publisher_that_is_left_out_has_no_say(self):
        constants = (constant("one"),)
        found = {Posterior(*made_up(constants, {"a1": (("one",), 3), "b1": (("one",), nonsense)}), lambda place: place["publisher"] != "b").values["one"] for nonsense in (0.1, 50)}
        self.assertEqual(len(found), 1)

    def test_what_no_run_tells_stays_at_its_prior_with_its_width(self):
        constants = (constant("one"), constant("blind"))
        fit = Posterior(*made_up(constants, {"a1": (("one",), 3)}))
        self.assertAlmostEqual(fit.values["blind"], 1)
        self.assertAlmostEqual(fit.spread()["blind"][0], 0.5)
        self.assertEqual(fit.tellers()["blind"], [])

    def test_what_no_run_tells_follows_its_parent(self):
        constants = (constant("parent", 1), constant("blind", 0.1, "parent"))
        fit = Posterior(*made_up(constants, {"a1": (("parent",), 3)}))
        self.assertAlmostEqual(fit.values["blind"], fit.values["parent"], places=6)
        self.assertAlmostEqual(fit.spread()["blind"][1], math.hypot(1, 0.1))

    def test_children_tell_a_parent_without_places_and_through_it_each_other(self):
        constants = (constant("all", 1, places=False), constant("a", 0.1, "all"), constant("b", 0.1, "all"), constant("c", 0.1, "all"))
        fit = Posterior(*made_up(constants, {"a1": (("a",), 3), "b1": (("b",), 3)}))
        self.assertGreater(fit.values["c"], 2.8)

    def test_one_odd_source_does_not_move_what_two_others_say(self):
        constants = (constant("one", 2),)
        fit = Posterior(*made_up(constants, {"a1": (("one",), 2), "b1": (("one",), 2), "c1": (("one",), 7)}))
        self.assertAlmostEqual(fit.values["one"], 2, delta=0.04)

    def test_a_long_line_counts_more_than_a_short_one_but_not_by_its_length(self):
        runs = {f"a{i}": (("one",), 2) for i in range(16)} | {"b1": (("one",), 2.1)}
        fit = Posterior(*made_up((constant("one", 5),), runs))
        self.assertTrue(2.005 < fit.values["one"] < 2.05, fit.values["one"])

    def test_a_value_stays_inside_of_its_ends(self):
        fit = Posterior(*made_up((constant("one", 5),), {"a1": (("one",), 100), "a2": (("one",), 100)}))
        self.assertLessEqual(fit.values["one"], 8 + 1e-9)

    def test_more_runs_make_surer_and_are_told_by_their_publishers(self):
        few, many = ({f"{p}1": (("one",), 2) for p in publishers} for publishers in ("a", "abc"))
        one, three = (Posterior(*made_up((constant("one"),), runs)) for runs in (few, many))
        self.assertLess(three.spread()["one"][0], one.spread()["one"][0])
        self.assertEqual(three.tellers()["one"], ["a", "b", "c"])


class Lines(unittest.TestCase):
    def test_a_curve_meets_its_points_and_its_slope_is_that_of_its_values(self):
        curve = Curve([0.0, 1.0, 3.0], [{7: 0.0}, {7: 0.4}, {7: 0.5}])
        for point, value in ((0, 0), (1, 0.4), (3, 0.5), (9, 0.5)):
            self.assertAlmostEqual(curve.at(point)[0][1], value)
        for place in (0.3, 1.7):
            (_, low, _), (_, high, _), (_, _, slope) = (curve.at(place + by)[0] for by in (-1e-6, 1e-6, 0))
            self.assertAlmostEqual((high - low) / 2e-6, slope, places=5)

    def test_a_curve_never_turns_between_its_points(self):
        self.assertEqual(slopes([0, 1, 2, 3], [0, 1, 1, 2])[1:3], [0.0, 0.0])


class Systems(unittest.TestCase):
    def test_solution_and_inverse(self):
        draw = random.Random(1)
        half = [[draw.random() for _ in range(6)] for _ in range(6)]
        matrix = [[sum(a * b for a, b in zip(r, s)) + (i == j) for j, s in enumerate(half)] for i, r in enumerate(half)]
        wanted = [draw.random() for _ in range(6)]
        right = [sum(a * x for a, x in zip(row, wanted)) for row in matrix]
        for found, want in zip(linear.solved(linear.factor(matrix), right), wanted):
            self.assertAlmostEqual(found, want)
        inverse = linear.inverse(matrix)
        for i in range(6):
            for j in range(6):
                self.assertAlmostEqual(sum(matrix[i][k] * inverse[k][j] for k in range(6)), float(i == j))


if __name__ == "__main__":
    unittest.main()
