#!/usr/bin/env python3
"""What of tools/train_small.py runs without a GPU and without PyTorch: its table, and that planc reads its plans, measured or not."""

import os
import subprocess
import sys
import tempfile
import unittest

PLANC, ROOT = sys.argv[1], sys.argv[2]
TOOLS = os.path.join(ROOT, "tools")
sys.path.insert(0, TOOLS)

import train_small  # noqa: E402
from sampling import small_models  # noqa: E402


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


class Plans(unittest.TestCase):
    def planc(self, text, command):
        with tempfile.NamedTemporaryFile("w", suffix=".plan") as file:
            file.write(text)
            file.flush()
            return run(PLANC, *command, file.name)

    def test_are_checked_formatted_and_count_the_parameters(self):
        text = small_models.plan_file({r: {} for r in small_models.RUNS}, "h100_sxm5_80gb", "fsdp.torchtitan_eager", "")
        for command in (["check"], ["fmt", "--check"], ["estimate"]):  # estimate asserts the number of parameters
            result = self.planc(text, command)
            self.assertEqual((result.returncode, result.stderr), (0, ""), command)

    def test_measurements_are_held_against_predictions(self):
        values = {"step_ms": 1e4, "peak_bytes": 7e9, "layer_forward_ms": 0.9, "layer_backward_ms": 1.7, "layer_saved_bytes": 1e8}
        text = small_models.plan_file({small_models.RUNS[1]: values}, "h100_sxm5_80gb", "fsdp.torchtitan_eager", "our GPU")
        result = self.planc(text, ["estimate"])
        self.assertEqual(result.returncode, 1, "a step of ten seconds is out of tolerance")
        self.assertIn("PLAN0902", result.stderr)
        self.assertIn("step_time", result.stderr)
        self.assertNotIn("PLAN09", result.stderr.replace("PLAN0902", ""))


class DryRun(unittest.TestCase):
    def test_a_line_per_run(self):
        result = run(sys.executable, "-B", os.path.join(TOOLS, "train_small.py"), "--dry-run")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0], ",".join(train_small.COLUMNS))
        self.assertEqual([line.split(",")[0] for line in lines[1:]], [r.name for r in small_models.RUNS])
        self.assertTrue(all(line.count(",") == len(train_small.COLUMNS) - 1 for line in lines))

    def test_wrong_words_are_refused(self):
        self.assertEqual(run(sys.executable, "-B", os.path.join(TOOLS, "train_small.py"), "--steps", "0").returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
