"""Megatron Bridge, NVIDIA-NeMo/Megatron-Bridge at 067f987df0, examples/model_verification_cards, and the recipes that the cards name: models of 2025.

| field | rule |
|---|---|
| models of 2026 | written by hand in cards.plan, not here |
| kinds | fine-tuning and adapters: the notes say lora or packed; natural routing: natural routing or real data; tuned: all others |
| data parallelism | GPUs / (tensor x pipeline x context) |
| experts | over data and tensor ranks together; balanced, or of natural routing with a Gini coefficient of 0.2, in the middle of 0.105 to 0.29 that arXiv 2605.20982 measured on text; packed data routes naturally, too |
| gradients | bf16 or fp32 as the notes say; else fp32, the default of recipes/common.py |
| optimizer | states in fp32; moments in bf16 of Moonlight (recipes/moonlight/h100/moonlight_16b.py) and DeepSeek-V3 |
| sharding | distributed optimizer, overlapped; fine-tuning of GPT-OSS without it, gradients reduced after backward (recipes/gpt_oss/h100/gpt_oss.py) |
| sequence parallelism | with tensor parallelism, but not of Qwen3 8B (recipes/qwen/h100/qwen3.py) |
| recomputation | printed; GPT-OSS 120B on GB200: norms and activation of experts (perf_recipes/gpt_oss/gb200/gpt_oss.py) |
| adapters | rank of the notes, on the projections of attention. Queries, keys and values share one (`linear_qkv`), which stands at the queries. Those of GPT-OSS's experts are left out: the experts of a device share one (`share_expert_adapters`, docs/training/peft.md), and the library has one per expert |
| packed documents | Tulu 3: 390 tokens on average, as one row says, with a spread as large, for it is not published |
| weights of experts | multiplied into their activation |
| mxfp8 | mxfp8, also in the layers of DeepSeek-V3's second token and its output layers (`fp8_output_proj`) |
| stages | as in nvidia.py; GPT-OSS 20B in four stages of six layers |
| exchange during another micro-batch | where the notes say overlap, and with full graphs, as in nvidia.py |
| stack | H100: launched kernel by kernel, also with graphs of the router; experts `te_2602`; dense `te`; fine-tuning `te_recipe_packed`, and GPT-OSS 20B with the all-to-all dispatcher of its recipe `te_recipe`. GB200 and GB300 in mxfp8: one CUDA graph (`full_iteration` of the perf_recipes), by the rule of nvidia.py: DeepSeek-V3 on GB200 `te_2606`, Qwen3 `te_2606_fp8_attention` |
| stages without chunks | their sends block, as in nvidia.py |
"""
# SPDX-License-Identifier: Apache-2.0
import re

from . import nvidia
from .common import Incomplete, Run, need, number

TITLE = "Megatron Bridge: verification cards of models of 2025."
PUBLISHER = "nvidia"
SOURCES = ("Megatron Bridge verification cards",)  # runs.ONE_SOURCE

MODELS = {"Qwen3-8B": "qwen.qwen3_8b", "Qwen3-30B-A3B": "qwen.qwen3_30b_a3b(weigh = activation)", "Qwen3-235B-A22B": "qwen.qwen3_235b_a22b(weigh = activation)",
          "Moonlight-16B-A3B": "kimi.moonlight_16b_a3b(weigh = activation, mtp_depth = 0)", "DeepSeekV3": "deepseek.deepseek_v3(weigh = activation)",
          "GPT-OSS-20B": "gpt_oss.gpt_oss_20b(weigh = activation)", "GPT-OSS-120B": "gpt_oss.gpt_oss_120b(weigh = activation)"}
DOCUMENTS = "{ mean = 390; spread = 390 }"
PAIRS = ("local", "global")  # layers of GPT-OSS


def kind_of(row):
    """Why a card was measured."""
    if row["workload"] == "lora" or "packed" in row["notes"]:
        return "fine-tuning"
    return "natural routing" if re.search("natural routing|real data", row["notes"]) else "tuned"


def graphed(row):
    return row["precision"] == "fp8_mx"


def stack(row, dense):
    family = row["model_family"]
    if kind_of(row) == "fine-tuning":
        return "te.te_recipe_packed"
    if dense:
        return "te.te"
    if graphed(row):
        return "te.te_2606" if family == "DeepSeekV3" and row["gpu"] == "GB200" else "te.te_2606_fp8_attention"
    return "te.te_recipe" if family.startswith("GPT-OSS") else "te.te_2602"


def precision(row):
    family, compute = row["model_family"], "mxfp8" if row["precision"] == "fp8_mx" else row["precision"]
    narrow = family in ("DeepSeekV3", "Moonlight-16B-A3B")
    types = {"compute": compute, "grads": "bf16" if "bf16 grads" in row["notes"] else "fp32", "optimizer": "{ m = bf16; v = bf16 }" if narrow else "fp32"}
    if family == "DeepSeekV3":
        types |= {"at mtp": f"{{ compute = {compute} }}", "at head": f"{{ compute = {compute} }}"}
    return types


def place(row, tp):
    """Rules of GPT-OSS, whose layers come in pairs; none for the others."""
    if not row["model_family"].startswith("GPT-OSS") or number(row, "ep") == 1:
        return ("batch -> dp",) if row["model_family"].startswith("GPT-OSS") else ()
    inside = "seq -> tp; attn { heads -> tp }; moe { experts -> ep }" if tp > 1 else "moe { experts -> ep }"
    rules = ("batch -> dp", f"decoder.local, decoder.global {{ {inside} }}")
    return rules + (("norm { seq -> tp }", "embed, head, loss { vocab -> tp }") if tp > 1 else ())


def recomputation(row):
    if row["model_family"] == "GPT-OSS-120B" and row["gpu"] == "GB200":
        return ", ".join(f"decoder.{layer}.{name}" for layer in PAIRS for name in ("norm1", "norm2", "moe.act")) + " { outputs = true }"
    return row["recompute"] + (" { outputs = true }" if row["recompute"] else "")


def adapters(row):
    if row["workload"] != "lora":
        return ""
    rank = re.search(r"rank (\d+)", row["notes"])[1]
    layers = [f"decoder.{layer}" for layer in PAIRS] if row["model_family"].startswith("GPT-OSS") else ["decoder"]
    return f"rank = {rank}; targets = [{', '.join(f'{layer}.attn.{name}' for layer in layers for name in ('q', 'out'))}]"


def overlap(row, pp, chunks):
    facts = ["pipeline = 100%"] if pp > 1 and chunks == 1 else []
    unsharded = row["model_family"].startswith("GPT-OSS") and kind_of(row) == "fine-tuning"
    return "; ".join(facts + (["gradient = 100%"] if unsharded and number(row, "gpus") > 1 else []))


def run(row):
    family = row["model_family"]
    if family not in MODELS:
        raise Incomplete("a plan here, because cards.plan has it")
    tp, pp, cp, ep, chunks, mbs, gbs, gpus, seq = need(row, "tp", "pp", "cp", "ep", "vp", "mbs", "gbs", "gpus", "seq")
    dense, why = family == "Qwen3-8B", kind_of(row)
    paired = not dense and (graphed(row) or "overlap" in row["notes"])
    schedule = f"paired_1f1b(chunks = {chunks})" if paired else f"interleaved_1f1b(chunks = {chunks})" if chunks > 1 else "one_f_one_b"
    return Run(
        name=row["id"].replace("-", "_"), group=f"Bridge cards, {why}", kind="dense" if dense else "moe", model=MODELS[family], cluster=nvidia.cluster(row),
        software=stack(row, dense), seq=seq, global_batch=gbs, micro_batch=mbs, precision=precision(row),
        data=gpus // (tp * pp * cp), tensor=tp, context=cp, pipeline=pp, expert=1 if dense else ep, mla=family in ("DeepSeekV3", "Moonlight-16B-A3B"),
        place=place(row, tp), sequence_parallel=tp > 1 and not dense,
        stored="" if family.startswith("GPT-OSS") and why == "fine-tuning" else "optimizer", schedule=schedule, overlap=overlap(row, pp, chunks),
        stages=nvidia.stages(row, pp * chunks) if pp > 1 and family != "GPT-OSS-20B" else [], recompute=recomputation(row), lora=adapters(row),
        balanced=why == "tuned" and not dense, installed="2026-08",
        documents=DOCUMENTS if why == "fine-tuning" else "", gini=0 if dense or why == "tuned" or ep == 1 else 0.2, seconds=float(row["value"]),
        memory=f"{row['memory']}GiB" if row["memory"] else "", citation="Megatron Bridge, " + row["id"])
