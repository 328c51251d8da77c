"""DLPerf, Oneflow-Inc/DLPerf, report of 2021-05-12: GPT on up to 32 V100 of 16 GB.

The report's second half, Megatron-LM, is priced; OneFlow is a software that std.stacks does not have.

| field | rule |
|---|---|
| step time | global batch / printed sequences per second: the latencies of Megatron-LM/README.md at 01e43de400 |
| micro-batch, heads | the same README's table: 16 heads for widths of 1536, 24 for 2304, 32 for 3072, 12 for 768 |
| recomputation, precision | full, fp16: Megatron-LM/scripts/mutil_perf_pretrain_gpt_dp_mp_pp.sh at 10f7979837 |
| schedule | 1F1B: the script sets no chunks |
| network | one EDR card of 100 Gb/s per node (the README's topology). Its setup has no module for GPUDirect, so what is sent and what is received both pass through the host's memory and share the way there: half of 1.5625 GB/s per GPU |
| attention | scores in memory, a fused softmax (`megatron_2021`) |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Incomplete, Run, need

TITLE = "DLPerf: GPT on V100 with Megatron-LM."
SOURCES = ("OneFlow DLPerf GPT report",)

HEADS = {768: 12, 1536: 16, 2304: 24, 3072: 32}
MICRO_BATCHES = 32  # of the pipelined cases; the others take their batch at once


def run(row):
    if not row["notes"].startswith("Megatron-LM"):
        raise Incomplete("a stack for OneFlow")
    layers, hidden, dp, tp, pp, gbs, gpus, seq = need(row, "layers", "hidden", "dp", "tp", "pp", "gbs", "gpus", "seq")
    per_node = min(8, gpus)
    return Run(
        name=row["id"].replace("-", "_"), group="DLPerf, V100", kind="dense",
        model=f"gpt.gpt(layers = {layers}, hidden = {hidden}, heads = {HEADS[hidden]}, vocab = {row['vocab']}, attention = unfused)",
        cluster=f"generic.cluster(gpu = devices.v100_sxm2_16gb, per_node = {per_node}, nodes = {gpus // per_node}, intra = fabrics.nvlink2, "
                "intra_bandwidth = 150GB/s, inter = fabrics.edr, nic = 0.78125GB/s)",
        software="megatron.megatron_2020", seq=seq, global_batch=gbs, micro_batch=gbs // dp // (MICRO_BATCHES if pp > 1 else 1),
        precision={"compute": "fp16", "grads": "fp32", "reduce": "fp16", "optimizer": "fp32"},
        data=dp, tensor=tp, pipeline=pp, positions=True, recompute="decoder", scatter=True,
        seconds=gbs / float(row["value"]), citation="Oneflow-Inc/DLPerf, reports/GPT/dlperf_gpt_test_report_210512.md")
