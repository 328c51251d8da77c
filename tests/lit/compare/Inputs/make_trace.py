"""Writes a profile whose kernels take what planc predicts: `planc compare … --format json` of any trace on stdin, the profile on stdout.

Each row of the plan becomes calls of the operator of PyTorch that has its sizes; rows that no operator of PyTorch has become kernels under
`record_function`, named as the plan calls them.

--slow RECORD FACTOR   rows of this record take FACTOR times as long
--host US, --idle US   before a kernel in the middle of the step: time in which it is not launched yet, and in which it is launched and waits
--moves US HIDDEN      an all-reduce of two ranks that runs US, the last HIDDEN of it beside another kernel
--gpus N               kernels on N GPUs
--steps N              steps; default: 3
"""

import argparse
import json
import sys

WIDTH = 2  # bytes of bf16, in which the plan computes
FORWARD = {"passes.rms_norm": "aten::_fused_rms_norm", "passes.add": "aten::add", "calibration.lookup": "aten::embedding"}
BACKWARD = {"passes.rms_norm": "aten::_fused_rms_norm_backward", "passes.add": "aten::add"}


def call(row):
    """The operator of PyTorch of a row, and the extents of its operands; nothing if there is none."""
    record, backward = row["record"], row["pass"] == "backward"
    numbers = [int(word) for word in (row["size"] or "").replace(",", "").split() if word.isdigit()]
    if record == "calibration.gemm":
        wide, narrow, inner = numbers
        return "aten::mm", [[wide, inner], [inner, narrow]]
    if record == "optimizer":
        return "aten::_fused_adamw_", [[[1024]], [[1024]], [[1024]], [[1024]]]
    names = BACKWARD if backward else FORWARD
    if record not in names:
        return None
    elements = numbers[0]
    if record == "calibration.lookup":
        return names[record], [[32000, 2048], [elements // 2048]]
    return names[record], [[elements], [elements]]


class Trace:
    def __init__(self):
        self.events, self.ids = [], 0

    def add(self, category, name, thread, at, lasts, **arguments):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "ts": at, "dur": lasts, "args": arguments})

    def kernel(self, name, launched, at, lasts, gpu=0, stream=7, **arguments):
        self.ids += 1
        self.add("cuda_runtime", "cudaLaunchKernel", 1, launched, 1, correlation=self.ids)
        self.add("kernel", name, stream, at, lasts, correlation=self.ids, device=gpu, stream=stream, **arguments)

    def operator(self, row, launched, at, lasts, gpu):
        known = call(row)
        if known is None:  # a mark of the plan's own name
            label = row["of"][0] + (" backward" if row["pass"] == "backward" else "")
            self.add("user_annotation", label, 1, launched - 1, 4)
        else:
            name, dims = known
            if row["pass"] == "backward":
                self.add("cpu_op", "autograd::engine::evaluate_function: Node", 1, launched - 1.5, 5, **{"Sequence number": self.ids})
            self.add("cpu_op", name, 1, launched - 1, 4, **{"Input Dims": dims, "Input type": ["c10::BFloat16"] * len(dims), "External id": self.ids})
        self.kernel("kernel of " + (row["record"] or "a mark"), launched, at, lasts, gpu)


def write(plan, options):
    trace, now = Trace(), 1000.0
    rows = [row for row in plan["operators"] if row["predicted_s"] > 0]
    for number in range(options.steps):
        start, launched, calls = now, now, 0
        at = now + 20
        for row in rows:
            factor = float(options.slow[1]) if options.slow and row["record"] == options.slow[0] else 1
            runs = max(1, round(row["plan_runs"]))
            for _ in range(runs):
                lasts = row["predicted_s"] * 1e6 / runs * factor
                launched += 8
                if calls == 5 and (options.host or options.idle):
                    launched = at + options.host
                    at += options.host + 1 + options.idle
                if calls == 9 and options.moves:
                    moved, hidden = options.moves
                    trace.kernel("ncclDevKernel_AllReduce", launched - 4, at, moved, stream=20, **{
                        "Collective name": "allreduce", "dtype": "BFloat16", "In msg nelems": 1 << 20, "Out msg nelems": 1 << 20,
                        "Group size": 2, "Process Group Ranks": "[0, 1]"})
                    at += moved - hidden
                at = max(at, launched + 2)
                trace.operator(row, launched, at, lasts, calls % options.gpus)
                at += lasts
                calls += 1
        trace.add("user_annotation", f"ProfilerStep#{number}", 1, start, launched + 4 - start)
        now = max(at, launched + 6)
    return {"deviceProperties": [{"id": 0, "name": "NVIDIA H200"}, {"id": 1, "name": "NVIDIA H200"}], "traceEvents": trace.events}


parser = argparse.ArgumentParser()
parser.add_argument("--slow", nargs=2)
parser.add_argument("--host", type=float, default=0)
parser.add_argument("--idle", type=float, default=0)
parser.add_argument("--moves", type=float, nargs=2)
parser.add_argument("--gpus", type=int, default=1)
parser.add_argument("--steps", type=int, default=3)
json.dump(write(json.load(sys.stdin)["plans"][0], parser.parse_args()), sys.stdout)
