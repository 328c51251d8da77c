"""SimuMax, MooreThreads/SimuMax at 4dcaae513b, docs/b200/b200_release_v1.2_summary.json: layers of Llama 3 70B, 405B and DeepSeek-V2, V3 on eight B200.

| field | rule |
|---|---|
| software | Megatron-LM 23e00ed0 with TransformerEngine 2.11, launched by simu_tools/megatron_scripts at 1b8ca90bec: dense `te`, experts `te_2509`, the library's Megatron Core with equal slots, both with the loss of the row below: `te_eager_loss`, `te_2509_eager_loss` |
| loss | in fp32, step by step: its scripts have no `--cross-entropy-loss-fusion` |
| overlap | none of gradients, parameters and stages' sends: its launch scripts have no `--overlap-grad-reduce`, `--overlap-param-gather`, and the guide names a non-overlap contract |
| tensor parallelism | with sequence parallelism, without user buffers |
| sharding | `--use-distributed-optimizer` |
| gradients | accumulated and reduced in fp32: `--accumulate-allreduce-grads-in-fp32` |
| recomputation | none: `--recompute-num-layers 0` |
| context parallelism | attention heads are exchanged (`cp_comm_type = a2a`) |
| Llama | widths and vocabulary printed; the 405B has 16 key heads here |
| DeepSeek | one dense layer, the rest with experts; no second token; slots of capacity 1; as many groups of experts as expert-parallel ranks, and a token reaches three of the groups (scripts/run_pretrain_deepseekv2.sh); low-rank sizes and widths of V2 and V3 as in the library |
| machine | one HGX B200; its network is not used |
| memory | the printed peak of allocated memory, the largest of all ranks |
"""
# SPDX-License-Identifier: Apache-2.0
import re

from .common import Incomplete, Run, need, number

TITLE = "SimuMax: truncated models on B200."
SOURCES = ("SimuMax B200 v1.2",)

# What the library's DeepSeek models say, with fewer layers: arXiv 2405.04434, section 3.1.2; arXiv 2412.19437, section 4.2.
DEEPSEEK = {"DeepSeekV2": "expert_ffn = 1536, shared_ffn = 3072", "DeepSeekV3": "expert_ffn = 2048, shared_ffn = 2048"}


def model(row):
    """(expression, kind)."""
    layers, hidden, heads, ffn, vocab = need(row, "layers", "hidden", "heads", "ffn", "vocab")
    family = row["model_family"].split()[0]
    if family.startswith("LLAMA3"):
        kv = need(row, "kv_heads")
        return f"llama.dense(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, ffn = {ffn}, vocab = {vocab})", "dense"
    if family in DEEPSEEK:
        experts, k, ep = need(row, "moe_experts", "moe_topk", "ep")
        return (f"deepseek.deepseek(dense_layers = 1, layers = {layers - 1}, hidden = {hidden}, heads = {heads}, dense_ffn = {ffn}, experts = {experts}, "
                f"k = {k}, {DEEPSEEK[family]}, vocab = {vocab}, mtp_depth = 0, groups = {ep}, group_limit = 3, capacity = 1.0)"), "moe"
    raise Incomplete(f"a model for {family}")


def run(row):
    expression, kind = model(row)
    dp, tp, pp, mbs, gbs, gpus, seq = need(row, "dp", "tp", "pp", "mbs", "gbs", "gpus", "seq")
    peak = re.search(r"real peak alloc GiB=([\d.]+)", row["notes"])
    return Run(
        name=row["id"].replace("-", "_"), group=f"SimuMax {kind}, B200", kind=kind, model=expression, cluster=f"hgx.hgx_b200(nodes = {gpus // 8})",
        software="te.te_2509_eager_loss" if kind == "moe" else "te.te_eager_loss", seq=seq, global_batch=gbs, micro_batch=mbs,
        precision={"compute": "bf16", "grads": "fp32", "reduce": "fp32", "optimizer": "fp32"},
        data=dp, tensor=tp, context=number(row, "cp") or 1, pipeline=pp, expert=number(row, "ep") or 1, mla=kind == "moe",
        sequence_parallel=tp > 1, stored="optimizer", context_by="heads",
        overlap="; ".join(["gradient = 100%", "state = 100%"] + ["pipeline = 100%"] * (pp > 1)),
        seconds=float(row["value"]), memory=f"{peak[1]}GiB" if peak else "",
        citation="MooreThreads/SimuMax at 4dcaae513b, docs/b200/b200_release_v1.2_summary.json")
