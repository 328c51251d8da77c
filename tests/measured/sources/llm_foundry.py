"""llm-foundry, mosaicml/llm-foundry at 8c8dd48f72, scripts/train/benchmarking/README.md: MPT 125M to 70B, FSDP.

| field | rule |
|---|---|
| step time | global batch x sequence / (printed tokens per second and GPU x GPUs) |
| data parallelism | all GPUs; micro-batch and batch are printed |
| network | 1600 Gbps per node (A100, printed), 3200 Gbps per node (H100) |
| precision | printed `amp_bf16`, `amp_fp8`, `bf16`; mixed precision DEFAULT keeps and reduces in fp32, PURE reduces in bf16 |
| attention | one kernel: FlashAttention 1 through Triton |
| heads, positions | as the repository's configurations: learned positions, tied table, no biases |

Second table:

| field | rule |
|---|---|
| step time, degrees, precision, model | as in the first table: micro-batch and batch are printed, data parallelism is all GPUs |
| device | A100 of 40 GB, or H100 of 80 GB in runs of 128 and more |
| network | 1600 Gbps per node (A100, printed), 3200 Gbps per node (H100) |
| sharding | printed; `zero2` is FSDP's SHARD_GRAD_OP: gathered parameters stay from forward until backward has read them |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Run, need

TITLE = "llm-foundry: MPT under FSDP."
SOURCES = ("llm-foundry",)


def cluster(row, gpus):
    part = "h100" if "H100" in row["gpu"] else "a100_40gb" if "40GB" in row["gpu"] else "a100"
    return f"mosaicml.mosaicml_{part}(nodes = {gpus // 8})"


def run(row):
    layers, hidden, heads, mbs, gbs, gpus, seq = need(row, "layers", "hidden", "heads", "mbs", "gbs", "gpus", "seq")
    hopper = "H100" in row["gpu"]
    fp8 = "fp8" in row["precision"]
    precision = {"compute": "fp8" if fp8 else "bf16", "params": "fp32", "grads": "fp32", "optimizer": "fp32"}
    if "PURE" in row["notes"]:
        precision["reduce"] = "bf16"
    return Run(
        name=row["id"].replace("-", "_"), group="llm-foundry, " + ("H100 fp8" if fp8 else "H100" if hopper else "A100-40" if "40GB" in row["gpu"] else "A100"), kind="dense",
        model=f"gpt.gpt(layers = {layers}, hidden = {hidden}, heads = {heads}, vocab = {row['vocab']}, dropout = 0.0)",
        cluster=cluster(row, gpus),
        software="fsdp.llm_foundry_h100" if hopper else "fsdp.llm_foundry",
        seq=seq, global_batch=gbs, micro_batch=mbs, precision=precision, data=gpus, stored="params", kept=row["sharding"] == "zero2", positions=True,
        recompute="decoder" if row["recompute"] == "full" else "",
        seconds=gbs * seq / (float(row["value"]) * gpus), citation="mosaicml/llm-foundry at 8c8dd48f72, scripts/train/benchmarking/README.md")
