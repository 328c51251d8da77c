"""MT-NLG, arXiv 2201.11990, section 2.4: 530B on 280 to 420 nodes of Selene, with Megatron-DeepSpeed.

| field | rule |
|---|---|
| degrees | tensor 8, pipeline 35; data parallelism nodes x 8 / 280 |
| micro-batch | 1: vTrain's configuration of this model (config_example.json at f8dda8473a) |
| vocabulary, heads, width | those of 530B in arXiv 2205.05198, Table 3: 51200, 128, 20480 |
| recomputation | full: the paper's FLOPs are those of the hardware |
| schedule | 1F1B of DeepSpeed's pipeline engine; values between stages in slices over the tensor-parallel ranks |
| precision | bf16; gradients accumulated and reduced in fp32: the paper trains in "16-bit bfloat" and counts 20 bytes per parameter, of which four are an fp32 gradient |
| sums over tensor-parallel ranks | sums of the layers travel in fp32: NCCL could not sum bf16 before its release 2.10.3 of July 2021 (NVIDIA/nccl, issue 476), and branches of Megatron-LM of that time cast (EleutherAI/gpt-neox, `fp32_allreduce`). Inferred, since the software is not public |
| states | not sharded |
| attention | scores in memory |
| stack | `deepspeed_pipeline_bf16`, the library's Megatron-DeepSpeed with its pipeline engine and bf16 gradients that separate kernels add to fp32 ones |
| step time | printed |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Run, need, number

TITLE = "MT-NLG 530B."
SOURCES = ("MT-NLG 530B (arXiv 2201.11990)",)


def run(row):
    layers, hidden, heads, dp, tp, pp, gbs, gpus, seq = need(row, "layers", "hidden", "heads", "dp", "tp", "pp", "gbs", "gpus", "seq")
    return Run(
        name=row["id"].replace("-", "_"), group="MT-NLG", kind="dense",
        model=f"gpt.gpt(layers = {layers}, hidden = {hidden}, heads = {heads}, vocab = 51200, attention = unfused)",
        cluster=f"dgx_a100.superpod(nodes = {gpus // 8})", software="megatron.deepspeed_pipeline_bf16",
        seq=seq, global_batch=gbs, micro_batch=number(row, "mbs") or 1,
        precision={"compute": "bf16", "grads": "fp32", "reduce": "fp32", "optimizer": "fp32", "matmul": "fp32", "linear.grad": "fp32"},
        data=dp, tensor=tp, pipeline=pp, positions=True, scatter=True, recompute="decoder",
        seconds=float(row["value"]), citation="arXiv 2201.11990, section 2.4")
