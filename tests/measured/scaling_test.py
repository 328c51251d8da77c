#!/usr/bin/env python3
# Series of made-up runs: which runs make one, what they grow by, and when a prediction of it is right.
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import unittest

sys.dont_write_bytecode = True  # no caches in the tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import runs
from scaling import Series, nccl_ring, series_of, summary
from sources.common import Run


def run(data, seconds, batch=None, **others):
    """A run on `data` devices, four to a node; two sequences per device unless the batch is given."""
    facts = {"name": f"on_{data}", "group": "", "kind": "dense", "model": "gpt.gpt(layers = 2)", "software": "fsdp.fms", "seq": 1024, "micro_batch": 1,
             "precision": {}, "citation": ""}
    return Run(cluster=f"some.cluster(per_node = 4, nodes = {data // 4})", global_batch=batch or 2 * data, data=data, seconds=seconds, **{**facts, **others})


class Found(unittest.TestCase):
    def test_runs_that_differ_in_devices_alone_are_a_series(self):
        found = series_of([run(16, 1), run(8, 1), run(32, 1)], "weak")
        self.assertEqual([list(s) for s in found], [[8, 16, 32]])

    def test_another_micro_batch_model_or_degree_is_another_series(self):
        for others in ({"micro_batch": 2}, {"model": "gpt.gpt(layers = 3)"}, {"tensor": 2}, {"recompute": "decoder"}):
            self.assertEqual(series_of([run(8, 1), run(16, 1, **others)], "weak"), [], others)

    def test_another_machine_is_another_series(self):
        wide = run(16, 1)
        wide.cluster = wide.cluster.replace("per_node = 4", "per_node = 8")
        self.assertEqual(series_of([run(8, 1), wide], "weak"), [])

    def test_the_batch_per_device_tells_weak_from_strong(self):
        fixed = [run(8, 2, batch=32), run(16, 1, batch=32)]
        self.assertEqual(series_of(fixed, "weak"), [])
        self.assertEqual(len(series_of(fixed, "strong")), 1)

    def test_a_tenth_more_devices_is_no_series(self):
        self.assertEqual(series_of([run(40, 1), run(44, 1)], "weak"), [])

    def test_states_in_one_copy_and_states_of_a_node_are_two_series_of_the_same_first_run(self):
        found = series_of([run(8, 1), run(16, 1), run(32, 1), run(16, 1, copies=2), run(32, 1, copies=4)], "weak")
        self.assertEqual([[r.copies for of in s.values() for r in of] for s in found], [[1, 1, 1], [1, 2, 4]])

    def test_copies_that_are_neither_as_many_nor_as_large_are_no_series(self):
        self.assertEqual(series_of([run(16, 1, copies=2), run(32, 1)], "weak"), [])

    def test_the_third_table_has_series(self):
        (source,) = runs.selected(["internevo"])
        complete, _ = runs.runs_of(runs.SUBSET, source)
        self.assertIn(["ievo_001", "ievo_007"], [[r.name for of in s.values() for r in of] for s in series_of(complete, "weak")])


class Growth(unittest.TestCase):
    def series(self, measured, predicted):
        runs = [run(n, t) for n, t in measured.items()]
        (members,) = series_of(runs, "weak")
        return Series("weak", members, {r.name: predicted[r.data] for r in runs})

    def test_ten_percent_per_doubling_is_measured(self):
        found = self.series({8: 1, 16: 1.1, 32: 1.21}, {8: 2, 16: 2, 32: 2})
        self.assertAlmostEqual(2**found.measured, 1.1)
        self.assertAlmostEqual(found.whole(found.measured), 0.21)
        self.assertAlmostEqual(found.predicted, 0)

    def test_runs_on_as_many_devices_are_averaged(self):
        runs = [run(8, 1), run(8, 1.21, name="again"), run(16, 1.1)]
        (members,) = series_of(runs, "weak")
        self.assertAlmostEqual(Series("weak", members, {"on_8": 1, "again": 1, "on_16": 1}).measured, 0)

    def test_with_a_fixed_batch_half_the_time_on_twice_the_devices_is_no_growth(self):
        runs = [run(8, 2, batch=32), run(16, 1, batch=32)]
        (members,) = series_of(runs, "strong")
        self.assertAlmostEqual(Series("strong", members, {"on_8": 2, "on_16": 1}).measured, 0)

    def test_a_large_loss_is_right_within_a_factor_of_two(self):
        for predicted, right in ((1.11, True), (1.06, True), (1.04, False), (1.25, False)):
            self.assertEqual(self.series({8: 1, 16: 1.1}, {8: 1, 16: predicted}).right, right, predicted)

    def test_a_small_loss_is_right_within_points(self):
        for predicted, right in ((1.0, True), (1.023, True), (1.027, False), (0.98, False)):
            self.assertEqual(self.series({8: 1, 16: 1.01}, {8: 1, 16: predicted}).right, right, predicted)

    def test_faster_on_more_devices_is_a_small_loss(self):
        found = self.series({8: 1, 16: 0.9}, {8: 1, 16: 0.91})
        self.assertFalse(found.large)
        self.assertTrue(found.right)

    def test_the_summary_counts_signs_and_factors_of_all_losses(self):
        growths = ((1.01, 1.006), (1.01, 1.021), (0.99, 1.01), (0.99, 0.994), (1.1, 1.06))  # near, twice as much, other sign, near, near
        lines = summary([("made up", self.series({8: 1, 16: measured}, {8: 1, 16: predicted})) for measured, predicted in growths])
        self.assertEqual(lines[2], "| weak | 1 of 1 | 3 of 4 | 3 of 5 |")


class Ring(unittest.TestCase):
    def test_every_rank_is_passed_once(self):
        # Two nodes of eight: fifteen hops, one of them between the nodes.
        self.assertAlmostEqual(nccl_ring("LL128", 2), 14 * 1.9e-6 + 4.0e-6)


if __name__ == "__main__":
    unittest.main()
