"""AMD Instinct: MLPerf Training 5.0, llama2_70b_lora on MI300X by AMD and MangoBoost; AMD's Primus on MI300X and MI355X.

| field | rule |
|---|---|
| step time | printed: batch / throughput |
| LoRA | rank 16 on the projections of attention, as the benchmark says |
| recomputation | the first 21 layers: `ACG=full`, `ACM=block`, `ACL=21` of config_MI300X_1x8x1.sh, also with 4 nodes |
| precision | products in fp8 with scales of earlier steps (`FP8_AMAX_ALGO=most_recent`), attention in bf16 (`FP8_DPA=0`), frozen weights stored in fp8: in bf16 they and the kept activations do not fit; states in fp32 |
| sequences | whole: packed reports without a mask between them |
| context parallelism | a ring, within a node |
| machine | MI300X: one node as Azure's; four nodes with a card of 400 Gb/s per GPU (not printed), RoCE |
| stack | NeMo with TransformerEngine on ROCm: `te`, whose runs were on NVIDIA devices |
| Primus | batch and sequence are not printed: incomplete |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Run, need, number

TITLE = "AMD: Llama 2 70B LoRA, Primus."
SOURCES = ("MLPerf Training v5.0 llama2_70b_lora (AMD)", "MLPerf Training v5.0 llama2_70b_lora (MangoBoost)", "AMD Primus pipeline blog")


def cluster(nodes):
    if nodes == 1:
        return "azure.nd_mi300x_v5(instances = 1)"
    return (f"generic.cluster(gpu = devices.mi300x_192gb, per_node = 8, nodes = {nodes}, intra = fabrics.xgmi, intra_bandwidth = 448GB/s, "
            "inter = fabrics.roce, nic = 50GB/s)")


def run(row):
    seq, mbs, gbs, gpus = need(row, "seq", "mbs", "gbs", "gpus")
    layers, hidden, heads, kv, ffn, vocab = need(row, "layers", "hidden", "heads", "kv_heads", "ffn", "vocab")
    cp = number(row, "cp") or 1
    return Run(
        name=row["id"].replace("-", "_"), group="MLPerf Llama 2 70B LoRA, MI300X", kind="dense",
        model=f"llama.dense(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, ffn = {ffn}, vocab = {vocab})",
        cluster=cluster(gpus // 8), software="te.te", seq=seq, global_batch=gbs, micro_batch=mbs,
        precision={"compute": "fp8", "frozen": "fp8", "grads": "bf16", "optimizer": "fp32"}, data=gpus // cp, context=cp, stored="optimizer",
        lora="rank = 16; targets = [decoder.attn]", recompute="decoder { first = 21 }", seconds=float(row["value"]),
        citation="mlcommons/training_results_v5.0, " + row["provenance"].partition(":")[2])
