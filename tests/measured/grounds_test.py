#!/usr/bin/env python3
# What is known ground, what weighs how much, and what of a run was new: on made-up runs.
# SPDX-License-Identifier: Apache-2.0
import math
import os
import sys
import types
import unittest

sys.dont_write_bytecode = True  # no caches in the tree
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench
import coverage
import distance
import grounds
import left_out
import own_runs
from library import Library


def run(name, stack="te", device="h100_sxm5_80gb", compute="bf16", ranks=8, seq=4096, cluster="dgx_h100.eos(nodes = 1)"):
    return (types.SimpleNamespace(name=name, group=name[0], kind="dense", precision={"compute": compute}, cluster=cluster, data=ranks, tensor=1, context=1,
                                  pipeline=1, seq=seq, model="gpt.gpt3_13b"), ("stacks." + stack, "devices." + device))


def ground(*found):
    """Runs whose publisher is the first letter of their names."""
    made_up = types.SimpleNamespace(runs={}, uses={}, publisher={}, fabric={one.name: "ndr" for one, _ in found})
    for one, uses in found:
        source = one.name[0]
        made_up.runs.setdefault(source, []).append(one)
        made_up.uses.setdefault(source, {})[one.name] = uses
        made_up.publisher[source] = source
    return grounds.Ground(made_up, LIBRARY)


LIBRARY = Library()


class Known(unittest.TestCase):
    def test_one_run_of_another_publisher_must_have_all_five(self):
        base = run("b1")
        for mine, known in ((run("a1"), True), (run("a1", "te_2602"), True), (run("a1", "fms"), False), (run("a1", device="h200_sxm_141gb"), True),
                            (run("a1", device="a100_sxm4_80gb"), False), (run("a1", compute="fp8"), False), (run("a1", ranks=16), True),
                            (run("a1", ranks=17), False), (run("a1", seq=8192), True), (run("a1", seq=8193), False), (run("a1", ranks=1, seq=1), True)):
            self.assertEqual(ground(mine, base).known("a1"), known, mine)
        self.assertFalse(ground(run("a1"), run("b1", compute="fp8"), run("b2", "fms")).known("a1"))
        self.assertFalse(ground(run("a1"), run("a2")).known("a1"))

    def test_what_is_new_is_told_against_the_family(self):
        base = run("b1")
        for mine, new in ((run("a1"), ()), (run("a1", "fms"), ("family",)),
                          (run("a1", device="a100_sxm4_80gb", cluster="dgx_a100.superpod()"), ("generation", "cluster")),
                          (run("a1", device="h200_sxm_141gb"), ("device",)), (run("a1", compute="fp8", ranks=64), ("type", "ranks")),
                          (run("a1", seq=8193), ("sequence",))):
            self.assertEqual(ground(mine, base).new("a1"), new)


class Kinds(unittest.TestCase):
    def test_the_kinds_of_a_run(self):
        place = ground(run("a1", "liger_b200", "h200_sxm_141gb")).of["a1"]
        self.assertEqual([place[by] for by in grounds.KINDS], ["DeepSpeed ZeRO-3", "fsdp", "h100", "gpt", "ndr", "", "DeepSpeed ZeRO-3 / h100 / a", "DeepSpeed ZeRO-3"])
        self.assertEqual(ground(run("a1")).of["a1"]["base"], "")
        self.assertEqual(grounds.family_of("own_model(layers = 2.5)"), "own_model")

    def test_what_stays_has_nothing_of_what_is_left_out(self):
        found = ground(run("a1"), run("a2", "fms"), run("b1", "fms"), run("b2", "maxtext", "tpu_v4"), run("b3", device="a100_sxm4_80gb"))
        for by, value, stay in (("publisher", "a", ["b1", "b2", "b3"]), ("framework", "Megatron Core", ["a2", "b1", "b2"]), ("generation", "h100", ["b2", "b3"]),
                                ("everything", "Megatron Core / h100 / a", ["b2"])):
            self.assertEqual([o["run"] for o in found.of.values() if found.apart(by, value)(o)], stay, by)

    def test_the_fabric_is_that_of_the_outermost_level_with_ranks(self):
        levels = bench.of_clusters(bench.LEVEL.findall)
        for cluster, ranks, fabric in (("dgx_h100.eos(nodes = 2)", 8, "nvlink4"), ("dgx_h100.eos(nodes = 2)", 9, "ndr"), ("tpu.tpu_v4(x = 4, y = 4, z = 8)", 128, "ici"),
                                       ("mosaicml.mosaicml_a100(nodes = 2)", 16, "roce"), ("nvl72.gb200_nvl72(racks = 2, gpus = 64)", 64, "nvlink5"),
                                       ("generic.cluster(per_node = 4, nodes = 2, intra = fabrics.pcie, inter = by_host)", 8, "edr"), ("two(nodes = 9)", 4, "xgmi")):
            preamble = "fabric by_host extends fabrics.edr {\n}\ncluster two(nodes: int) {\n  level node * 2 {\n    link = fabrics.pcie\n  }\n  level nodes * nodes {\n    link = fabrics.xgmi\n  }\n}\n"
            self.assertEqual(bench.fabric(run("a1", ranks=ranks, cluster=cluster)[0], levels, preamble), fabric, cluster)

    def test_a_stack_of_a_framework_takes_the_facts_of_what_its_oldest_stack_extends(self):
        library = LIBRARY.copy()
        library.set("stacks.fms", "launch", "77us")
        changed = grounds.based(library, "llm-foundry")
        for stack, base, launch in (("llm_foundry_h100", "stacks.fms", "77us"), ("torchtitan_2024_eager", "stacks.fms_h100", library.get("stacks.torchtitan_2024_eager", "launch")),
                                    ("te_2602", None, library.get("stacks.te_2602", "launch"))):
            self.assertEqual(grounds.base_of(library, "stacks." + stack), base)
            self.assertEqual(changed.get("stacks." + stack, "launch"), launch)
        self.assertEqual(changed.get("stacks.llm_foundry", "framework"), '"llm-foundry"')

    def test_errors_of_kinds_weigh_kinds_alike(self):
        rows = [self.row("x", 1.01)] * 3 + [self.row("y", 1.2)]
        table = left_out.kinds(rows)
        self.assertIn("| framework | dense | 4 | 2 | kinds alike | 0.0 % | 1.0 % | 10.5 % | 20.0 % | +10.5 % |", table)
        self.assertIn("| framework | 1.0 % | 10.5 % | 20.0 % | missed |", table)
        self.assertIn("| framework: y | dense | 1 | 1 | 0.0 % | 20.0 % | 20.0 % | 20.0 % | +20.0 % |", table)

    def test_recorded_kinds_have_constants(self):
        names = ["a"] + [left_out.name_of(by, "x") for by in grounds.KINDS]
        self.assertEqual(left_out.lacking([self.row("x", 1)], names), [])
        self.assertEqual(left_out.lacking([self.row("y", 1)], names)[0], "framework y: no constants were fitted without it")

    def row(self, kind, ratio):
        return {by: kind for by in grounds.KINDS} | {left_out.without(by): ratio for by in grounds.KINDS} | {
            "publisher": "a", "kind": "dense", "shipped": 1, "refitted": 1}


class Weights(unittest.TestCase):
    def test_publishers_weigh_alike(self):
        self.assertEqual(grounds.weights(["a", "b", "b"]), [0.5, 0.25, 0.25])
        figures = grounds.figures([10, -1, -1, -1], ["a", "b", "b", "b"])
        for what, value in (("mean", 5.5), ("bias", 4.5), ("median", 1), ("p90", 10)):
            self.assertAlmostEqual(figures[what], value)
        self.assertEqual(grounds.figures([10, -1, -1, -1])["mean"], 3.25)

    def test_a_quantile_holds_its_share_of_the_weight(self):
        self.assertEqual(grounds.quantile([3, 1, 2], [1, 1, 1], 0.5), 2)
        self.assertEqual(grounds.quantile([3, 1, 2], [8, 1, 1], 0.5), 3)


class Recorded(unittest.TestCase):
    def row(self, shipped, line="x"):
        return {"publisher": "a", "line": line, "shipped": shipped, "left_out": shipped, "known": 1, "kind": "dense"}

    def test_a_line_that_moved_or_grew_is_stale(self):
        rows = [self.row(1.05), self.row(0.95)]
        self.assertEqual(left_out.stale(rows, {"x": {"mean": 5.0, "n": 2}}), [])
        self.assertEqual(len(left_out.stale(rows, {"x": {"mean": 9.0, "n": 2}})), 1)
        self.assertEqual(len(left_out.stale(rows, {"x": {"mean": 5.0, "n": 3}})), 1)
        self.assertEqual(len(left_out.stale(rows, {"x": {"mean": 5.0, "n": 2}, "y": {"mean": 5.0, "n": 2}})), 1)
        self.assertEqual(left_out.stale(rows, {"x": {"mean": 5.0, "n": 2}, "all dense runs": {"mean": 5.0, "n": 2}, "x, memory": {"mean": 5.0, "n": 2}}), [])

    def test_targets_are_of_sources_that_weigh_alike(self):
        rows = [self.row(1.01), self.row(1.01), self.row(1.01), {**self.row(1.2), "publisher": "b"}]
        table = left_out.targets(rows)
        self.assertIn("| dense runs on known ground, mean | 6 % | 10.5 % | 5.8 % | 10.5 % | missed |", table)


class Parts(unittest.TestCase):
    def test_variances_of_what_was_new_add_up(self):
        errors = (("", 0.1), ("type", 0.2), ("type+ranks", 0.3), ("ranks", math.sqrt(0.06)))
        rows = [{"publisher": p, "left_out": math.exp(-off), "new": new} for p in "ab" for new, off in errors]
        found = distance.parts(rows)
        for what, variance in (("nothing", 0.01), ("type", 0.03), ("ranks", 0.05)):
            self.assertAlmostEqual(found[what], variance, places=6)

    def test_a_part_below_nothing_is_none(self):
        self.assertNotIn("type", distance.parts([{"publisher": "a", "left_out": math.exp(-off), "new": new} for new, off in (("", 0.2), ("type", 0.1))]))


class Widths(unittest.TestCase):
    def test_a_term_of_one_end_moves_that_end(self):
        terms = [{"share": 0.5, "error": 0.2, "ends": ends} for ends in ("either", "slower")]
        halves = {-1: coverage.Z * 0.1, 1: coverage.Z * math.sqrt(0.02)}
        interval = {"terms": terms, "runs_low": 0.97, "runs_high": 1.04, "low": math.exp(-math.hypot(math.log(0.97), halves[-1])),
                    "high": math.exp(math.hypot(math.log(1.04), halves[1]))}
        for side, half in coverage.width(interval).items():
            self.assertAlmostEqual(half, halves[side])


class Newness(unittest.TestCase):
    def rows(self, error):
        """Twenty runs of one kind, off by 1 to 20 %, whose interval has a half-width of 4 % and the term of a stack without runs."""
        terms = [{"what": "no run of stack `x`", "share": 1, "error": error, "ends": "either"}, {"what": "no run in fp8 on device `y`", "share": 1, "error": 0.01, "ends": "either"}]
        half = math.sqrt(0.04 ** 2 + sum((coverage.Z * term["error"]) ** 2 for term in terms))
        return [{"by": "framework", "kind": "dense", "of": "x", "off": k / 100, "below": half, "above": half, "interval": {"terms": terms}} for k in range(1, 21)]

    def test_what_a_stack_without_runs_adds_holds_nine_of_ten_whatever_it_says_now(self):
        for error in (0, 0.1):
            (what, runs, kinds, found), = coverage.newness(self.rows(error))
            self.assertEqual((what, runs, kinds), ("framework, dense", 20, 1))
            self.assertAlmostEqual(coverage.Z * found, math.sqrt(0.18 ** 2 - 0.04 ** 2 - (coverage.Z * 0.01) ** 2))

    def test_a_value_leaves_its_share_of_the_weight_beyond(self):
        self.assertEqual(coverage.exceeded([(3, 1), (1, 1), (2, 2)], 0.25), 2)
        self.assertEqual(coverage.exceeded([(3, 1), (1, 1), (2, 2)], 0.2), 3)


class Given(unittest.TestCase):
    def test_three_runs_are_spread_over_the_others(self):
        for count in range(own_runs.LEAST, 40):
            self.assertEqual(len(set(own_runs.chosen(list(range(count))))), 3)
        self.assertEqual(own_runs.chosen(list(range(9))), [1, 4, 7])


class Owners(unittest.TestCase):
    def test_stacks_with_one_accuracy_are_one(self):
        library = LIBRARY.copy()
        parent = next(p for s, p in library.parents.items() if s == "stacks.te_ub")
        self.assertEqual(coverage.owner(library, "stacks.te_ub"), coverage.owner(library, parent))
        library.set("stacks.te_ub", "accuracy.low", "0.5")
        self.assertEqual(coverage.owner(library, "stacks.te_ub"), "stacks.te_ub")


if __name__ == "__main__":
    unittest.main()
