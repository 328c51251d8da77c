"""Zero Bubble, arXiv 2401.10241, Tables 3 and 4: GPT 1.5B, 6.2B, 14.6B and 28.3B, pipelines of 8, 16 and 32 A100.

| field | rule |
|---|---|
| schedule | printed; ZB-1p and ZB-2p are zero-bubble schedules with as many or twice as many activations in flight as 1F1B |
| stages | the first and the last hold one layer fewer, as printed; interleaved: one layer per chunk, the paper's section 4 |
| step time | samples of a step / (printed samples per second and GPU x GPUs) |
| vocabulary, head | 50304, with a table of its own |
| recomputation | none |
| gradients | accumulated in fp16: the scripts of its repository name no `--accumulate-allreduce-grads-in-fp32` (examples/pretrain_zero_bubble.sh) |
| memory | the printed peak |
| attention, accumulation | scores in memory, accumulation in a separate kernel (`megatron_2021`) |
"""
# SPDX-License-Identifier: Apache-2.0
import re

from .common import Run, need, note, stage_lines

TITLE = "Zero Bubble Pipeline Parallelism, arXiv 2401.10241, Tables 3 and 4."
SOURCES = ("Zero Bubble PP (ICLR24)",)

SCHEDULES = {"1F1B": "one_f_one_b", "1F1B-I": "interleaved_1f1b(chunks = {chunks})", "ZB-1p": "zero_bubble", "ZB-2p": "zero_bubble(in_flight = {twice})"}

# std.models.gpt with a head of its own.
PREAMBLE = """model gpt_untied(layers: int, hidden: int, heads: int, vocab: int) {
  in tokens: [batch, seq] int32 counts seq

  embed    = blocks.embedding(tokens, vocab, hidden)
  position = blocks.learned_positions(embed, p = 0.1)
  decoder * layers with x = position {
    norm1 = blocks.layer_norm(x)
    attn  = blocks.mha(norm1, heads, head = hidden / heads, kernel = unfused, p = 0.1)
    drop1 = blocks.bias_dropout(attn, p = 0.1)
    mid   = x + drop1
    norm2 = blocks.layer_norm(mid)
    mlp   = blocks.feed_forward(norm2, 4 * hidden)
    drop2 = blocks.bias_dropout(mlp, p = 0.1)
    out mid + drop2
  }
  norm = blocks.layer_norm(decoder)
  head = blocks.lm_head(norm, vocab)
  loss = ops.cross_entropy(head, tokens)
}
"""


def run(row):
    layers, hidden, heads, pp, mbs, gbs, gpus, seq = need(row, "layers", "hidden", "heads", "pp", "mbs", "gbs", "gpus", "seq")
    name = note(row, "schedule")
    peak = re.search(r"peak mem GB=([\d.]+)", row["notes"])
    per_stage = (layers + 2) // pp
    chunks = per_stage if name == "1F1B-I" else 1
    counts = [per_stage // chunks] * (pp * chunks)
    counts[0] -= 1
    counts[-1] -= 1
    return Run(
        name=row["id"].replace("-", "_"), group="Zero Bubble", kind="dense",
        model=f"gpt_untied(layers = {layers}, hidden = {hidden}, heads = {heads}, vocab = 50304)",
        cluster=f"hgx.hgx_a100(nodes = {gpus // 8})", software="megatron.megatron_2021",
        seq=seq, global_batch=gbs, micro_batch=mbs, precision={"compute": "fp16", "grads": "fp16", "optimizer": "fp32"},
        pipeline=pp, positions=True, schedule=SCHEDULES[name].format(chunks=chunks, twice=2 * pp),
        stages=stage_lines(counts, "embed, position", "norm, head, loss"),
        seconds=gbs / (float(row["value"]) * gpus), memory=f"{peak[1]}GB" if peak else "", citation=f"arXiv 2401.10241, Table 4: {name}")
