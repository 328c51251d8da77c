"""Layer times: Megatron-LM's MoE baselines on 8 H100, layers.csv of the truth (tests/functional_tests/test_cases/common/moe_perf/baseline.json
at d98e8a64dd). Table 4 of arXiv 2205.05198 is in korthikanti.plan.

| field | rule |
|---|---|
| what is timed | the MoE layer alone: router, exchange, experts |
| heads | as in the table; attention is not part of the time |
| clocks | of bursts: 25 passes with pauses between them; `devices.h100_sxm5_80gb_burst` |
| gradients of weights | 16-bit and not accumulated: the layer stands outside of the optimizer's buffers, `gradient_accumulation_fusion` is not set |
| exchange | exposed: nothing runs beside the layer. All-to-all sends a row per expert, DeepEP and HybridEP one per device; HybridEP's sizes stay on the device |
"""
# SPDX-License-Identifier: Apache-2.0
import csv
import os

from .common import Run

TITLE = "Times of one MoE layer: Megatron-LM's baselines."
PUBLISHER = "nvidia"
SOURCES = ()

EXPERTS = {"deepseek_proxy": (32, 8), "mixtral_proxy": (8, 2)}
STACKS = {"a2a": "te_layer_a2a", "deepep": "te_layer", "hybridep": "te_layer_hybrid"}


def extra_runs(truth):
    with open(os.path.join(truth, "layers.csv"), newline="") as table:
        return [run(row) for row in csv.DictReader(table) if row["layer_kind"] == "MoE layer"]


def run(row):
    experts, k = EXPERTS[row["model"].split()[0]]
    hidden, heads, seq, mbs = (int(row[n]) for n in ("hidden", "heads", "seq", "mbs"))
    backend = row["variant"].split("_")[1]
    return Run(
        name=row["id"].replace("-", "_"), group="Megatron MoE layers, H100", kind="layer",
        model=f"moe.mixtral(layers = 2, hidden = {hidden}, heads = {heads}, kv_heads = {heads}, head_dim = 128, experts = {experts}, k = {k}, "
              f"ffn = {row['ffn']}, vocab = 32000)",
        cluster="generic.cluster(gpu = devices.h100_sxm5_80gb_burst, per_node = 8, nodes = 1, intra = fabrics.nvlink4, intra_bandwidth = 450GB/s, "
                "inter = fabrics.ndr, nic = 50GB/s)",
        software=f"te.{STACKS[backend]}", seq=seq, global_batch=8 * mbs, micro_batch=mbs,
        precision={"compute": row["precision"], "grads": "fp32", "optimizer": "fp32"}, data=8, expert=int(row["ep"]), stored="optimizer",
        seconds=0, citation="NVIDIA/Megatron-LM at d98e8a64dd, moe_perf/baseline.json",
        measured=(('layer("decoder.moe").forward', row["fwd_ms"] + "ms"), ('layer("decoder.moe").backward', row["bwd_ms"] + "ms")))
