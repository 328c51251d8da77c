"""DLPerf, Oneflow-Inc/DLPerf, report of 2021-05-12: GPT on up to 32 V100 of 16 GB, with OneFlow and with Megatron-LM.

| field | rule |
|---|---|
| step time | global batch / printed sequences per second |
| micro-batch, heads | the tables of OneFlow/LanguageModeling/GPT/README.md and Megatron-LM/README.md, which agree: 16 heads for widths of 1536, 24 for 2304, 32 for 3072, 12 for 768 |
| recomputation, precision | full, fp16: `--checkpoint-activations --fp16` in both softwares' scripts |
| schedule | 1F1B: Megatron's script sets no chunks; OneFlow's actors run as soon as their buffers are free, which is the same order |
| network | one EDR card of 100 Gb/s per node (the READMEs' topology), 1.5625 GB/s per GPU. The setup has no module for GPUDirect, so all passes through the host's memory. A ring enters and leaves a node by the two GPUs that share the card's PCIe port (PIX in the topology): what is sent goes up that port to memory, what the card received does, too, and 90 % of half of PCIe 3.0 x16, 7.1 of the card's 12.5 GB/s, are left to collectives. Sends between stages come from all GPUs, most of them by other ports |
| boundary values | sent whole by every rank: in OneFlow a stage's ranks each send what they hold. Megatron-LM at 8aa4619f has no option for it in the script; in slices its runs with eight tensor-parallel ranks would be 17 to 32 % faster than measured |
| gradients | travel in fp16. OneFlow reduces them beside the backward pass, but in the compute stream if tensor-parallel (`nccl_use_compute_stream` in oneflow_gpt/training.py) |
| vocabulary | 51200: padded |
| attention | scores in memory, a fused softmax (`megatron_2021`, `oneflow`) |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Run, need

TITLE = "DLPerf: GPT on V100 with OneFlow and Megatron-LM."
SOURCES = ("OneFlow DLPerf GPT report",)

PREAMBLE = """fabric edr_by_host extends fabrics.edr {
  override nic_efficiency = 57% : "90 % of half a PCIe 3.0 x16 port, 7.1 of the card's 12.5 GB/s"
}
"""

HEADS = {768: 12, 1536: 16, 2304: 24, 3072: 32}
MICRO_BATCHES = 32  # of the pipelined cases; the others take their batch at once


def run(row):
    oneflow = not row["notes"].startswith("Megatron-LM")
    layers, hidden, dp, tp, pp, gbs, gpus, seq = need(row, "layers", "hidden", "dp", "tp", "pp", "gbs", "gpus", "seq")
    per_node = min(8, gpus)
    return Run(
        name=row["id"].replace("-", "_"), group=f"DLPerf {'OneFlow' if oneflow else 'Megatron'}, V100", kind="dense",
        model=f"gpt.gpt(layers = {layers}, hidden = {hidden}, heads = {HEADS[hidden]}, vocab = {row['vocab']}, attention = unfused)",
        cluster=f"generic.cluster(gpu = devices.v100_sxm2_16gb, per_node = {per_node}, nodes = {gpus // per_node}, intra = fabrics.nvlink2, "
                "intra_bandwidth = 150GB/s, inter = edr_by_host, nic = 1.5625GB/s)",
        software="oneflow.oneflow" if oneflow else "megatron.megatron_2021", seq=seq, global_batch=gbs,
        micro_batch=gbs // dp // (MICRO_BATCHES if pp > 1 else 1),
        precision={"compute": "fp16", "grads": "fp32", "reduce": "fp16", "optimizer": "fp32"},
        data=dp, tensor=tp, pipeline=pp, positions=True, recompute="decoder",
        overlap="gradient = 100%" if oneflow and tp > 1 and dp > 1 else "",
        seconds=gbs / float(row["value"]), citation="Oneflow-Inc/DLPerf, reports/GPT/dlperf_gpt_test_report_210512.md")
