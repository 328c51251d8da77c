"""torchtitan, pytorch/torchtitan at b5bcd76c66, benchmarks/llama3_h100_202412_torchtitan.md: Llama 3.1 8B and 70B on H100 of 96 GB, 500 W.

| field | rule |
|---|---|
| sequence | 8192 where the table does not print it: the repository's training configurations |
| global batch | micro-batch x data parallelism where it is not printed |
| selective recomputation | about half of a layer's forward (every second product): here every second layer, which redoes as much |
| full recomputation | every layer |
| context parallelism | a ring |
| tensor parallelism | with sequence parallelism; async where printed |
| precision | parameters and reductions in fp32; Float8 where printed |
| compiled | the fused passes of `torchtitan`; without torch.compile `torchtitan_eager` |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Run, need, number

TITLE = "torchtitan: Llama 3.1."
SOURCES = ("torchtitan",)


def run(row):
    layers, hidden, heads, kv, ffn, dp, tp, cp, mbs, gpus = need(row, "layers", "hidden", "heads", "kv_heads", "ffn", "dp", "tp", "cp", "mbs", "gpus")
    seq = number(row, "seq") or 8192
    gbs = number(row, "gbs") or mbs * dp
    software = "torchtitan_async_tp" if "AsyncTP" in row["notes"] else "torchtitan" if "compile" in row["notes"] else "torchtitan_eager"
    return Run(
        name=row["id"].replace("-", "_"), group="torchtitan", kind="dense",
        model=f"llama.dense(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, ffn = {ffn}, vocab = {row['vocab']})",
        cluster=f"generic.cluster(gpu = devices.h100_96gb_500w, per_node = 8, nodes = {gpus // 8}, intra = fabrics.nvlink4, "
                "intra_bandwidth = 450GB/s, inter = fabrics.roce, nic = 50GB/s)",
        software=f"fsdp.{software}", seq=seq, global_batch=gbs, micro_batch=mbs,
        precision={"compute": row["precision"], "params": "fp32", "grads": "fp32", "optimizer": "fp32"},
        data=dp, tensor=tp, context=cp, sequence_parallel=tp > 1, stored="params",
        recompute="decoder" if row["recompute"] == "full" else f"decoder[0:{layers}:2]",
        seconds=gbs * seq / (float(row["value"]) * gpus),
        citation="pytorch/torchtitan at b5bcd76c66, benchmarks/llama3_h100_202412_torchtitan.md")
