#!/usr/bin/env python3
"""What of tools/sample_gpu.py runs without a GPU and without PyTorch: the shapes, the dry run, the table, and that its columns are
those of docs/calibrate.md."""

import ast
import contextlib
import io
import os
import re
import subprocess
import sys
import unittest

ROOT = sys.argv[1]
TOOLS = os.path.join(ROOT, "tools")
sys.path.insert(0, TOOLS)

import sample_gpu  # noqa: E402
from sampling import shapes  # noqa: E402
from sampling.table import COLUMNS, Table, device_word  # noqa: E402


def run(*arguments, **environment):
    command = [sys.executable, "-B", os.path.join(TOOLS, "sample_gpu.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def documented():
    """Columns that every kind needs and may have, from the two tables of docs/calibrate.md."""
    kinds = {}
    for line in read("docs", "calibrate.md").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0].startswith("`"):
            needs, may = (set(re.findall(r"`(\w+)`", cell)) for cell in cells[2:])
            for kind in re.findall(r"`(\w+)`", cells[0]):
                kinds[kind] = (needs, may)
    return kinds


def every_case():
    cases = [case for group in shapes.GROUPS.values() for case in group()]
    return cases + shapes.collectives(16, 8)


def builders():
    """Operators that sampling/operators.py can build; read, not imported, since it needs PyTorch."""
    tree = ast.parse(read("tools", "sampling", "operators.py"))
    tables = [node for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "BUILDERS"]
    return {key.value for key in tables[0].value.keys}


class Shapes(unittest.TestCase):
    def test_every_case_has_the_columns_of_its_kind(self):
        kinds = documented()
        self.assertIn("gemm", kinds)
        for case in every_case():
            if case.kind:
                needs, may = kinds[case.kind]
                self.assertLessEqual(needs, set(case.extents), case)
                self.assertLessEqual(set(case.extents), needs | may, case)
                self.assertLessEqual(set(case.extents), set(COLUMNS), case)

    def test_every_operator_has_a_builder(self):
        self.assertEqual({case.name for group in shapes.GROUPS.values() for case in group()}, builders())

    def test_no_case_twice(self):
        lines = [(case.name, case.dtype, case.shape()) for case in every_case()]
        self.assertEqual(len(lines), len(set(lines)))

    def test_a_beginning_covers_every_kind(self):
        cases = shapes.spread([case for group in shapes.GROUPS.values() for case in group()])
        self.assertEqual(len(set(map(id, cases))), len(cases))
        every = {(case.name, case.dtype, case.run.get("form")) for case in cases}
        for beginning, at_least in ((len(every), 1), (150, 4), (400, 7)):
            found = [(case.name, case.dtype, case.run.get("form")) for case in cases[:beginning]]
            self.assertGreaterEqual(min(found.count(kind) for kind in every), at_least, beginning)

    def test_more_budget_fills_in(self):
        cases = shapes.spread([case for group in shapes.GROUPS.values() for case in group()])
        turns = [case.turn for case in cases]
        self.assertEqual(turns, sorted(turns))
        for group in set(shapes.GROUPS) - {"layer"}:
            first, later = ([case for case in cases if case.group == group and (case.turn > 0) == more] for more in (False, True))
            self.assertGreater(len(later), len(first), f"{group}: a large budget has more sizes than a small one")

    def test_softmax_is_sampled_by_the_length_of_a_row(self):
        first = [case for case in shapes.softmaxes() if case.turn == 0]
        self.assertGreaterEqual(len({case["row"] for case in first}), 5)
        for length in {case["row"] for case in first}:
            self.assertGreaterEqual(len({case["bytes"] for case in first if case["row"] == length}), 3, length)
        self.assertTrue(all(case["bytes"] == 2 * case["rows"] * case["row"] for case in shapes.softmaxes()))

    def test_one_kernel_is_written_by_the_name_of_an_operator(self):
        for form in shapes.FORMS:
            rows = [(case.name, case.dtype, *case.extents.values()) for case in shapes.written(shapes.norms(), form) if case.kind and case.name == "rms_norm"]
            self.assertEqual(len(rows), sum(case.run.get("form") == form for case in shapes.norms()))

    def test_the_time_of_no_kernel_is_none(self):
        add = shapes.memory("elementwise", "add", 0, 8192, 8192, 3)
        for seconds, nothing in ((0.656e-6, True), (94.3e-6, False)):  # as an H200 has timed it, backward and forward
            self.assertEqual(add.ran_nothing(seconds), nothing)

    def test_nodes_are_filled_in_order(self):
        nodes = {(case.name, case["ranks"], case["nodes"]) for case in shapes.collectives(16, 8)}
        self.assertIn(("all_reduce", 8, 1), nodes)
        self.assertIn(("all_reduce", 16, 2), nodes)
        self.assertIn(("send_recv", 2, 1), nodes)
        self.assertIn(("send_recv", 2, 2), nodes)
        self.assertNotIn(("all_reduce", 8, 2), nodes)


class DryRun(unittest.TestCase):
    def test_lists_samples_and_duration_within_the_budget(self):
        result = run("--dry-run", "--only", "norm", "--only", "attention", "--budget-seconds", "60")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        count, seconds = re.match(r"(\d+) samples, at most (\d+) s", lines[-1]).groups()
        self.assertEqual(int(count), len(lines) - 1)
        self.assertLessEqual(int(seconds), 60)
        self.assertTrue(all(line.startswith(("norm ", "attention ")) for line in lines[:-1]))

    def test_a_larger_budget_has_more_samples(self):
        counts = []
        for budget in ("60", "180", "540"):
            counts.append(int(re.search(r"after the first (\d+) the budget is spent", run("--dry-run", "--budget-seconds", budget).stdout).group(1)))
        self.assertLess(2 * counts[0], counts[1])
        self.assertLess(1.5 * counts[1], counts[2])

    def test_the_default_takes_less_than_ten_minutes(self):
        self.assertLess(int(re.search(r"at most (\d+) s", run("--dry-run").stdout).group(1)), 600)

    def test_ranks_of_torchrun_sample_collectives(self):
        result = run("--dry-run", WORLD_SIZE="4", LOCAL_WORLD_SIZE="4", RANK="0")
        self.assertIn("collective all_to_all bf16 forward", result.stdout)
        self.assertNotIn("gemm", result.stdout)
        self.assertEqual(run("--dry-run", WORLD_SIZE="4", LOCAL_WORLD_SIZE="4", RANK="3").stdout, "")

    def test_wrong_words_are_refused(self):
        for arguments, said in ((["--only", "gem"], "invalid choice"), (["--budget-seconds", "-1"], "no number of seconds"),
                                (["--only", "collective"], "torchrun")):
            result = run(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(said, result.stderr)
        result = run("--only", "gemm", WORLD_SIZE="2", LOCAL_WORLD_SIZE="2")
        self.assertEqual(result.returncode, 2)
        self.assertIn("without torchrun", result.stderr)


class Written(unittest.TestCase):
    def table(self, *rows):
        stream = io.StringIO()
        table = Table(stream, device_word('NVIDIA "H100", 80GB'), {"torch": "2.9", "driver": "570\n.1"})
        for case, seconds in rows:
            table.add(case, seconds)
        return stream.getvalue().splitlines()

    def test_a_line_per_case(self):
        gemm = shapes.gemms()[0]
        lines = self.table((gemm, {"forward": 1e-4, "dgrad": 2e-4, "wgrad": 3e-4}))
        self.assertEqual(lines[1:3], ["# torch: 2.9", "# driver: 570 .1"])
        self.assertEqual(lines[3], ",".join(COLUMNS))
        row = dict(zip(COLUMNS, lines[4].split(",")))
        self.assertEqual((row["kind"], row["device"], row["m"], row["bytes"]), ("gemm", "NVIDIA H100 80GB", str(gemm["m"]), ""))
        self.assertEqual((row["forward_us"], row["backward_us"]), ("100.000", "500.000"))

    def test_backward_needs_every_part(self):
        gemm = shapes.gemms()[0]
        row = dict(zip(COLUMNS, self.table((gemm, {"forward": 1e-4, "dgrad": 2e-4}))[4].split(",")))
        self.assertEqual(row["backward_us"], "")
        self.assertEqual(len(self.table((gemm, {}))), 4)

    def test_layers_are_comments(self):
        line = self.table((shapes.layers()[0], {"forward": 1e-3, "backward": 2e-3}))[4]
        self.assertTrue(line.startswith("# gpt_layer bf16 "), line)

    def test_every_case_fits_the_columns(self):
        rows = [(case, {phase: 1e-3 for phase in case.phases}) for case in every_case()]
        for line in self.table(*rows)[4:]:
            if not line.startswith("#"):
                self.assertEqual(line.count(","), len(COLUMNS) - 1)


class WithoutTorch(unittest.TestCase):
    def test_is_said(self):
        with contextlib.suppress(ImportError):
            import torch  # noqa: F401

            self.skipTest("PyTorch is installed")
        result = run("--only", "norm")
        self.assertEqual(result.returncode, 2)
        self.assertIn("PyTorch is not installed", result.stderr)

    def test_the_files_that_need_it_are_python(self):
        for folder in (TOOLS, os.path.join(TOOLS, "sampling")):
            for name in sorted(os.listdir(folder)):
                if name.endswith(".py"):
                    compile(read(os.path.relpath(os.path.join(folder, name), ROOT)), name, "exec")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
