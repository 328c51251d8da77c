"""InternEvo, InternLM/InternEvo at c628a8c874, doc/en/train_performance.md: a 7B model on 8 to 1024 A100 with four 100 Gb/s cards per node.

| field | rule |
|---|---|
| architecture | LLaMA's layer with the printed sizes |
| step time | global batch x sequence / (printed tokens per second and GPU x GPUs) |
| optimizer states | sharded over `zero1` ranks: over all data-parallel ranks with -1, else over groups of the printed size, with copies between the groups |
| tensor parallelism | without sequence parallelism: mode `mtp` of configs/7B_sft.py |
| precision | bf16, gradients accumulated and reduced in bf16 in the type of the parameters, states and master copy in fp32: solver/optimizer/hybrid_zero_optim.py |
| overlap | gradients beside the backward pass (`overlap_sync_grad`), new parameters after the step (`overlap_sync_param = False`): configs/7B_sft.py |
| recomputation | printed: none, or whole layers (`checkpoint`) |
| packed samples | one document per sequence: the dataset is not named |
| stack | `internevo`: the times of `nanotron`, which also runs FlashAttention-2 for variable lengths, eager kernels and ZeRO-1 after the step, and its own buckets and memory |
| machine | eight A100 SXM 80 GB per node; four cards of 100 Gb/s, so 6.25 GB/s per GPU, RoCE |
"""
# SPDX-License-Identifier: Apache-2.0
import re

from .common import Incomplete, Run, need

TITLE = "InternEvo: 7B on A100 with RoCE."
SOURCES = ("InternEvo 7B scaling",)

PREAMBLE = """cluster four_cards(gpu: device, nodes: int) extends hgx.hgx_a100(nodes = nodes) {
  override device = gpu
  nodes {
    override bandwidth = 6.25GB/s : "4 x 100 Gb/s for eight GPUs: InternLM/InternEvo, doc/en/train_performance.md"
    cards = 4                     : "as its bandwidth"
  }
}
"""


def run(row):
    layers, hidden, heads, kv, ffn, vocab, seq = need(row, "layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "seq")
    dp, tp, mbs, gbs, gpus = need(row, "dp", "tp", "mbs", "gbs", "gpus")
    group = re.search(r"\bzero1 group=(-?\d+)", row["notes"])
    if not group:
        raise Incomplete("the size of zero1")
    size = int(group[1]) if int(group[1]) > 0 else dp
    return Run(
        name=row["id"].replace("-", "_"), group="InternEvo, A100", kind="dense",
        model=f"llama.dense(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, ffn = {ffn}, vocab = {vocab})",
        cluster=f"four_cards(gpu = devices.a100_sxm4_80gb, nodes = {gpus // 8})",
        software="nanotron.internevo", seq=seq, global_batch=gbs, micro_batch=mbs,
        precision={"compute": "bf16", "grads": "bf16", "optimizer": "fp32"}, data=dp, tensor=tp, copies=dp // min(size, dp), stored="optimizer",
        recompute="decoder" if row["recompute"] == "full" else "",
        seconds=gbs * seq / (float(row["value"]) * gpus), citation="InternLM/InternEvo at c628a8c874, doc/en/train_performance.md")
