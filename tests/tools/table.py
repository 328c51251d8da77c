#!/usr/bin/env python3
"""planc calibrate reads every line that tools/sample_gpu.py can write: the times of a made-up GPU of 500 TFLOP/s and 2.5 TB/s with 4 us per
kernel come out again."""

import os
import subprocess
import sys
import tempfile
import unittest

PLANC, ROOT = sys.argv[1], sys.argv[2]
sys.path.insert(0, os.path.join(ROOT, "tools"))

from sampling import shapes  # noqa: E402
from sampling.table import Table  # noqa: E402


def seconds(case):
    if case.kind == "collective":
        return 20e-6 + case["bytes"] / (200e9 if case["nodes"] == 1 else 40e9)
    return max(case.flops / 500e12, case.bytes / 2.5e12) + 4e-6


class Written(unittest.TestCase):
    def test_is_read_and_fitted(self):
        cases = [case for group in shapes.GROUPS.values() for case in group()] + shapes.collectives(16, 8)
        with tempfile.TemporaryDirectory() as folder:
            samples, library = os.path.join(folder, "samples.csv"), os.path.join(folder, "library.plan")
            with open(samples, "w", encoding="utf-8") as file:
                table = Table(file, "NVIDIA H100 80GB HBM3", {"torch": "none"})
                for case in cases:
                    table.add(case, {phase: seconds(case) * (1.5 if phase == "backward" else 1) for phase in case.phases})
            result = subprocess.run([PLANC, "calibrate", samples, "-o", library], capture_output=True, text=True, timeout=120)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(subprocess.run([PLANC, "check", library], timeout=60).returncode, 0)
        lines = result.stdout.splitlines()
        self.assertIn(f"{sum(bool(case.kind) for case in cases)} samples", lines[0])
        found = {tuple(line.split()[:3]): line for line in lines}
        self.assertIn("e 50.6 %, f 74.6 %, t0 4 us", found["gemm", "bf16", "forward"])  # 500 of 989 TFLOP/s, 2.5 of 3.35 TB/s
        self.assertIn("2 passes", next(line for line in lines if line.split()[:2] == ["gelu", "forward"]))
        self.assertIn("a 20 us, b 350 GB/s", found["all_reduce", "of", "8"])  # 200 GB/s times 2 · 7 / 8


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
