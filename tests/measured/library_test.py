#!/usr/bin/env python3
# The copy of the library that other tests change: unchanged it prices the subset of runs to the digit, changed it does what was asked.
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # no caches in the tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench
import runs
from library import Library, number_of, scaled
from pricing import price

PLANC = sys.argv.pop(1) if len(sys.argv) > 1 else "planc"


class Copy(unittest.TestCase):
    def test_it_prices_the_subset_as_the_shipped_library_does(self):
        table = bench.Bench(PLANC, runs.SUBSET)
        copies = table.reports(Library(), list(table.runs))
        with tempfile.TemporaryDirectory() as folder:
            for source in runs.selected(None):
                name = runs.name_of(source)
                if name not in table.runs:
                    continue
                shipped, _ = price(PLANC, runs.write_plans(source, table.runs[name], folder))
                for plan in shipped["plans"]:
                    self.assertEqual(bench.pairs(plan), bench.pairs(copies[name][plan["name"]]), plan["name"])

    def test_a_changed_fact_changes_the_price(self):
        table = bench.Bench(PLANC, runs.SUBSET, ["sc21"])
        slow = Library()
        self.assertGreater(slow.set("stacks.*", "unattributed", lambda text: scaled(text, 1.1)), 5)
        before = table.reports(Library(), ["sc21"])["sc21"]
        after = table.reports(slow, ["sc21"])["sc21"]
        for name, plan in before.items():
            self.assertAlmostEqual(bench.pairs(after[name])[0][1] / bench.pairs(plan)[0][1], 1.1, places=6)


class Facts(unittest.TestCase):
    def test_heirs_have_what_they_inherit_and_what_they_override(self):
        facts = Library()
        self.assertEqual(facts.get("stacks.te_ub", "backward_ratio"), facts.get("stacks.te", "backward_ratio"))
        self.assertNotEqual(facts.get("stacks.te_ub", "inline.activation"), facts.get("stacks.te", "inline.activation"))

    def test_a_copy_does_not_change_its_original(self):
        facts = Library()
        other = facts.copy()
        other.set("stacks.te", "launch", "1us")
        self.assertNotEqual(facts.get("stacks.te", "launch"), "1us")

    def test_numbers_keep_their_units_and_curves_their_x(self):
        self.assertEqual(scaled("62us", 2), "124us")
        self.assertEqual(scaled("curve(x = [1, 2], y = [10TFLOP/s, 20TFLOP/s])", 0.5), "curve(x = [1, 2], y = [5TFLOP/s, 10TFLOP/s])")
        self.assertAlmostEqual(number_of("77.2%"), 0.772)


if __name__ == "__main__":
    unittest.main()
