"""Rapid-LLM, gkarfakis19/Rapid-LLM at 317a2cbd54, uci_train.csv: Llama 2 7B on four A100 over PCIe, by data, tensor, context and pipeline parallelism.

| field | rule |
|---|---|
| batch, sequence, degrees | printed: 128 samples in micro-batches of one |
| machine | four A100 80 GB PCIe with bridges over pairs: half of the library's node of eight, which stands in the plan. Tensor and context ranks lie across the pairs, stages and copies within: uci_train_validation.py, `TP_ON_NVLINK = False` |
| precision | bf16 throughout, moments too: with fp32 states one copy of the model does not fit a device |
| recomputation | none |
| sharding | `ddp` none, gradients reduced once per step; `zero3/fsdp` the parameters |
| tensor parallelism | without sequence parallelism (`tp_sp = False`) |
| context parallelism | a ring |
| schedule | 1F1B |
| stack | the framework is not printed: PyTorch without torch.compile, `torchtitan_eager` |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Run, need

TITLE = "Rapid-LLM: Llama 2 7B on four A100 over PCIe."
SOURCES = ("RAPID-LLM UCI 4-GPU training runs",)

# Half of std.clusters.pcie.a100_pcie.
PREAMBLE = """cluster a100_pcie_4() {
  device = devices.a100_pcie_80gb : "NVIDIA A100 datasheet, PCIe"
  level pair * 2 {
    link      = fabrics.nvlink3   : "NVIDIA A100 datasheet: NVLink bridge for two cards"
    bandwidth = 300GB/s           : "NVIDIA A100 datasheet, PCIe: 600 GB/s, both directions"
    latency   = 2us               : "nominal: as the fabric's samples"
    topology  = switch            : "two cards"
  }
  level node * 2 {
    link      = fabrics.pcie4     : "PCIe switches and processors"
    bandwidth = 31.5GB/s          : "PCIe 4.0 x16, per direction"
    own_port  = true              : "bridges and slots are different wires"
    latency   = 2us               : "nominal: as the fabric's samples"
    topology  = switch            : "assumption: the samples have the host's wiring in them"
  }
}
"""


def mesh(dp, tp, pp, cp):
    """Axes from the inside out: stages and copies within the pairs if others cross them."""
    inner = ([f"pp = {pp}"] if pp > 1 else []) + [f"dp = {dp}"]
    return "; ".join(inner + ([f"cp = {cp}"] if cp > 1 else []) + ([f"tp = {tp}"] if tp > 1 else []))


def run(row):
    layers, hidden, heads, ffn, vocab, seq = need(row, "layers", "hidden", "heads", "ffn", "vocab", "seq")
    dp, tp, pp, cp, mbs, gbs = need(row, "dp", "tp", "pp", "cp", "mbs", "gbs")
    return Run(
        name=row["id"].replace("-", "_"), group="Rapid-LLM, A100 PCIe", kind="dense",
        model=f"llama.dense(layers = {layers}, hidden = {hidden}, heads = {heads}, ffn = {ffn}, vocab = {vocab})", cluster="a100_pcie_4()",
        software="fsdp.torchtitan_eager", seq=seq, global_batch=gbs, micro_batch=mbs,
        precision={"compute": "bf16", "grads": "bf16", "optimizer": "bf16"}, data=dp, tensor=tp, context=cp, pipeline=pp, mesh=mesh(dp, tp, pp, cp),
        stored="params" if "fsdp" in row["sharding"] else "", seconds=float(row["value"]),
        citation="gkarfakis19/Rapid-LLM at 317a2cbd54, validation_scripts/imec_data/uci_train.csv")
