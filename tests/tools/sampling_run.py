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
from sampling import shapes  # noqa: E402


def sample(*arguments, **machine):
    """The written lines, and the stand-in."""
    torch = fake_torch.install(**machine)
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
        lines, torch = sample()
        rows = [line for line in lines if line and not line.startswith("#")][1:]
        comments = [line for line in lines if line.startswith(("# gpt_layer", "# rms_norm"))]
        expected = shapes.written([case for group in shapes.GROUPS.values() for case in group()], "eager")
        self.assertEqual(len(rows), sum(bool(case.kind) for case in expected))
        self.assertEqual(len(comments), sum(not case.kind for case in expected))
        self.assertFalse([line for line in lines if "left out" in line], "everything can be built")
        self.assertIn(f"# attention ran in cudnn_attention {len(shapes.attentions())} times", lines)
        self.assertTrue(all(row.split(",")[3] == "Fake GPU" for row in rows), "no commas in the name of a device")
        self.assertGreater(torch.log["captured"], 0)
        self.assertGreater(torch.log["replayed"], torch.log["captured"])

    def test_what_the_gpu_lacks_is_counted(self):
        lines, _ = sample("--only", "gemm", capability=(8, 0))
        fp8 = 3 * sum(case.dtype == "fp8" for case in shapes.gemms())
        self.assertIn(f"# left out, {fp8}: fp8 products need torch._scaled_mm and compute capability 8.9", lines)
        self.assertFalse([line for line in lines if line.startswith("gemm,linear,fp8")])

    def test_backward_of_a_sum_is_the_sum_of_two_gradients(self):
        lines, torch = sample("--only", "elementwise")
        rows = [line.split(",") for line in lines if line.startswith("memory,add,")]
        self.assertTrue(rows and all(row[-1] for row in rows), "a backward time in each")
        self.assertGreater(torch.log["added"], 2 * len(rows), "both directions run the sum")
        add = shapes.memory("elementwise", "add", 0, 8, 8, 3)
        from sampling.operators import make

        for phase in add.phases:
            torch.log.update(added=0, differentiated=0)
            make(add, phase, None)()
            self.assertEqual((torch.log["added"], torch.log["differentiated"]), (1, 0), phase)

    def test_a_direction_that_runs_no_kernel_has_no_time(self):
        lines, _ = sample("--only", "softmax", milliseconds=0.01)
        self.assertFalse([line for line in lines if line.startswith("memory,")])
        self.assertIn("softmax backward: no kernel ran", "".join(lines))

    def test_attention_is_a_fused_kernel_of_the_choice_of_pytorch(self):
        lines, torch = sample("--only", "attention")
        self.assertGreater(torch.log["attended"], 0)
        self.assertEqual(torch.log["attended unfused"], 0)
        self.assertTrue(torch.backends.cuda.math_sdp_enabled(), "as it was")

    def test_one_form_of_a_norm_is_a_row_and_the_other_a_comment(self):
        count = sum(case.name == "rms_norm" for case in shapes.norms()) // 2
        for form, other in (("eager", "fused"), ("fused", "eager")):
            lines, _ = sample("--only", "norm", "--kernels", form)
            self.assertEqual(sum(line.startswith("memory,rms_norm,") for line in lines), count)
            self.assertEqual(sum(line.startswith("# rms_norm") and f"form={other}" in line for line in lines), count)

    def test_the_budget_ends_it(self):
        lines, _ = sample("--budget-seconds", "0.000001")
        self.assertTrue([line for line in lines if line.startswith("# left out") and "--budget-seconds" in line])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
