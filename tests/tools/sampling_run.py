#!/usr/bin/env python3
"""tools/sample_gpu.py from its first line to its last, with a stand-in for PyTorch: every case is built, run, timed and written, and
what cannot be done is counted."""

import contextlib
import io
import os
import sys
import tempfile
import unittest

ROOT = sys.argv[1]
sys.path[:0] = [os.path.join(ROOT, "tools"), os.path.dirname(os.path.abspath(__file__))]

import fake_torch  # noqa: E402


def sample(*arguments, capability=(9, 0)):
    """The written lines, and the stand-in."""
    torch = fake_torch.install(capability)
    for name in [name for name in sys.modules if name.startswith("sampling.") and name not in ("sampling.shapes", "sampling.table")]:
        del sys.modules[name]  # they hold the stand-in of another test
    import sample_gpu

    sample_gpu.seconds_per_phase = lambda cases, budget: 1e-4  # no time is spent on warming nothing up
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
        path = os.path.join(folder, "samples.csv")
        assert sample_gpu.main([*arguments, "--output", path]) == 0
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines(), torch


class Run(unittest.TestCase):
    def test_every_case_is_a_line(self):
        from sampling import shapes

        lines, torch = sample()
        rows = [line for line in lines if line and not line.startswith("#")][1:]
        comments = [line for line in lines if line.startswith("# gpt_layer")]
        expected = [case for group in shapes.GROUPS.values() for case in group()]
        self.assertEqual(len(rows), sum(bool(case.kind) for case in expected))
        self.assertEqual(len(comments), sum(not case.kind for case in expected))
        self.assertFalse([line for line in lines if "left out" in line], "everything can be built")
        self.assertTrue(all(row.split(",")[3] == "Fake GPU" for row in rows), "no commas in the name of a device")
        self.assertGreater(torch.log["captured"], 0)
        self.assertGreater(torch.log["replayed"], torch.log["captured"])

    def test_what_the_gpu_lacks_is_counted(self):
        from sampling import shapes

        lines, _ = sample("--only", "gemm", capability=(8, 0))
        fp8 = 3 * sum(case.dtype == "fp8" for case in shapes.gemms())
        self.assertIn(f"# left out, {fp8}: fp8 products need torch._scaled_mm and compute capability 8.9", lines)
        self.assertFalse([line for line in lines if line.startswith("gemm,linear,fp8")])

    def test_the_budget_ends_it(self):
        lines, _ = sample("--budget-seconds", "0.000001")
        self.assertTrue([line for line in lines if line.startswith("# left out") and "--budget-seconds" in line])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
