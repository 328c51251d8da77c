"""Korthikanti et al. 2022, arXiv 2205.05198, Tables 3 and 5: GPT 22B to 1T on DGX A100.

| field | rule |
|---|---|
| chunks per stage | printed (3 for 175B and 530B), else 1 |
| boundary values | sent in slices over the tensor-parallel ranks (arXiv 2104.04473, section 4.1); a split stream is sent as it is |
| attention | scores in memory: the paper's subject is not to keep them |
| gradients | accumulated in fp32 by the wgrad product (`megatron_2022`); no data parallelism, so they do not travel |
| selective recomputation | scores, softmax, dropout and their product with the values |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Incomplete, Run, need, number

TITLE = "Korthikanti et al. 2022, arXiv 2205.05198, Tables 3 and 5."
SOURCES = ("Korthikanti 2022",)


def run(row):
    if number(row, "gbs") is None:
        raise Incomplete("micro-batch and batch")
    layers, hidden, heads, dp, tp, pp, mbs, gbs, gpus = need(row, "layers", "hidden", "heads", "dp", "tp", "pp", "mbs", "gbs", "gpus")
    split = row["seq_parallel"] == "yes"
    chunks = number(row, "vp") or 1
    return Run(
        name=row["id"].replace("-", "_"), group="Korthikanti, Table 5", kind="dense",
        model=f"gpt.gpt(layers = {layers}, hidden = {hidden}, heads = {heads}, vocab = {row['vocab']}, attention = unfused)",
        cluster=f"dgx_a100.superpod(nodes = {gpus // 8})", software="megatron.megatron_2022",
        seq=need(row, "seq"), global_batch=gbs, micro_batch=mbs, precision={"compute": "fp16", "grads": "fp32", "optimizer": "fp32"},
        data=dp, tensor=tp, pipeline=pp, sequence_parallel=split, positions=True, scatter=not split,
        schedule=f"interleaved_1f1b(chunks = {chunks})" if chunks > 1 else "one_f_one_b",
        recompute="decoder" if row["recompute"] == "full" else "decoder.attn.core",
        seconds=float(row["value"]), citation="arXiv 2205.05198, Table 5")
