"""Writes a trace of PyTorch's profiler without shapes: all-reduces of 8 ranks that take 30 us + bytes on the wire over 230 GB/s, the first
of each size waits for its peers. With a second argument a product runs beside them, of which nothing is known.

Usage: made_messages.py PART [PRODUCT_US]
"""
import json
import sys

RANKS = 8
events = []


def run(name, kernel, microseconds, more):
    number, begin = len(events), 1e5 * len(events)
    events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": begin, "dur": 50, "args": {"External id": number, **more}})
    events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": begin + 5, "dur": 3,
                   "args": {"correlation": number}})
    events.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": begin + 60, "dur": microseconds,
                   "args": {"correlation": number, **more}})


for elements in (1 << 20, 1 << 22, 1 << 24, 1 << 26):
    time = 30 + 4 * elements * 2 * (RANKS - 1) / RANKS / 230e3
    message = {"Collective name": "allreduce", "In msg nelems": elements, "Out msg nelems": elements, "Group size": RANKS, "dtype": "Float",
               "Process Group Ranks": str(list(range(RANKS)))}
    for waited in (400, 0, 15):
        run("record_param_comms", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", time + waited, message)
if len(sys.argv) > 2:
    run("aten::mm", "gemm", float(sys.argv[2]), {})
devices = [{"id": i, "name": sys.argv[1]} for i in range(RANKS)]
print(json.dumps({"schemaVersion": 1, "deviceProperties": devices, "traceEvents": events}))
