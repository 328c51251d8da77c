"""Stas Bekman, stas00/ml-engineering at 744d01e18b, insights/when-to-upgrade-gpus: Llama 3.1 8B with DeepSpeed on eight H200 and B200, 8k to 256k tokens.

| field | rule |
|---|---|
| step time | model FLOPs of benchmark.py (matrix products: 6 FLOPs per token and per parameter, the embedding's parameters excluded; causal attention: 6 s^2 h L; nothing recomputed) of one sequence / printed rate of a GPU |
| sequence parallelism, batch | none, one sequence per GPU and step: benchmark.py gives every rank its own whole sequence and no accumulation |
| ZeRO-3 rows | parameters, gradients and optimizer sharded, AdamW on the host, layers recomputed, fused kernels of Liger: `ds_config` of benchmark.py |
| ZeRO-2 rows | gradients and optimizer sharded, nothing recomputed or on the host, no Liger: bench_decompose.py |
| precision | bf16, gradients accumulated and reduced in bf16; states in fp32 |
| attention | FlashAttention-3 on H200, -4 on B200 |
| stack | `liger`, on B200 `liger_b200`; rows without Liger are eager: `deepspeed_zero2`, `deepspeed_zero2_b200` |
| machine | one HGX H200 or B200; its network is not used |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Incomplete, Run, need

TITLE = "stas00: Llama 3.1 8B from 8k to 256k tokens."
SOURCES = ("stas00/ml-engineering GPU upgrade study",)

MACHINES = {"H200": "hgx.hgx_h200(nodes = 1)", "B200": "hgx.hgx_b200(nodes = 1)"}


def model_flops(seq, layers, hidden, heads, kv, ffn, vocab):
    """FLOPs of a step of one sequence, as benchmark.py counts them."""
    products = layers * (3 * hidden * ffn + hidden * (2 * hidden + 2 * kv * hidden // heads)) + vocab * hidden
    return 6 * products * seq + 6 * seq**2 * hidden * layers


def run(row):
    layers, hidden, heads, kv, ffn, vocab, seq, gpus, mbs = need(row, "layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "seq", "gpus", "mbs")
    if row["gpu"] not in MACHINES or gpus != 8:
        raise Incomplete(f"a machine of {gpus} {row['gpu']}")
    zero2 = row["sharding"] == "zero2"
    return Run(
        name=row["id"].replace("-", "_"), group=f"stas00, {row['gpu']}", kind="dense",
        model=f"llama.dense(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, ffn = {ffn}, vocab = {vocab})",
        cluster=MACHINES[row["gpu"]], software="fsdp." + ("deepspeed_zero2" if zero2 else "liger") + ("_b200" if row["gpu"] == "B200" else ""), seq=seq, global_batch=mbs * gpus, micro_batch=mbs,
        precision={"compute": "bf16", "grads": "bf16", "optimizer": "fp32"},
        data=gpus, stored="grads" if zero2 else "params", optimizer="adamw" if zero2 else "cpu_adam",
        recompute="" if row["recompute"] == "none" else "decoder",
        seconds=mbs * model_flops(seq, layers, hidden, heads, kv, ffn, vocab) / (float(row["value"]) * 1e12),
        citation="stas00/ml-engineering at 744d01e18b, insights/when-to-upgrade-gpus/README.md")
