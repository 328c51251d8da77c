"""torchtitan, pytorch/torchtitan at b5bcd76c66, benchmarks/llama3_h100_202412_torchtitan.md: Llama 3.1 8B and 70B on H100 of 96 GB, 500 W.

| field | rule |
|---|---|
| sequence | 8192 where the table does not print it: the repository's training configurations |
| global batch | micro-batch x data parallelism where it is not printed |
| selective recomputation | of every layer all but attention and every second product: `_save_list` and `selective_ac_option = 'op'` of the training configurations |
| full recomputation | every layer |
| context parallelism | a ring |
| tensor parallelism | with sequence parallelism; async where printed |
| precision | parameters and reductions in fp32; Float8 where printed |
| compiled | the fused passes of `torchtitan`; without torch.compile `torchtitan_2024_eager` |
| memory | the printed peak of what PyTorch's allocator holds, cached blocks too: `memory.pool` |

Second table: benchmarks/asyncTP_llama3_h100_2025-06_torchtitan.md and llama3-8b_h200_202506_trainy-whitefiber.md of the same repository, too.

| field | rule |
|---|---|
| sequence | 8192 if it is not printed (all but two of ten rows): the training configurations |
| global batch | local batch x data parallelism |
| micro-batch of pipelines | the local batch in as many parts as stages: `pipeline_parallel_microbatches` when it is not given |
| stages | the first and the last hold a layer fewer than an even share, with table and head (`generate_split_points`) |
| states of pipelines | not sharded again between micro-batches: parameters are gathered and gradients reduced once per step (`reshard_after_forward` is off with a pipeline), like ZeRO-1 with the gathered copy in bf16 |
| selective recomputation | as in the first table; also if it is blank, as in llama3_8b.toml |
| float8 | "tensorwise" one scale per tensor, taken before each cast; "rowwise" one per row; plain Float8 as in the first table; parameters are gathered in eight bits. With a scale per row, activations are gathered in bf16 and cast after the gather, because only a scale per tensor allows gathers in eight bits (torchao, float8/README.md; its tables run "rowwise with bfloat16 all-gather") |
| device, network | H100 of 96 GB, 500 W; H200: 700 W, one 400 Gb/s card per GPU |
| stack | `torchtitan`, async TP if printed; on H200, too. Runs of 2025 compiled their loss: `torchtitan_2025` |
"""
# SPDX-License-Identifier: Apache-2.0
import re

from .common import Incomplete, Run, need, number, stage_lines

TITLE = "torchtitan: Llama 3.1."
SOURCES = ("torchtitan",)

PREAMBLE = """cluster boards(gpu: device, nodes: int) extends hgx.hgx_h100(nodes = nodes) {
  override device = gpu
  nodes { override link = fabrics.roce }
}
"""
RECIPES = {"fp8 tensorwise": "fp8_tensor", "fp8 rowwise": "fp8_row"}


def stages(layers, pp):
    """How many layers each stage holds: table and head count as one each."""
    share, more = divmod(layers + 2, pp)
    if more:
        raise Incomplete(f"a split of {layers} layers in {pp} stages")
    return [share - 1] + [share] * (pp - 2) + [share - 1]


def micro_batch(row, pp):
    """(micro-batch, samples of a data-parallel rank in a step) of a pipeline, which is given its local batch only."""
    local = re.search(r"local batch (\d+)", row["notes"])
    if not local:
        raise Incomplete("mbs")
    return int(local[1]) // pp, int(local[1])


def run(row):
    layers, hidden, heads, kv, ffn, dp, tp, cp, gpus = need(row, "layers", "hidden", "heads", "kv_heads", "ffn", "dp", "tp", "cp", "gpus")
    pp = number(row, "pp") or 1
    mbs, local = micro_batch(row, pp) if pp > 1 else (need(row, "mbs"),) * 2
    seq = number(row, "seq") or 8192
    gbs = number(row, "gbs") or local * dp
    year = "_2025" if re.search(r"2025-?06", row["provenance"]) else ""
    software = f"torchtitan{year}_async_tp" if "AsyncTP" in row["notes"] else f"torchtitan{year}" if "compile" in row["notes"] else "torchtitan_2024_eager"
    recipe = RECIPES.get(row["precision"], row["precision"])
    peak = re.search(r"\bmem_GiB=([\d.]+)", row["notes"])
    return Run(
        name=row["id"].replace("-", "_"), group="torchtitan" + (", H200" if "H200" in row["gpu"] else ""), kind="dense",
        model=f"llama.dense(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, ffn = {ffn}, vocab = {row['vocab']})",
        cluster=f"hgx.hgx_h200(nodes = {gpus // 8})" if "H200" in row["gpu"] else f"boards(gpu = devices.h100_96gb_500w, nodes = {gpus // 8})",
        software=f"fsdp.{software}", seq=seq, global_batch=gbs, micro_batch=mbs,
        precision={"compute": recipe, **({"cast": "bf16"} if recipe == "fp8_row" and tp > 1 else {}), "params": "bf16" if pp > 1 else "fp32", "grads": "fp32", "optimizer": "fp32"},
        data=dp, tensor=tp, context=cp, pipeline=pp, sequence_parallel=tp > 1, stored="optimizer" if pp > 1 else "params",
        stages=stage_lines(stages(layers, pp), "embed", "norm, head, loss") if pp > 1 else [],
        recompute="decoder" if row["recompute"] == "full" else "decoder { save = [attn.q, attn.v, attn.core, mlp.gate] }",
        seconds=gbs * seq / (float(row["value"]) * gpus), memory=f"{peak[1]}GiB" if peak else "", counter="memory.pool",
        citation="pytorch/torchtitan at b5bcd76c66, " + row["provenance"].partition(":")[2].split(" ")[0])
