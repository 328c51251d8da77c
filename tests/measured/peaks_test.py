#!/usr/bin/env python3
# What `peaks.py` makes of runs that were made up with a known error: it finds the error, draws that of a stack towards all, and counts what lies within.
# SPDX-License-Identifier: Apache-2.0
import math
import sys
import unittest

sys.dont_write_bytecode = True  # no caches in the tree
import peaks

COUNT = 400
ROOM = 80e9


def quantiles(error):
    """Errors of logarithms as a normal variable has them."""
    return [peaks.NORMAL.inv_cdf((i + 0.5) / COUNT) * error for i in range(COUNT)]


def printed(error, publisher, stack):
    return [{"publisher": publisher, "stack": stack, "off": off} for off in quantiles(error)]


def memory(predicted, host=0):
    return {"peak_bytes": predicted, "room_bytes": ROOM, "host_bytes": host, "host_capacity_bytes": 1e9 if host else None}


def sweep(error, stack):
    """Runs of which those ran whose true peak, off by `error`, is within the room; predicted peaks from half to twice the room, in any order."""
    rows = []
    for i, off in enumerate(quantiles(error)):
        predicted = ROOM * math.exp(math.log(2) * (2 * (i * 157 % COUNT) / COUNT - 1))
        rows.append({"publisher": peaks.SWEEP, "stack": stack, "memory": memory(predicted), "ran": predicted * math.exp(off) <= ROOM})
    return rows


def made_up(*rows):
    found = object.__new__(peaks.Peaks)
    found.printed, found.sweep = [r for r in sum(rows, []) if "off" in r], [r for r in sum(rows, []) if "ran" in r]
    found.own = {key: peaks.own(mine) for key, mine in found._by_publisher().items()}
    return found


class Errors(unittest.TestCase):
    def test_of_printed_peaks_is_their_root_mean_square(self):
        square, count = peaks.own(printed(0.07, "a", "x"))
        self.assertEqual(count, COUNT)
        self.assertAlmostEqual(math.sqrt(square), 0.07, delta=0.001)

    def test_of_verdicts_is_the_likeliest(self):
        self.assertAlmostEqual(math.sqrt(peaks.own(sweep(0.12, "x"))[0]), 0.12, delta=0.03)

    def test_publishers_weigh_alike(self):
        found = made_up(printed(0.03, "a", "x"), printed(0.03, "a", "y"), printed(0.09, "b", "z"))
        self.assertAlmostEqual(found.pool(), math.sqrt((0.03**2 + 0.09**2) / 2), delta=0.001)
        self.assertAlmostEqual(found.pool("b"), 0.03, delta=0.001)

    def test_of_a_stack_is_drawn_towards_all(self):
        found = made_up(printed(0.03, "a", "x"), printed(0.09, "b", "y"))
        self.assertAlmostEqual(found.error("x"), math.sqrt((0.03**2 + found.pool() ** 2) / 2), delta=0.001)
        self.assertEqual(found.error("x", "a"), found.pool("a"))
        self.assertEqual(found.error("of nobody"), found.pool())


class Chances(unittest.TestCase):
    def test_of_a_peak_as_large_as_the_room_is_even(self):
        self.assertEqual(peaks.chance_of(memory(ROOM), 0.1), 0.5)
        self.assertGreater(peaks.chance_of(memory(0.9 * ROOM), 0.1), peaks.chance_of(memory(0.9 * ROOM), 0.2))

    def test_the_fuller_of_device_and_host_decides(self):
        self.assertEqual(peaks.chance_of(memory(ROOM / 2, host=1e9), 0.1), 0.5)
        self.assertEqual(peaks.chance_of(memory(ROOM, host=1e8), 0.1), 0.5)


class Shares(unittest.TestCase):
    def test_peaks_are_within_the_room_of_a_chance_as_often_as_it_says(self):
        for level, rows, publishers in peaks.levels(*self.of(0.05, 0.05)):
            self.assertAlmostEqual(rows, level, delta=0.01)
            self.assertAlmostEqual(publishers, level, delta=0.01)

    def test_what_is_surer_than_its_peaks_fails_the_bar(self):
        good, bad = self.of(0.05, 0.05), self.of(0.2, 0.02)
        for (rows, found), wrong in ((good, 0), (bad, 1)):
            pooled = {level: (share, alike) for level, share, alike in peaks.levels(rows, found)}
            found.all = [{"chance": 1}]
            self.assertEqual(len(list(peaks.broken(found, pooled, 85, 95, 97))), wrong)

    def test_published_runs_that_are_not_said_to_fit_fail_the_bar(self):
        _, found = self.of(0.05, 0.05)
        pooled = {level: (share, alike) for level, share, alike in peaks.levels(found.printed, found)}
        for chances, wrong in (([1] * 97 + [0.4] * 3, 0), ([1] * 96 + [0.4] * 4, 1)):
            found.all = [{"chance": c, "line": "a", "table": peaks.runs.FIRST} for c in chances]
            self.assertEqual(len(list(peaks.broken(found, pooled, 85, 95, 97))), wrong)
            self.assertEqual(peaks.fit_table(found)[-1], f"| a | 100 | {sum(c == 1 for c in chances)} | {sum(c == 1 for c in chances):.1f} % |")

    def of(self, first, second):
        found = made_up(printed(first, "a", "x"), printed(second, "b", "y"))
        return found.printed, found


if __name__ == "__main__":
    unittest.main()
