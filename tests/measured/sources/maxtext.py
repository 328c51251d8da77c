"""MaxText, AI-Hypercomputer/maxtext at e591f30cbb: dense models on up to 32 pods of TPU v5e, Llama 2 7B on H100.

| field | rule |
|---|---|
| step time | FLOPs by the repository's count (three passes over all matrices, full attention) / (printed rate x chips) |
| batch | per device, printed; no accumulation |
| sharding | parameters over the 256 chips of a pod (FSDP), data parallel between pods |
| recomputation | printed: full. Rows that offload to the host are incomplete: plans have no such memory |
| head dimension, vocabulary | 128, 32000: the repository's defaults |
| gradients | travel as the products make them, in bf16: weights are cast before they are used (`kernel = jnp.asarray(kernel, self.dtype)`, layers/linears.py) |
| H100 rows | leave batch and sequence to a file that was not read: incomplete |

Second table: src/maxtext/configs/tpu/v4.

| field | rule |
|---|---|
| step time | FLOPs by the repository's count (as in the first table) / (printed rate x chips) |
| head dimension, feed-forward part, vocabulary | 256, two matrices with ReLU parallel to the attention (one norm), 32768 with one table: the values of configs/base.yml in 2023, when these rates were published; with them the models have the 22 and 52 billion parameters of their names, with the defaults of today 26 and 65 |
| sharding | parameters over a slice, as its script says; data parallel between slices |
| slices | 4 x 4 x 4 chips (v4-128), 4 x 4 x 12 (v4-384) |
| recomputation, batch | printed |
| stack, efficiency | `maxtext`; the efficiency of its products is a constant of v4's own |
"""
# SPDX-License-Identifier: Apache-2.0
import re

from .common import Incomplete, Run, need

TITLE = "MaxText: dense models on TPU v5e and v4."
SOURCES = ("MaxText perf tables",)

POD = 256
SLICES = {64: "x = 4, y = 4, z = 4", 192: "x = 4, y = 4, z = 12"}  # of v4, by chips

# MaxText's own decoder of 2023: AI-Hypercomputer/maxtext, layers.py and configs/base.yml.
PREAMBLE = """model maxtext_2023(layers: int, hidden: int, heads: int, head_dim: int = 256, ffn: int, vocab: int = 32768) {
  in tokens: [batch, seq] int32 counts seq

  embed = blocks.embedding(tokens, vocab, hidden)
  decoder * layers with x = embed {
    norm1 = blocks.rms_norm(x)
    attn  = blocks.self_attention(norm1, heads, kv_heads = heads, head = head_dim)
    mlp   = blocks.feed_forward(norm1, ffn, function = relu, bias = false)
    out x + (attn + mlp)
  }
  norm = blocks.rms_norm(decoder)
  head = blocks.tied_head(norm, table = embed.table)
  loss = ops.cross_entropy(head, tokens)
}
"""


def flops(batch, seq, layers, hidden, heads, kv, head, ffn, vocab, gated=True):
    """Three passes over projections, feed-forward part and head, and full attention."""
    matrices = layers * (hidden * (2 * heads + 2 * kv) * head + (3 if gated else 2) * hidden * ffn) + vocab * hidden
    return 6 * batch * seq * matrices + 12 * batch * layers * seq**2 * heads * head


def run(row):
    mbs, seq, layers, hidden, heads, kv, ffn, gpus = need(row, "mbs", "seq", "layers", "hidden", "heads", "kv_heads", "ffn", "gpus")
    if row["recompute"] != "full":
        raise Incomplete("a memory to offload to")
    v4 = "v4" in row["gpu"]
    pod = int(re.search(r"slice\(s\) x (\d+)", row["notes"])[1]) if v4 else POD
    pods = gpus // pod
    head, vocab = (256, 32768) if v4 else (128, 32000)
    return Run(
        name=row["id"].replace("-", "_"), group="MaxText, TPU " + ("v4" if v4 else "v5e"), kind="dense",
        model=f"maxtext_2023(layers = {layers}, hidden = {hidden}, heads = {heads}, ffn = {ffn})" if v4 else
        f"llama.dense(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, head_dim = 128, ffn = {ffn}, vocab = 32000)",
        cluster=f"tpu.tpu_v4({SLICES[pod]}, slices = {pods})" if v4 else f"tpu.tpu_v5e(slices = {pods})",
        software="jax.maxtext", seq=seq, global_batch=mbs * gpus, micro_batch=mbs,
        precision={"compute": "bf16", "params": "fp32", "grads": "fp32", "reduce": "bf16", "optimizer": "fp32"},
        data=gpus, copies=pods, stored="params", recompute="decoder",
        seconds=flops(mbs * gpus, seq, layers, hidden, heads, kv, head, ffn, vocab, gated=not v4) / (float(row["value"]) * 1e12 * gpus),
        citation=f"AI-Hypercomputer/maxtext at e591f30cbb, src/maxtext/configs/tpu/{'v4' if v4 else 'v5e'}")
