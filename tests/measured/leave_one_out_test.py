#!/usr/bin/env python3
# The search without a source, on made-up runs: it finds the constants that the other runs were made with, whatever the held-out ones say.
# SPDX-License-Identifier: Apache-2.0
import math
import os
import sys
import types
import unittest

sys.dont_write_bytecode = True  # no caches in the tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fitted import Constant
from leave_one_out import family, fitted

SHARED = Constant("shared", (), 1, (1, 2, 3, 4))
OWN = Constant("own", (), 1, (1, 2, 4), nearest="shared")


def made_up(truth):
    """Effects of runs whose time is shared * (1 + share of the first source) * own of the third; `truth` says what was measured of each source."""
    def time(source, shared, own):
        return shared * {"one": 1.0, "two": 1.5, "three": own}[source]

    def plan(source):
        return {"measured": [{"metric": "step_time", "predicted": time(source, 1, 1), "measured": truth[source]}]}

    names = list(truth)
    found = types.SimpleNamespace(runs={s: [types.SimpleNamespace(name=s, group=s, kind="dense")] for s in names})
    kinds = {"shared": {s: {"dense"} for s in names}, "own": {"three": {"dense"}}}
    moves = {"shared": {v: {s: [[math.log(v)]] for s in names} for v in SHARED.values()},
             "own": {v: {"three": [[math.log(v)]]} for v in OWN.values()}}
    return types.SimpleNamespace(bench=found, constants=(SHARED, OWN), priced={s: {s: plan(s)} for s in names}, kinds=kinds, moves=moves)


class Values(unittest.TestCase):
    def test_all_runs_together_give_the_values_they_were_made_with(self):
        search = fitted(made_up({"one": 3, "two": 4.5, "three": 12}))
        self.assertEqual(search.values, {"shared": 3, "own": 4})

    def test_a_source_that_is_left_out_has_no_say(self):
        for nonsense in (1, 1000):
            search = fitted(made_up({"one": 3, "two": nonsense, "three": 12}), "two")
            self.assertEqual(search.values, {"shared": 3, "own": 4})

    def test_what_no_other_source_tells_comes_from_the_nearest(self):
        search = fitted(made_up({"one": 2, "two": 3, "three": 1}), "three")
        self.assertEqual(search.blind, ["own"])
        self.assertEqual(search.values, {"shared": 2, "own": 2})

    def test_one_odd_source_does_not_move_what_two_others_say(self):
        search = fitted(made_up({"one": 2, "two": 3, "three": 100}))
        self.assertEqual(search.values["shared"], 2)


class Families(unittest.TestCase):
    def test_stacks_that_share_their_constants_are_one_family(self):
        self.assertEqual(family("stacks.megatron_2021"), family("stacks.megatron_ds"))
        self.assertEqual(family("stacks.te_ub"), family("stacks.te"))
        self.assertNotEqual(family("stacks.te_2604"), family("stacks.te_2606"))
        self.assertEqual(family("stacks.llm_foundry_h100"), family("stacks.llm_foundry"))
        self.assertNotEqual(family("stacks.fms_h100"), family("stacks.torchtitan"))


if __name__ == "__main__":
    unittest.main()
