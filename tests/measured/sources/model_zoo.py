"""Megatron-MoE-ModelZoo, yanring/Megatron-MoE-ModelZoo at e865051766, best_practice/qwen3/readme.md: Qwen3 235B on 256 H100 and on GB200.

| field | rule |
|---|---|
| architecture | released configuration of the library: 94 layers, 128 experts, 8 of them per token, width of 1536, heads of 128 |
| step time | printed; else from the printed rate: three passes over all matrices that a token meets, attention of the causal half (Megatron Core: the row with 19.7 s and 245 TFLOP/s agrees to 1 %) |
| micro-batch | 1 if it is not printed: runtime_configs/benchmarking/runtime.conf |
| stages | table and head count as a layer each: `account-for-embedding-in-pipeline-split` of model_configs/benchmarking |
| recomputation | printed (norms, activation of experts, experts, whole layers); GB200 at 128k: norms and activation, its command line |
| sequence parallelism | with tensor parallelism |
| states | distributed optimizer; with FSDP the parameters |
| gradients | accumulated and reduced in fp32: `--bf16` alone; with FSDP reduced in bf16: `--grad-reduce-in-bf16` of the commands that Megatron-FSDP's guide recommends |
| optimizer | states in fp32; with mxfp8 moments in bf16 (sbatch_benchmarking.sh) |
| tensor-parallel collectives | beside their products in bf16 (`--tp-comm-overlap`), by the share of `te_ub` |
| routing | balanced, also where a table of H100 does not say so |
| context parallelism | a ring |
| exchange during another micro-batch | none (`A2A_OVERLAP=0`; the printed row without "1f1b overlap") |
| stack | launched kernel by kernel, `te_2602`; the row of GB200 in bf16 with graphs of attention, router and preprocessing, as its command line has them (`--cuda-graph-scope`): `te_2602_graph` |
| fp8 | mxfp8 is one fp8, as in nvidia.py |
| stages without chunks | their sends block, as in nvidia.py |
| experts | over tensor, context and data ranks together, from the inside out: Megatron Core's parallel folding |
| device of 128k tokens in mxfp8 | GB300: the authors moved the row to the table of GB300 (at 020b8136b3) |
"""
# SPDX-License-Identifier: Apache-2.0
import math

from library import Library

from . import nvidia
from .common import Run, need, number

TITLE = "Megatron-MoE-ModelZoo: Qwen3 235B."
PUBLISHER = "nvidia"
SOURCES = ("Megatron-MoE-ModelZoo Qwen3",)

NORMS = "decoder.norm1, decoder.norm2"
# What a printed list, or the command line, recomputes.
RECOMPUTED = {"norm, act": NORMS + ", decoder.moe.act { outputs = true }", "full": "decoder", "": "",
              "selective: layernorm moe": "decoder.moe\n  recompute " + NORMS + " { outputs = true }"}
USER_BUFFERS = Library().get("stacks.te_ub", "inline.activation")


def flops(batch, seq, layers, hidden, heads, kv, head, k, ffn, experts, vocab):
    """Three passes over the matrices that a token meets, and attention of the causal half."""
    matrices = layers * (hidden * (2 * heads + 2 * kv) * head + 3 * k * hidden * ffn + hidden * experts) + vocab * hidden
    return 6 * batch * seq * matrices + 6 * batch * layers * seq**2 * heads * head


def mesh(dp, tp, cp, pp, ep):
    """Axes of a run with context parallelism: the first ranks of the context axis have experts of their own, then those of the data axis."""
    near = math.gcd(ep // tp, cp)
    inner = ep // (tp * near)
    context = f"near = {near}; far = {cp // near}; " if near < cp else f"cp = {cp}; "
    groups = (["cp = [far, near]"] if near < cp else []) + (["dp = [outer, inner]"] if inner > 1 else [])
    experts = [a for a, on in (("inner", inner > 1), ("near" if near < cp else "cp", True), ("tp", tp > 1)) if on]
    data = f"inner = {inner}; outer = {dp // inner}; " if inner > 1 else f"dp = {dp}; "
    return (f"tp = {tp}; " if tp > 1 else "") + context + data + "; ".join([f"pp = {pp}"] + groups + [f"ep = [{', '.join(experts)}]"])


def machine(row):
    """The row, with the device of the authors' later table."""
    return row | {"gpu": "GB300"} if row["gpu"] == "GB200" and number(row, "seq") == 131072 else row


def run(row):
    row = machine(row)
    layers, hidden, heads, kv, vocab, experts, k = need(row, "layers", "hidden", "heads", "kv_heads", "vocab", "moe_experts", "moe_topk")
    tp, pp, cp, ep, gbs, gpus, seq = need(row, "tp", "pp", "cp", "ep", "gbs", "gpus", "seq")
    chunks, fp8, fsdp = number(row, "vp") or 1, "FP8" in row["precision"], "fsdp" in row["sharding"]
    seconds = float(row["value"])
    if row["measured_metric"] == "tflops_per_gpu":
        seconds = flops(gbs, seq, layers, hidden, heads, kv, 128, k, nvidia.EXPERT_WIDTHS[row["model_family"]], experts, vocab) / (seconds * 1e12 * gpus)
    dp = gpus // (tp * pp * cp)
    overlap = (["pipeline = 100%"] if pp > 1 and chunks == 1 else []) + ([f"activation = {USER_BUFFERS}"] if tp > 1 and not fp8 else [])
    return Run(
        name=row["id"].replace("-", "_"), group=f"ModelZoo Qwen3 235B, {nvidia.device(row)}", kind="moe", model="qwen.qwen3_235b_a22b(weigh = activation)",
        cluster=nvidia.cluster(row), software="te.te_2602_graph" if nvidia.device(row) == "GB200" and not fp8 else "te.te_2602", balanced=True,
        seq=seq, global_batch=gbs, micro_batch=number(row, "mbs") or 1,
        precision={"compute": "fp8" if fp8 else "bf16", "grads": "fp32", **({"reduce": "bf16"} if fsdp else {}), "optimizer": "{ m = bf16; v = bf16 }" if fp8 else "fp32"},
        data=dp, tensor=tp, context=cp, pipeline=pp, expert=ep, sequence_parallel=tp > 1, stored="params" if fsdp else "optimizer",
        mesh=mesh(dp, tp, cp, pp, ep) if cp > 1 else "",
        schedule=f"interleaved_1f1b(chunks = {chunks})" if chunks > 1 else "one_f_one_b", overlap="; ".join(overlap),
        stages=nvidia.stages(row, pp * chunks) if pp > 1 else [],
        recompute=RECOMPUTED["norm, act" if fp8 and not row["recompute"] else row["recompute"]], seconds=seconds,
        citation="yanring/Megatron-MoE-ModelZoo at e865051766, best_practice/qwen3/readme.md")
