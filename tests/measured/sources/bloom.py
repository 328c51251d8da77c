"""BLOOM's tuning log, bigscience-workshop/bigscience at 9e64edec2a, train/tr11-176B-ml/chronicles-prequel.md: 177B to 203B on up to 384 A100 of Jean Zay.

| field | rule |
|---|---|
| layers, heads | if a table prints only size and width, the log's other entries: 80 layers and 96 heads (200B, width 14400, "Best TFLOPs"), 80 layers (187B, width 13824, "48 node contenders") and 64 heads ("all NHEADS=64 (above too)") |
| data parallelism | GPUs / (tensor x pipeline) if the printed degrees do not multiply out |
| vocabulary | 250880: `--pad-vocab-size-to` of tr11-176B-ml.slurm; the head of the model is tied, ALiBi, a norm after the embedding |
| stages | as DeepSpeed balances them: layers / stages, rounded up, the rest in the last stage ("the last stage has 1 block, while the rest have 7"); if the number of layers is not divisible by the number of stages but the number of layers + 2 is, embedding and head count as a layer each (its `--pp-partition-method` names both) |
| schedule | 1F1B of DeepSpeed's pipeline engine; values between stages in slices over the tensor-parallel ranks |
| recomputation | full: `--checkpoint-activations` |
| sharding | optimizer over the data-parallel ranks: ZeRO-1, or its equivalent in the BF16 optimizer |
| gradients | fp16: accumulated and reduced in fp16; bf16: both in fp32 ("Rebalancing layers") |
| attention | scores in memory |
| stack | `bigscience`, the library's Megatron-DeepSpeed with the memory that this log shows; bf16 `bigscience_bf16` |
| network | `std.clusters.jean_zay`: four NVLinks per GPU, four Omni-Path cards of 100 Gbps per node |
| step time | printed: the second iteration of a run |
| memory | nvidia-smi on the fullest GPUs, with CUDA's context and the allocator's memory: `memory.pool`, from `workspace` and `caching` of the stack |
"""
# SPDX-License-Identifier: Apache-2.0
import re

from .common import Run, need, number, stage_lines

TITLE = "BLOOM's tuning log."
SOURCES = ("BLOOM-176B tuning log",)

OF_WIDTH = {"14400": {"layers": "80", "heads": "96"}, "13824": {"layers": "80", "heads": "64"}}  # where a table prints only the size


def layers_per_stage(layers, stages):
    """The layers of every stage, as DeepSpeed balances them."""
    if layers % stages and (layers + 2) % stages == 0:
        each = (layers + 2) // stages
        return [each - 1] + [each] * (stages - 2) + [each - 1]
    each = -(-layers // stages)
    return [max(0, min(each, layers - i * each)) for i in range(stages)]


def run(row):
    row = row if row["layers"] else {**row, **OF_WIDTH.get(row["hidden"], {})}
    layers, hidden, heads, tp, pp, mbs, gbs, gpus, seq = need(row, "layers", "hidden", "heads", "tp", "pp", "mbs", "gbs", "gpus", "seq")
    bf16 = row["precision"].startswith("bf16")
    peak = re.search(r"\bmem=(\d+)GB", row["notes"])
    section = re.search(r'"([^"]+)"', row["provenance"])
    return Run(
        name=row["id"].replace("-", "_"), group="BLOOM, bf16" if bf16 else "BLOOM, fp16", kind="dense",
        model=f"bloom.bloom(layers = {layers}, hidden = {hidden}, heads = {heads}, vocab = 250880, attention = unfused)",
        cluster=f"jean_zay.jean_zay_a100(nodes = {gpus // 8})", software="megatron.bigscience_bf16" if bf16 else "megatron.bigscience", seq=seq, global_batch=gbs, micro_batch=mbs,
        precision={"compute": "bf16", "grads": "fp32", "reduce": "fp32", "optimizer": "fp32"} if bf16
        else {"compute": "fp16", "grads": "fp16", "reduce": "fp16", "optimizer": "fp32"},
        data=number(row, "dp") or gpus // (tp * pp), tensor=tp, pipeline=pp, scatter=True, stored="optimizer", recompute="decoder",
        stages=stage_lines(layers_per_stage(layers, pp), "embed, embed_norm", "norm, head, loss") if pp > 1 else [],
        seconds=float(row["value"]), memory=f"{peak[1]}GiB" if peak else "", counter="memory.pool",
        citation="bigscience-workshop/bigscience at 9e64edec2a, chronicles-prequel.md" + (f", {section[1]}" if section else ""))
