"""fms-fsdp, foundation-model-stack/fms-fsdp at 5a296afe42, README.md: Llama 2 on 128 A100 and 96 H100.

| field | rule |
|---|---|
| global batch | micro-batch x GPUs: no accumulation |
| recomputation | every n-th layer, so that HFU / MFU - 1 is a third of the share of layers that are redone |
| network | as printed per node: 400 Gbps (A100), taken as four ports of 100, and 800 Gbps (H100), as eight; eight GPUs per node |
| vocabulary | 32000, Llama 2's |
| sharding | as printed; hybrid: inside a node |
| precision | parameters in fp32, gathered and reduced in bf16: the repository's policy |
| Llama-34B | 48 layers, width 8192, 64 heads, 8 of keys, 22016: fms_fsdp/utils/config_utils.py at 08d8ae7f5c |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Run, need, note, number

TITLE = "fms-fsdp: Llama 2 under FSDP."
SOURCES = ("IBM fms-fsdp",)

PREAMBLE = """cluster four_ports(gpu: device, nodes: int) {
  device = gpu
  level node * 8 {
    link      = fabrics.nvlink3
    bandwidth = 300GB/s
    latency   = 2us
    topology  = switch
  }
  level nodes * nodes {
    link      = fabrics.hdr
    bandwidth = 6.25GB/s : "400 Gbps per node: foundation-model-stack/fms-fsdp, README.md"
    cards     = 4        : "ports of 100 Gbps"
    latency   = 5us
    topology  = fat_tree(oversubscription = 1)
  }
}

cluster eight_ports(gpu: device, nodes: int) extends hgx.hgx_h100(nodes = nodes) {
  override device = gpu
  nodes { override bandwidth = 12.5GB/s : "800 Gbps per node: foundation-model-stack/fms-fsdp, README.md" }
}
"""

LLAMA_34B = {"layers": "48", "hidden": "8192", "heads": "64", "kv_heads": "8", "ffn": "22016"}


def run(row):
    row = {**row, **LLAMA_34B} if row["model_family"].startswith("Llama-34B") else row
    layers, hidden, heads, kv, ffn, mbs, gpus, seq = need(row, "layers", "hidden", "heads", "kv_heads", "ffn", "mbs", "gpus", "seq")
    again = min(1.0, 3 * (float(note(row, "hfu")) / float(note(row, "mfu")) - 1))
    redone = round(again * layers)
    hopper = "H100" in row["gpu"]
    return Run(
        name=row["id"].replace("-", "_"), group="fms-fsdp", kind="dense",
        model=f"llama.dense(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, ffn = {ffn}, vocab = 32000)",
        cluster=("eight_ports(gpu = devices.h100_sxm5_80gb" if hopper else "four_ports(gpu = devices.a100_sxm4_80gb") + f", nodes = {gpus // 8})",
        software="fsdp.fms_h100" if hopper else "fsdp.fms", seq=seq, global_batch=number(row, "gbs") or mbs * gpus, micro_batch=mbs,
        precision={"compute": "bf16", "params": "fp32", "grads": "fp32", "reduce": "bf16", "optimizer": "fp32"},
        data=gpus, copies=gpus // 8 if row["sharding"] == "hsdp" else 1, stored="params",
        recompute="" if redone == 0 else "decoder" if redone == layers else f"decoder[0:{redone}]",
        seconds=mbs * seq / float(row["value"]), citation="foundation-model-stack/fms-fsdp at 5a296afe42, README.md")
