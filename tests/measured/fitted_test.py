#!/usr/bin/env python3
# The table of fitted constants: every place is a fact of the library, what it has there is read back, and points to price lie where they may.
# SPDX-License-Identifier: Apache-2.0
import fnmatch
import os
import sys
import unittest

sys.dont_write_bytecode = True  # no caches in the tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fitted import CONSTANTS
from library import Library


LIBRARY = Library()


class Table(unittest.TestCase):
    def test_every_place_is_a_fact(self):
        library = LIBRARY
        for c in CONSTANTS:
            for names, path, _ in c.places:
                for name in names:
                    there = [d for d in fnmatch.filter(library.facts, name) if library.get(d, path) is not None]
                    self.assertTrue(there, f"{c.name}: no {path} in {name}")

    def test_every_form_writes_text_that_the_fact_can_hold(self):
        for c in CONSTANTS:
            library = LIBRARY.copy()
            c.apply(library, c.prior)
            for names, path, form in c.places:
                for name in names:
                    for d in fnmatch.filter(library.facts, name):
                        if library.get(d, path) is not None:
                            self.assertEqual(library.get(d, path), form(c.prior))

    def test_names_are_unique_and_parents_stand_before_their_children(self):
        names = [c.name for c in CONSTANTS]
        self.assertEqual(len(names), len(set(names)))
        for k, c in enumerate(CONSTANTS):
            self.assertTrue(not c.parent or c.parent in names[:k], c.parent)

    def test_constants_without_places_have_children(self):
        parents = {c.parent for c in CONSTANTS}
        for c in CONSTANTS:
            self.assertTrue(c.places or c.name in parents, c.name)

    def test_every_width_has_a_reason_and_every_prior_lies_between_its_ends(self):
        for c in CONSTANTS:
            low, high = c.ends()
            self.assertTrue(c.why and c.width > 0 and low <= c.place(c.prior) <= high, c.name)

    def test_what_the_library_has_is_read_back(self):
        for c in CONSTANTS:
            library = LIBRARY.copy()
            value = c.prior * 0.9 or 0.1
            c.apply(library, value)
            for found in c.shipped(library):
                self.assertAlmostEqual(found, value, delta=2e-3 * value, msg=c.name)
            self.assertTrue(not c.places or c.shipped(library), c.name)

    def test_points_to_price_hold_the_prior_and_stay_inside_the_ends(self):
        for c in CONSTANTS:
            low, high = c.ends()
            for around in (None, c.prior, c.value(high) if c.high < 10 else c.prior):
                points = c.points(around, (-2, -1, 0, 1, 2))
                self.assertIn(c.place(c.prior), points)
                self.assertTrue(low <= points[0] and points[-1] <= high and points == sorted(set(points)) and len(points) > 1, c.name)


if __name__ == "__main__":
    unittest.main()
