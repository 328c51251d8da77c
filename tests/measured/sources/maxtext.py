"""MaxText, AI-Hypercomputer/maxtext at e591f30cbb: dense models on up to 32 pods of TPU v5e, Llama 2 7B on H100.

| field | rule |
|---|---|
| step time | FLOPs by the repository's count (three passes over all matrices, full attention) / (printed rate x chips) |
| batch | per device, printed; no accumulation |
| sharding | parameters over the 256 chips of a pod (FSDP), data parallel between pods |
| recomputation | printed: full. Rows that offload to the host are incomplete: plans have no such memory |
| head dimension, vocabulary | 128, 32000: the repository's defaults |
| H100 rows | leave batch and sequence to a file that was not read: incomplete |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Incomplete, Run, need

TITLE = "MaxText: dense models on TPU v5e."
SOURCES = ("MaxText perf tables",)

POD = 256


def flops(batch, seq, layers, hidden, heads, kv, head, ffn, vocab):
    """Three passes over projections, gated feed-forward part and head, and full attention."""
    matrices = layers * (hidden * (2 * heads + 2 * kv) * head + 3 * hidden * ffn) + vocab * hidden
    return 6 * batch * seq * matrices + 12 * batch * layers * seq**2 * heads * head


def run(row):
    mbs, seq, layers, hidden, heads, kv, ffn, gpus = need(row, "mbs", "seq", "layers", "hidden", "heads", "kv_heads", "ffn", "gpus")
    if row["recompute"] != "full":
        raise Incomplete("a memory to offload to")
    pods = gpus // POD
    return Run(
        name=row["id"].replace("-", "_"), group="MaxText, TPU v5e", kind="dense",
        model=f"llama.dense(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, head_dim = 128, ffn = {ffn}, vocab = 32000)",
        cluster=f"tpu.tpu_v5e(slices = {pods})", software="jax.maxtext", seq=seq, global_batch=mbs * gpus, micro_batch=mbs,
        precision={"compute": "bf16", "params": "fp32", "grads": "fp32", "optimizer": "fp32"},
        data=gpus, copies=pods, stored="params", recompute="decoder",
        seconds=flops(mbs * gpus, seq, layers, hidden, heads, kv, 128, ffn, 32000) / (float(row["value"]) * 1e12 * gpus),
        citation="AI-Hypercomputer/maxtext at e591f30cbb, src/maxtext/configs/tpu/v5e")
