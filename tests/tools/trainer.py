#!/usr/bin/env python3
"""What of tools/train_small.py runs without a GPU and without PyTorch: its table, and that planc reads its plans, measured or not."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest

PLANC, ROOT = sys.argv[1], sys.argv[2]
TOOLS = os.path.join(ROOT, "tools")
sys.path[:0] = [TOOLS, os.path.dirname(os.path.abspath(__file__))]

import fake_torch  # noqa: E402
import train_small  # noqa: E402
from sampling import devices, small_models  # noqa: E402


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
            warned = set(re.findall(r"^\S.*warning\[(\w+)\]|^(?:\S.*)?error\[(\w+)\]", result.stderr, re.M))
            self.assertEqual(result.returncode, 0, result.stderr)
            # No run of the library has this stack on H100: the interval says so, and nothing else is to be said.
            self.assertLessEqual(warned, {("PLAN0825", "")} if command == ["estimate"] else set(), result.stderr)

    def test_measurements_are_held_against_predictions(self):
        values = {"step_ms": 1e4, "peak_bytes": 7e9, "layer_forward_ms": 0.9, "layer_backward_ms": 1.7, "layer_saved_bytes": 1e8}
        text = small_models.plan_file({small_models.RUNS[1]: values}, "h100_sxm5_80gb", "fsdp.torchtitan_eager", "our GPU")
        result = self.planc(text, ["estimate"])
        self.assertEqual(result.returncode, 1, "a step of ten seconds is out of tolerance")
        self.assertIn("PLAN0902", result.stderr)
        self.assertIn("step_time", result.stderr)
        self.assertNotIn("PLAN09", result.stderr.replace("PLAN0902", ""))


class Devices(unittest.TestCase):
    def test_are_those_that_planc_finds(self):
        pieces = [piece for listed in devices.names().values() for piece in listed]
        self.assertIn("H200", pieces)
        with tempfile.TemporaryDirectory() as folder:
            for piece in pieces:
                driver_name = f"NVIDIA {piece} rev. 2"
                path = os.path.join(folder, "one.csv")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"kind,name,device,bytes,forward_us\nmemory,add,{driver_name},1048576,50\n")
                first = run(PLANC, "calibrate", path).stdout.splitlines()[:1]
                self.assertEqual(first, [f"{driver_name}, as {devices.device_of(driver_name)}: 1 samples, 0 times left out by the checks"])
        self.assertIsNone(devices.device_of("Fake, GPU"))

    def test_the_longest_piece_counts(self):
        for driver_name, device in (("NVIDIA H200", "h200_sxm_141gb"), ("NVIDIA H200 NVL", "h200_nvl_141gb"), ("NVIDIA A100-PG509-200", "a100_sxm4_40gb"),
                                    ("NVIDIA H100 80GB HBM3", "h100_sxm5_80gb"), ("AMD Instinct MI300X", "mi300x_192gb")):
            self.assertEqual(devices.device_of(driver_name), device)

    def written(self, driver_name, *arguments):
        """Exit status, the plans of a run that measures nothing, and what is said."""
        fake_torch.install(name=driver_name)
        train, train_small.train = train_small.train, lambda options, table: ({small_models.RUNS[0]: {}}, "a stand-in")
        said = io.StringIO()
        try:
            with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
                path = os.path.join(folder, "small.plan")
                status = train_small.main(["--plans", path, *arguments])
                text = run(PLANC, "check", path) if status == 0 else None
                with contextlib.suppress(FileNotFoundError), open(path, encoding="utf-8") as file:
                    return status, file.read(), said.getvalue() + (text.stderr if text else "")
                return status, "", said.getvalue()
        finally:
            train_small.train = train
            for name in [name for name in sys.modules if name == "torch" or name.startswith("torch.")]:
                del sys.modules[name]

    def test_plans_name_the_gpu_that_is_found_and_check(self):
        for driver_name, device in (("NVIDIA H200", "h200_sxm_141gb"), ("NVIDIA A100-PG509-200", "a100_sxm4_40gb")):
            status, plans, said = self.written(driver_name)
            self.assertEqual((status, said), (0, ""))
            self.assertIn(f"device = devices.{device}\n", plans)
        self.assertIn("device = devices.gh200_96gb\n", self.written("NVIDIA H200", "--device", "gh200_96gb")[1])

    def test_a_gpu_that_the_library_lacks_is_said_before_the_training(self):
        status, plans, said = self.written("Fake, GPU")
        self.assertEqual((status, plans), (2, ""))
        self.assertIn("Fake, GPU", said)
        self.assertIn("--device", said)


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
