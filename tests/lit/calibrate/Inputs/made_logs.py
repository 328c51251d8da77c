"""Writes an output of nccl-tests and a trace of PyTorch's profiler, plain and compressed, of a made-up GPU whose constants the fit must find:
collectives of 15 us + bytes over 370 GB/s, products at 72 % of the peak after 3.5 us, GELU of two passes at 85 % of the memory's
bandwidth after 3 us.

Usage: made_logs.py FOLDER
"""
import gzip
import json
import os
import sys

NAME, PEAK, MEMORY = "NVIDIA H100 80GB HBM3", 989e12, 3.35e12


def nccl_log():
    out = ""
    for ranks, program, factor in ((8, "all_reduce", 2 * 7 / 8), (4, "all_reduce", 2 * 3 / 4), (8, "all_gather", 7 / 8)):
        out += f"# Collective test starting: {program}_perf\n# Using devices\n"
        for i in range(ranks):
            out += f"#  Rank {i:2} Group  0 Pid {4000 + i} on gpu-000 device  {i} [0000:1{i}:00] {NAME}\n"
        out += "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
        out += "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
        for size in (2**power for power in range(12, 31)):
            time = 15 + size * factor / 370e3
            rate = size / time * 1e-3
            columns = f"{time:8.2f} {rate:7.2f} {rate * factor:7.2f}      0"
            out += f"{size:12} {size // 2:13}  bfloat16     sum      -1 {columns} {columns}\n"
    return out


def trace():
    events = []

    def run(name, dims, types, microseconds):
        number, begin = len(events), 100.0 * len(events)
        arguments = {"External id": number, "Input Dims": dims, "Input type": types}
        events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": begin, "dur": 50, "args": arguments})
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": begin + 5, "dur": 3,
                       "args": {"correlation": number}})
        events.append({"ph": "X", "cat": "kernel", "name": "kernel", "pid": 0, "tid": 7, "ts": begin + 60, "dur": microseconds,
                       "args": {"correlation": number, "stream": 7}})

    for m in (1024, 2048, 4096, 8192, 16384):
        for n, k in ((1024, 1024), (4096, 1024), (4096, 4096), (12288, 4096), (16384, 4096), (4096, 16384)):
            run("aten::mm", [[m, k], [k, n]], ["c10::BFloat16"] * 2, 3.5 + 2e6 * m * n * k / (0.72 * PEAK))
        for width in (1024, 4096, 8192):
            run("aten::gelu", [[m, width], []], ["c10::BFloat16", ""], 3 + 2e6 * 2 * m * width / (0.85 * MEMORY))
    run("aten::copy_", [[4096], [4096]], ["c10::BFloat16"] * 2, 20)
    return json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": NAME}], "traceEvents": events})


with open(os.path.join(sys.argv[1], "nccl.log"), "w", encoding="utf-8") as file:
    file.write(nccl_log())
with open(os.path.join(sys.argv[1], "trace.json"), "w", encoding="utf-8") as file:
    file.write(trace())
with gzip.open(os.path.join(sys.argv[1], "trace.json.gz"), "wt", encoding="utf-8") as file:
    file.write(trace())
