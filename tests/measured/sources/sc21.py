"""Narayanan et al. 2021 (SC21), arXiv 2104.04473, Table 1: GPT 1.7B to 1T on up to 3072 A100.

| field | rule |
|---|---|
| step time | FLOPs of the paper's equation 3 (full attention, recomputation counted: 4 passes) / (printed rate x GPUs) |
| micro-batch | 4 without a pipeline, else 1 |
| chunks per stage | 2 where the layers divide by 2 x stages, else 1: the paper runs its interleaved schedule |
| recomputation | full |
| boundary values | sent in slices over the tensor-parallel ranks: section 4.1 |
| data parallelism | GPUs / (tensor x pipeline) |
| attention | scores in memory, kernels of 2021 |
| gradients | travel in fp16, accumulate in fp32 |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Run, gpt_flops, need

TITLE = "Narayanan et al. 2021, arXiv 2104.04473, Table 1."
SOURCES = ("Megatron-LM SC21",)


def run(row):
    layers, hidden, heads, tp, pp, gbs, gpus, seq, vocab = need(row, "layers", "hidden", "heads", "tp", "pp", "gbs", "gpus", "seq", "vocab")
    chunks = 2 if pp > 1 and layers % (2 * pp) == 0 else 1
    return Run(
        name=row["id"].replace("-", "_"), group="SC21, Table 1", kind="dense",
        model=f"gpt.gpt(layers = {layers}, hidden = {hidden}, heads = {heads}, vocab = {vocab}, attention = unfused)",
        cluster=f"dgx_a100.superpod(nodes = {gpus // 8})", software="megatron.megatron_2021",
        seq=seq, global_batch=gbs, micro_batch=4 if pp == 1 else 1,
        precision={"compute": "fp16", "grads": "fp32", "reduce": "fp16", "optimizer": "fp32"},
        data=gpus // (tp * pp), tensor=tp, pipeline=pp, positions=True, scatter=True,
        schedule=f"interleaved_1f1b(chunks = {chunks})" if chunks > 1 else "one_f_one_b", recompute="decoder",
        seconds=gpt_flops(gbs, seq, layers, hidden, vocab, 4) / (float(row["value"]) * 1e12 * gpus),
        citation=f"arXiv 2104.04473, Table 1: {row['value']} TFLOP/s")
