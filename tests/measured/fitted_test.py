#!/usr/bin/env python3
# The table of fitted constants: every place is a fact of the library, and the search finds values that runs were made with.
# SPDX-License-Identifier: Apache-2.0
import fnmatch
import os
import sys
import unittest

sys.dont_write_bytecode = True  # no caches in the tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fitted import CONSTANTS
from library import Library


class Table(unittest.TestCase):
    def test_every_place_is_a_fact(self):
        library = Library()
        for c in CONSTANTS:
            for names, path, _ in c.places:
                for name in names:
                    there = [d for d in fnmatch.filter(library.facts, name) if library.get(d, path) is not None]
                    self.assertTrue(there, f"{c.name}: no {path} in {name}")

    def test_every_form_writes_text_that_the_fact_can_hold(self):
        for c in CONSTANTS:
            library = Library()
            c.apply(library, c.prior)
            for names, path, form in c.places:
                for name in names:
                    for d in fnmatch.filter(library.facts, name):
                        if library.get(d, path) is not None:
                            self.assertEqual(library.get(d, path), form(c.prior))

    def test_names_are_unique_and_nearest_ones_exist(self):
        names = [c.name for c in CONSTANTS]
        self.assertEqual(len(names), len(set(names)))
        for c in CONSTANTS:
            self.assertTrue(not c.nearest or c.nearest in names, c.nearest)
            self.assertIn(c.prior, c.values())


if __name__ == "__main__":
    unittest.main()
