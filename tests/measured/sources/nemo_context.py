"""NeMo, docs/source/performance/performance_long_sequence.md at 8cfedd7203: Llama 2 7B from 4k to 1M tokens on 4 to 1024 H100, fp8.

The rules of nvidia.py, and

| field | rule |
|---|---|
| micro-batch | 1 |
| step time | from the printed rate: three passes, full attention (the convention of NeMo up to 25.07) |
"""
# SPDX-License-Identifier: Apache-2.0
from . import nvidia
from .common import need

TITLE = "NeMo: Llama 2 7B on long sequences."
PUBLISHER = "nvidia"
SOURCES = ("NeMo long-sequence perf",)


def llama_flops(batch, seq, layers, hidden, ffn, vocab):
    """Three passes over the matrices of a Llama with as many key heads as heads, and full attention."""
    per_token = layers * (4 * hidden**2 + 3 * hidden * ffn) + vocab * hidden
    return 6 * batch * seq * per_token + 12 * batch * layers * seq**2 * hidden


def run(row):
    result = nvidia.run(row, "NeMo", mbs=1)
    layers, hidden, ffn, gbs, gpus, seq = need(row, "layers", "hidden", "ffn", "gbs", "gpus", "seq")
    result.group = "NeMo long sequences, H100"
    result.seconds = llama_flops(gbs, seq, layers, hidden, ffn, 32000) / (float(row["value"]) * 1e12 * gpus)
    return result
