"""NeMo, performance summaries of 24.07, 25.02, 25.04 and 25.07. The rules are those of nvidia.py.

Fine-tuning rows train packed sequences of unprinted lengths: incomplete.
"""
# SPDX-License-Identifier: Apache-2.0
from . import nvidia
from .common import Incomplete

TITLE = "NeMo: performance summaries of releases 24.07 to 25.07."
SOURCES = ("NeMo 24.07 perf summary", "NeMo 25.02 perf summary (doc page)", "NeMo 25.04 perf summary (doc page)", "NeMo 25.07 perf summary (doc page)")


# Layer norms, rotary positions, squared ReLU, no biases, a head of its own: arXiv 2402.16819, section 2.
PREAMBLE = """model nemotron(layers: int, hidden: int, heads: int, kv_heads: int, ffn: int, vocab: int) {
  in tokens: [batch, seq] int32

  embed = blocks.embedding(tokens, vocab, hidden)
  decoder * layers with x = embed {
    norm1 = blocks.layer_norm(x)
    attn  = blocks.self_attention(norm1, heads, kv_heads, head = hidden / heads)
    mid   = x + attn
    norm2 = blocks.layer_norm(mid)
    mlp   = blocks.feed_forward(norm2, ffn, function = relu2, bias = false)
    out mid + mlp
  }
  norm = blocks.layer_norm(decoder)
  head = blocks.lm_head(norm, vocab)
  loss = ops.cross_entropy(head, tokens)
}
"""


def run(row):
    if "packed sequences" in row["notes"]:
        raise Incomplete("the lengths of their packed sequences")
    return nvidia.run(row, "NeMo/Bridge")
