"""One H200, measured for this project on 2026-11-27: Llama of Hugging Face, and the decoders of tools/train_small.py, in eager PyTorch 2.11.

| field | rule |
|---|---|
| step time, memory | medians of steps, peak of `torch.cuda.max_memory_allocated` |
| precision | weights, gradients and states in bf16; the loss in fp32 |
| optimizer | AdamW, fused |
| stack | `torchtitan_eager` for `LlamaForCausalLM`; `eager_fused_norms` for the decoders, which had torch.nn.functional.rms_norm on that day |
| recomputation | every layer, if the row has it |
| groups | steps above and below 100 ms: the host's launches take most of the short steps |
"""
# SPDX-License-Identifier: Apache-2.0
from .common import Run, need

TITLE = "One H200, measured for this project."
SOURCES = ("one H200", "one H200, tools/train_small.py")  # runs.ONE_SOURCE
PREAMBLE = """cluster one {
  device = devices.h200_sxm_141gb
  level node * 1 { link = fabrics.nvlink4; bandwidth = 450GB/s; latency = 2us; topology = switch }
}"""


def run(row):
    layers, hidden, heads, ffn, vocab, seq = need(row, "layers", "hidden", "heads", "ffn", "vocab", "seq")
    hugging_face = "checkpointing" in row
    batch = need(row, "micro_batch" if hugging_face else "batch")
    kv = need(row, "kv_heads") if hugging_face else heads
    recomputed = row["checkpointing"] == "1" if hugging_face else row["recompute"] == "yes"
    seconds = float(row["step_ms"]) / 1000
    return Run(
        name=row["run"], group=f"one H200, steps {'above' if seconds > 0.1 else 'below'} 100 ms", kind="dense",
        model=f"llama.dense(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, ffn = {ffn}, vocab = {vocab})",
        cluster="one", software="fsdp.torchtitan_eager" if hugging_face else "fsdp.eager_fused_norms", seq=seq, global_batch=batch, micro_batch=batch,
        precision={"compute": "bf16", "params": "bf16", "grads": "bf16", "optimizer": "bf16"}, recompute="decoder" if recomputed else "",
        seconds=seconds, memory=f"{row['peak_alloc_GB']}GB" if hugging_face else f"{row['peak_bytes']}B", optimizer="adamw",
        citation="one H200, torch 2.11, transformers 5.17" if hugging_face else "tools/train_small.py, one H200, torch 2.11")
