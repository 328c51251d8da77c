"""Narayanan et al. 2021 (SC21), arXiv 2104.04473, Tables 1 and 2: GPT 1.7B to 1T on up to 3072 A100, and DeepSpeed ZeRO-3 beside it.

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

Second table:

| field | rule |
|---|---|
| step time | as in Table 1; the printed days for 300 billion tokens agree |
| degrees of PTD-P | only the product is printed: tensor 8, the GPUs of a node (section 3.2), pipeline the rest |
| chunks per stage of PTD-P, boundary values | as in Table 1 |
| micro-batch | printed |
| ZeRO-3 | parameters, gradients and optimizer sharded over all GPUs, no other parallelism, nothing on the host |
| recomputation, attention | as in Table 1 |
| stack of ZeRO-3 | `deepspeed_zero3_2021`: the kernels of Megatron-DeepSpeed; every matrix is gathered separately, by a host that waited for the device. Gathers and reductions are not hidden |
| gradients of ZeRO-3 | accumulate and travel in fp16: one micro-batch per step |
"""
# SPDX-License-Identifier: Apache-2.0
import re

from .common import Incomplete, Run, gpt_flops, need, number

TITLE = "Narayanan et al. 2021, arXiv 2104.04473, Tables 1 and 2."
SOURCES = ("Megatron-LM SC21",)


def degrees(row):
    """(tensor, pipeline) of a row, of Table 2 from their product."""
    if number(row, "tp"):
        return need(row, "tp", "pp")
    product = re.search(r"\(tp\*pp\)=(\d+)", row["notes"])
    if not product:
        raise Incomplete("tp and pp")
    return 8, int(product[1]) // 8


def run(row):
    layers, hidden, heads, gbs, gpus, seq, vocab = need(row, "layers", "hidden", "heads", "gbs", "gpus", "seq", "vocab")
    tp, pp = degrees(row)
    second, zero3 = "Table 2" in row["provenance"], row["sharding"] == "zero3/fsdp"
    chunks = 2 if pp > 1 and layers % (2 * pp) == 0 else 1
    return Run(
        name=row["id"].replace("-", "_"), group=f"SC21, Table 2, {'ZeRO-3' if zero3 else 'PTD-P'}" if second else "SC21, Table 1", kind="dense",
        model=f"gpt.gpt(layers = {layers}, hidden = {hidden}, heads = {heads}, vocab = {vocab}, attention = unfused)",
        cluster=f"dgx_a100.superpod(nodes = {gpus // 8})", software="megatron.deepspeed_zero3_2021" if zero3 else "megatron.megatron_2021",
        seq=seq, global_batch=gbs, micro_batch=need(row, "mbs") if second else 4 if pp == 1 else 1,
        precision={"compute": "fp16", "grads": "fp16" if zero3 else "fp32", "reduce": "fp16", "optimizer": "fp32"},
        data=gpus // (tp * pp), tensor=tp, pipeline=pp, positions=True, scatter=True, stored="params" if zero3 else "",
        schedule=f"interleaved_1f1b(chunks = {chunks})" if chunks > 1 else "one_f_one_b", recompute="decoder",
        seconds=gpt_flops(gbs, seq, layers, hidden, vocab, 4) / (float(row["value"]) * 1e12 * gpus),
        citation=f"arXiv 2104.04473, Table {2 if second else 1}: {row['value']} TFLOP/s")
