#!/usr/bin/env python3
# Memory and time against nanotron's published runs: writes a plan for each run of the Ultra-Scale Playbook's sweep (and each that ran out of
# memory), prices them in one go and compares allocated memory, the verdict `fits`, step times and the order of the plans by throughput.
# SPDX-License-Identifier: Apache-2.0
"""What the counters mean. A run logs torch.cuda.max_memory_allocated at the end of a step, but in its first steps nanotron resets that counter
between the passes and the optimizer: `log_memory` (huggingface/nanotron 0967c5d, src/nanotron/logging.py) ends with
torch.cuda.reset_peak_memory_stats, and trainer.py calls it behind the batch. So the published `mem_alloc_GB`, in GiB, is the peak of the
optimizer's part of the step on the first stage: it does not grow with activations, as the runs show. It is compared with `step_peak_bytes`. The
verdict needs the peak of the passes; `mem_reserved_GB` is what the allocator held then, cached blocks included: `memory.pool`. It is no limit of
what fits, since the allocator gives free blocks back before it fails: 1.2 of the predicted peak where that is below 40 GiB, 1.05 from 60 on."""
import argparse
import csv
import os
import re
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True  # no caches in the tree
import pricing
from errors import spearman
from regret import regret

class Size:
    """A model of the sweep: the costs of its blocks, by which nanotron cuts stages (models/llama.py, get_block_compute_costs)."""

    def __init__(self, name, layers, hidden, ffn):
        self.model, self.layers, self.hidden, self.ffn = f"common.llama_{name}", layers, hidden, ffn
        self.layer_cost, self.head_cost = 4 * hidden * hidden + 3 * hidden * ffn, 131072 * hidden


SIZES = {"8b": Size("8b", 32, 4096, 14336), "3b": Size("3b", 28, 3072, 8192)}
CLUSTER = "generic.cluster(gpu = common.h100, per_node = 8, intra = fabrics.nvlink4, inter = common.efa, nic = 50GB/s"
GIB = 2**30
HEAD = 'import "common.plan" as common\nimport std.clusters.generic\nimport std.fabrics\nimport std.stacks.nanotron\nimport std.optimizers\n\n'
COMMON = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nanotron_model.plan")


def stages(size, pp):
    """Layers of each stage and the stage of the head: blocks fill a stage until its share of the cost is passed (nanotron, models/base.py,
    build_model). Stages at the end that this leaves empty get one block each, as planc wants work on every stage."""
    costs = [size.layer_cost] * size.layers + [size.head_cost]
    total, done, stage = sum(costs), 0, 0
    owners = []
    for cost in costs:
        owners.append(stage)
        done += cost
        if done > total * (stage + 1) / pp:
            stage += 1
    return [max(owner, pp - len(owners) + block) for block, owner in enumerate(owners)]


def checked(r):
    """Whether the run checked its collectives, by the bandwidths at its start: 425 instead of 458 GB/s for an all-reduce inside a node; on several nodes
    the best of its all-gathers and reduce-scatters took, per GB, 3.5 ms and 0.04 ms per rank, or 0.29 ms per rank."""
    if not r["rates"]:
        return False
    n, (_, gather, scatter, inside) = r["gpus"], r["rates"]
    return inside < 440 if n <= 8 else (n - 1) / n / max(gather, scatter) * 1e3 >= 3.5 + 0.09 * n


def links(r):
    """The rate of links inside a node, which some runs found to be off."""
    return "45GB/s" if r["rates"] and r["rates"][3] < 100 else "450GB/s"


# Host time of a check per rank, in us. Over several nodes: all-gathers of the start take 0.259 ms more per rank from 16 to 32 and 0.276 from 32 to 64 ranks.
# Inside a node, fitted: layers split over 2, 4 and 8 ranks take 8.4, 12.9 and 21.2 ms at least.
CHECK = {"node": 210, "nodes": 268}


def software(r, size=SIZES["8b"]):
    """The stack of a run. Rows without links inside a node come from before the fix of transfers between stages, whatever their job."""
    found = f"bucket = {bucket(size, r)}"
    if checked(r):
        tp, dp, pp = r["tp"], r["dp"], r["pp"]
        once = r["gpus"] + tp * pp + dp + (tp if tp > 1 else 0)  # barrier, clipping, loss, gradients of norms
        found += f", ranks = {once}, check = {CHECK['node' if tp <= 8 else 'nodes']}us"
        found += "" if r["zero1"] else f", reduced = {CHECK['nodes']}us"  # ZeRO-1 reduces by a call that is not checked
        found += ", sleeps = 1" if pp > 1 and (not r["fixed"] or links(r) == "45GB/s") else ""
    return f"common.sweep({found})"


def bucket(size, r):
    """Mean size, in fp32, of DistributedDataParallel's buckets on the first stage: parameters fill one, last first, until it has 25 MiB of bf16
    (torch/csrc/distributed/c10d/reducer.cpp, compute_bucket_assignment_by_size). ZeRO-1 flattens all gradients and all parameters into one."""
    if r["zero1"]:
        return "1TB"
    h, f, tp = size.hidden, size.ffn, r["tp"]
    layer = [f * h, 2 * f * h, h * h, 3 * h * h]
    parameters = layer * max(1, sum(s == 0 for s in stages(size, r["pp"])[:-1])) + [131072 * h]
    full, filled = [], 0
    for p in parameters:
        filled += 2 * p / tp
        if filled >= 25 * 2**20:
            full.append(filled)
            filled = 0
    full += [filled] if filled else []
    return f"{2 * sum(full) / len(full) / 1e6:.1f}MB"


def pipeline(size, pp):
    if pp == 1:
        return ""
    owners = stages(size, pp)
    lines = []
    for s in range(pp):
        mine = [l for l in range(size.layers) if owners[l] == s]
        parts = (["embed"] if s == 0 else []) + ([f"decoder[{mine[0]}:{mine[-1] + 1}]"] if mine else [])
        parts += ["norm", "head", "loss"] if owners[size.layers] == s else []
        lines.append(f"    stage {s} = {', '.join(parts)}")
    return "  pipeline pp {\n    schedule = one_f_one_b\n" + "\n".join(lines) + "\n  }\n"


def read(path):
    rows = []
    with open(path, newline="") as f:
        for r in csv.DictReader(f):
            def note(key, notes=r["notes"]):
                m = re.search(key + r"=([\d.]+)", notes)
                return float(m[1]) if m else None
            found = re.search(r"busbw AR/AG/RS=([\d.]+)/([\d.]+)/([\d.]+) GB/s, intra-node ([\d.]+)", r["notes"])
            row = {k: int(r[k]) for k in ("gpus", "dp", "tp", "pp", "mbs", "gbs", "seq")}
            row.update(id=r["id"].replace("-", "_"), zero1=r["sharding"] == "zero1", alloc=note("mem_alloc_GB"), reserved=note("mem_reserved_GB"),
                       rates=[float(rate) for rate in found.groups()] if found else None, fixed="after_pp_fix=True" in r["notes"],
                       ran=r["measured_metric"] != "oom", tokens=float(r["value"]))
            rows.append(row)
    return rows


def plan(r, size=SIZES["8b"]):
    scattered = r["tp"] > 1  # REDUCE_SCATTER mode: the stream is split by sequence
    place = ["  place {", "    batch -> dp"]
    if scattered:
        place += ["    decoder {", "      seq -> tp", "      attn { heads -> tp }", "      mlp  { ffn -> tp }", "    }", "    norm              { seq -> tp }",
                  "    embed, head, loss { vocab -> tp }"]
    place += ["  }"]
    return (f"plan {r['id']} {{\n  model    = {size.model}\n  cluster  = {CLUSTER}, intra_bandwidth = {links(r)}, nodes = {r['gpus'] // 8})\n"
            f"  software = {software(r, size)}\n"
            f"  train {{ seq = {r['seq']}; global_batch = {r['gbs']}; micro_batch = {r['mbs']}; optimizer = optimizers.adam }}\n"
            "  precision { compute = bf16; grads = fp32; optimizer = fp32 }\n"
            f"  mesh {{ tp = {r['tp']}; dp = {r['dp']}; pp = {r['pp']} }}\n" + "\n".join(place) + "\n" +
            ("  states { optimizer -> dp }\n" if r["zero1"] else "") + pipeline(size, r["pp"]) + "}\n")


def price(planc, rows, common, size=SIZES["8b"]):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "runs.plan")
        with open(common) as f, open(os.path.join(folder, "common.plan"), "w") as g:
            g.write(f.read())
        with open(path, "w") as f:
            f.write(HEAD + "\n".join(plan(r, size) for r in rows))
        report, stderr = pricing.price(planc, path)
    if not report["plans"]:
        sys.exit(stderr)
    print("".join(line + "\n" for line in pricing.mistakes(report)), end="")
    return {p["name"]: p for p in report["plans"]}


def step_times(planc, truth, size="8b"):
    """[(predicted, measured, devices and batch)] of the runs of the sweep, in seconds; empty if the table is absent."""
    path = os.path.join(truth, f"nanotron_{size}.csv")
    if not os.path.exists(path):
        return []
    most = SIZES[size].layers + 2  # with more stages some hold nothing, which planc rejects
    runs = read(path)
    rows = [r for r in runs if r["pp"] <= most]
    if len(rows) < len(runs):
        print(f"{len(runs) - len(rows)} runs with more than {most} stages left out")
    plans = price(planc, rows, COMMON, SIZES[size])
    return [(plans[r["id"]]["totals"]["step_time_s"], r["gbs"] * r["seq"] / r["gpus"] / r["tokens"], (r["gpus"], r["gbs"])) for r in rows]


def loss(pairs):
    """The mean loss, in percent, by the plan that planc ranks first, over all numbers of devices and batches with two runs or more."""
    groups = {}
    for predicted, measured, work in pairs:
        groups.setdefault(work, []).append((None, predicted, measured))
    losses = [regret(found)[0] for found in groups.values() if len(found) > 1]
    print(f"loss by the plan that planc ranks first: mean {statistics.mean(losses):.1f} %, most {max(losses):.1f} % in {len(losses)} groups")
    return statistics.mean(losses)


def other_size(planc, truth):
    """(median error, rank correlation, mean regret) of the step times of the other size, or none without its table."""
    pairs = step_times(planc, truth, "3b")
    if not pairs:
        print("step time of the 3B size: skipped, its table is not there")
        return None
    median, _ = summary("step time of the 3B size", [p / m - 1 for p, m, _ in pairs])
    rank = spearman([p for p, _, _ in pairs], [m for _, m, _ in pairs])
    print(f"its rank correlation {rank:.3f}")
    return median, rank, loss(pairs)


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]


def summary(name, errors):
    errors = [abs(e) for e in errors]
    print(f"{name}: n = {len(errors)}, median error {100 * statistics.median(errors):.1f} %, p90 {100 * quantile(errors, .9):.1f} %")
    return statistics.median(errors), quantile(errors, .9)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("planc")
    parser.add_argument("truth", help="folder that holds nanotron_8b.csv and nanotron_8b_out_of_memory.csv")
    parser.add_argument("--median", type=float, default=8)
    parser.add_argument("--p90", type=float, default=20)
    parser.add_argument("--verdict", type=float, default=0.9, help="least precision and recall of the verdict, of both classes")
    parser.add_argument("--time", type=float, default=6.5, help="largest median error of the step time of either size, in %%")
    parser.add_argument("--rank", type=float, nargs=2, default=(0.955, 0.955), help="least rank correlation of step times, and of tokens per second and device")
    parser.add_argument("--regret", type=float, default=9, help="largest mean loss by the plan that planc ranks first, of either size, in %%")
    parser.add_argument("--rows", help="write one line per run to this file")
    a = parser.parse_args()
    files = [os.path.join(a.truth, f) for f in ("nanotron_8b.csv", "nanotron_8b_out_of_memory.csv")]
    if not all(map(os.path.exists, files)):
        print(f"skipped: {files[0]} is not there")
        return 77
    rows = [r for f in files for r in read(f)]
    plans = price(a.planc, rows, COMMON)
    missing = [r["id"] for r in rows if r["id"] not in plans]
    rows = [r for r in rows if r["id"] in plans]
    ran = [r for r in rows if r["ran"]]
    for r in rows:
        p = plans[r["id"]]
        r["step_peak"] = p["memory"]["stages"][0]["step_peak_bytes"] / GIB
        r["peak"] = p["memory"]["peak_bytes"] / GIB
        r["first"] = p["memory"]["stages"][0]["peak_bytes"] / GIB
        r["pool"] = r["first"] * p["memory"]["pool_bytes"] / p["memory"]["peak_bytes"]
        r["fits"] = p["memory"]["fits"]
        r["step"], r["rate"] = p["totals"]["step_time_s"], p["totals"]["tokens_per_s_per_device"]
    median, p90 = summary("allocated memory of the optimizer's step", [r["step_peak"] / r["alloc"] - 1 for r in ran])
    summary("reserved memory, for information", [r["pool"] / r["reserved"] - 1 for r in ran])
    time, _ = summary("step time", [r["tokens"] / r["rate"] - 1 for r in ran])
    ranks = [spearman([r["step"] for r in ran], [r["gbs"] * r["seq"] / r["gpus"] / r["tokens"] for r in ran]),
             spearman([r["rate"] for r in ran], [r["tokens"] for r in ran])]
    print("rank correlation of step times {:.3f}, of tokens per second and device {:.3f}".format(*ranks))
    lost = loss([(r["step"], r["gbs"] * r["seq"] / r["gpus"] / r["tokens"], (r["gpus"], r["gbs"])) for r in ran])
    other = other_size(a.planc, a.truth)
    cell = {(ran_, fits): sum(r["ran"] == ran_ and r["fits"] == fits for r in rows) for ran_ in (True, False) for fits in (True, False)}
    print("verdict        predicted to fit   predicted not to")
    print(f"ran                    {cell[True, True]:9}          {cell[True, False]:9}")
    print(f"out of memory          {cell[False, True]:9}          {cell[False, False]:9}")
    scores = []
    for what, truth in (("fits", True), ("does not fit", False)):
        right = cell[truth, truth]
        precision, recall = right / max(1, right + cell[not truth, truth]), right / max(1, right + cell[truth, not truth])
        print(f"{what}: precision {precision:.3f}, recall {recall:.3f}")
        scores += [precision, recall]
    if a.rows:
        keys = ("id", "gpus", "dp", "tp", "pp", "mbs", "zero1", "ran", "fits", "alloc", "step_peak", "reserved", "pool", "first", "peak", "tokens", "rate")
        with open(a.rows, "w", newline="") as f:
            csv.writer(f).writerows([keys] + [[r[k] for k in keys] for r in rows])
    if missing:
        print(f"not priced: {len(missing)}, {missing[0]}")
    memory = 100 * median <= a.median and 100 * p90 <= a.p90 and min(scores) >= a.verdict
    times = 100 * time <= a.time and all(found >= least for found, least in zip(ranks, a.rank))
    others = lost <= a.regret and (other is None or 100 * other[0] <= a.time and other[1] >= a.rank[0] and other[2] <= a.regret)
    return 0 if not missing and memory and times and others else 1


if __name__ == "__main__":
    sys.exit(main())
