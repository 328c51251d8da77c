"""NVIDIA Megatron-LM, README of 2020 (images/tables.tex at 152aab304d): GPT 1.2B to 8.7B on DGX-2 and DGX A100.

| field | rule |
|---|---|
| sequence, vocabulary, recomputation | 1024, 51200, full: with them the printed rates follow from the printed times by arXiv 2104.04473, equation 3 |
| device | V100 SXM3 of 32 GB and 450 W through NVSwitch, the part of DGX-2H: the README says DGX-2, the page of version 1.0 prints the same four models "in a DGX2-H server", as arXiv 1909.08053 does. A100 of 40 GB: what DGX A100 was sold with in 2020 |
| data parallelism | GPUs / tensor; one micro-batch per step: the batch over it |
| attention | scores in memory, softmax of separate kernels (`megatron_2020`) |
| gradients | reduced in fp16; beside the backward pass in the largest model (`--DDP-impl torch`), behind it in the others: the README's advice for 8.3 billion parameters, and against it for 2.5 and 1.2 |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Run, need

OVERLAPPED = 8  # tensor-parallel ranks of the model whose gradients torch's wrapper reduces
TITLE = "Megatron-LM, README of 2020."
SOURCES = ("Megatron-LM README (2020)",)


def cluster(row, gpus):
    if "V100" in row["gpu"]:
        return f"dgx_v100.dgx2h(nodes = {-(-gpus // 16)})" if gpus % 16 == 0 else one_node("v100_sxm3_32gb_450w", gpus, "nvlink2_switch", "150GB/s", "edr", "6.25GB/s")
    if gpus % 8 == 0:
        return ("generic.cluster(gpu = devices.a100_sxm4_40gb, per_node = 8, "
                f"nodes = {gpus // 8}, intra = fabrics.nvlink3, intra_bandwidth = 300GB/s, inter = fabrics.hdr, nic = 25GB/s)")
    return one_node("a100_sxm4_40gb", gpus, "nvlink3", "300GB/s", "hdr", "25GB/s")


def one_node(device, gpus, intra, rate, inter, nic):
    """A part of one node."""
    return (f"generic.cluster(gpu = devices.{device}, per_node = {gpus}, nodes = 1, intra = fabrics.{intra}, "
            f"intra_bandwidth = {rate}, inter = fabrics.{inter}, nic = {nic})")


def run(row):
    layers, hidden, heads, tp, gbs, gpus = need(row, "layers", "hidden", "heads", "tp", "gbs", "gpus")
    dp = gpus // tp
    return Run(
        name=row["id"].replace("-", "_"), group="Megatron 2020, V100" if "V100" in row["gpu"] else "Megatron 2020, A100", kind="dense",
        model=f"gpt.gpt(layers = {layers}, hidden = {hidden}, heads = {heads}, vocab = 51200, attention = unfused)",
        cluster=cluster(row, gpus), software="megatron.megatron_2020",
        seq=1024, global_batch=gbs, micro_batch=gbs // dp,
        precision={"compute": "fp16", "grads": "fp32", "reduce": "fp16", "optimizer": "fp32"},
        data=dp, tensor=tp, positions=True, recompute="decoder", overlap="gradient = 0%" if tp == OVERLAPPED and dp > 1 else "",
        seconds=float(row["value"]), citation="NVIDIA/Megatron-LM, images/tables.tex at 152aab304d")
