"""vTrain, VIA-Research/vTrain at f8dda8473a, data/ground_truth_multi.csv: GPT 3.6B, 18.4B, 39.1B and 175B on 64, 256, 512 and 512 A100.

| field | rule |
|---|---|
| recomputation, schedule | full, 1F1B: the repository's validation configurations |
| precision, vocabulary | fp16, 51200; the head of the model is tied |
| network | 800 Gbps per node as the configurations say: 12.5 GB/s per GPU |
| device | A100 SXM 80 GB |
| tensor parallelism | 16 crosses nodes; no sequence parallelism |
| boundary values | sent in slices over the tensor-parallel ranks |
| states | not sharded; gradients reduced in fp16 |
| attention | scores in memory (`megatron_2021`) |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Run, need

TITLE = "vTrain, multi-node measurements."
SOURCES = ("vTrain validation data",)


def run(row):
    layers, hidden, heads, dp, tp, pp, mbs, gbs, gpus, seq = need(row, "layers", "hidden", "heads", "dp", "tp", "pp", "mbs", "gbs", "gpus", "seq")
    return Run(
        name=row["id"].replace("-", "_"), group=f"vTrain {row['params_B']}B", kind="dense",
        model=f"gpt.gpt(layers = {layers}, hidden = {hidden}, heads = {heads}, vocab = 51200, attention = unfused)",
        cluster=f"generic.cluster(gpu = devices.a100_sxm4_80gb, per_node = 8, nodes = {gpus // 8}, intra = fabrics.nvlink3, "
                "intra_bandwidth = 300GB/s, inter = fabrics.hdr, nic = 12.5GB/s)",
        software="megatron.megatron_ds", seq=seq, global_batch=gbs, micro_batch=mbs,
        precision={"compute": "fp16", "grads": "fp32", "reduce": "fp16", "optimizer": "fp32"},
        data=dp, tensor=tp, pipeline=pp, positions=True, scatter=True, recompute="decoder",
        seconds=float(row["value"]), citation="VIA-Research/vTrain at f8dda8473a, data/ground_truth_multi.csv")
