#!/usr/bin/env python3
# The comparison with the recorded table: what it lets pass, what it names.
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # no caches in the tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorded


def off(*percents):
    """Pairs whose predictions are off by so many percent."""
    return [(1 + p / 100, 1.0) for p in percents]


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "recorded.csv")
        recorded.write(self.path, {"one": off(2, -4), "two": off(10, 10, 10)})

    def compare(self, groups, **options):
        return recorded.compare(self.path, groups, **options)

    def test_the_same_errors_pass(self):
        self.assertEqual(self.compare({"one": off(2, -4), "two": off(10, 10, 10)}), [])

    def test_less_than_a_point_passes_and_so_does_better(self):
        self.assertEqual(self.compare({"one": off(2.9, -4.9), "two": off(1, 1, 1)}), [])

    def test_more_than_a_point_is_named(self):
        worse = self.compare({"one": off(3.2, -5), "two": off(10, 10, 10)})
        self.assertEqual(len(worse), 1)
        self.assertIn("one: mean error 4.10 %, recorded 3.00 %", worse[0])

    def test_fewer_runs_are_named(self):
        self.assertIn("two: 3 runs were recorded, 2 are priced", self.compare({"one": off(2, -4), "two": off(10, 10)}))

    def test_more_runs_pass(self):
        self.assertEqual(self.compare({"one": off(2, -4, 3), "two": off(10, 10, 10)}), [])

    def test_a_source_that_is_gone_is_named_unless_it_was_not_asked_for(self):
        self.assertIn("two: 3 runs were recorded, none is priced", self.compare({"one": off(2, -4)}))
        self.assertEqual(self.compare({"one": off(2, -4)}, partial=True), [])

    def test_lines_of_a_table_that_is_not_there_are_not_missed_and_others_are(self):
        self.assertEqual(self.compare({"one": off(2, -4)}, unread=("wo",)), [])
        self.assertIn("two: 3 runs were recorded, none is priced", self.compare({"one": off(2, -4)}, unread=("ne",)))

    def test_a_source_that_was_never_recorded_is_named(self):
        self.assertIn("three: not in the recorded table; accept it with --record", self.compare({"one": off(2, -4), "two": off(10, 10, 10), "three": off(1)}))

    def test_without_a_table_the_check_fails(self):
        self.assertEqual(len(recorded.compare(self.path + ".none", {"one": off(1)})), 1)


if __name__ == "__main__":
    unittest.main()
