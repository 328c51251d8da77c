"""NeMo AutoModel, NVIDIA-NeMo/Automodel at 36044ad3d1, docs/performance-summary.mdx: pre-training and LoRA with FSDP2 on 1 to 1024 H100.

| field | rule |
|---|---|
| architectures | printed; else the released configurations that the library has: Qwen2.5 7B (the sizes of Qwen2 7B) and 32B, Nemotron 3 Nano |
| data parallelism | GPUs / (tensor x pipeline x context) |
| experts | GPT-OSS over all GPUs (`ep_size` of gptoss_20b_te_deepep.yaml, gptoss_120b_te_deepep.yaml), others printed; loads balanced (`fake_balanced_gate`), and the experts of a token are neighbours, because expert numbers are assigned to the tokens in order (FakeBalancedGate of components/moe/layers.py) |
| pipelines | interleaved 1F1B over one local batch: the pipeline is emptied GA times per step. The plan describes one of these GA passes, and its step time is the measured one / GA; work that happens once per step is therefore counted in every pass |
| stages | layers / (stages x chunks), the remainder to the first of them, plus embedding and head: generate_hf_model_fqn_per_model_part of pipelining/functional.py |
| recomputation | whole layers (`activation_checkpointing: true` of the configurations), but not of GPT-OSS, and not of LoRA on one GPU |
| sharding | parameters over data and context ranks, gathered for each use and their gradients reduced after each backward pass; of GPT-OSS 20B they stay until backward (`reshard_after_forward`, by default false with experts). In pipelines, and with `enable_fsdp_optimizations` (DeepSeek-V3, Qwen3, Nemotron), gathered and reduced once per step, as the optimizer's shards are: moe/fsdp_mixin.py |
| precision | parameters, gradients and Adam's states in bf16, as torch.optim.Adam keeps them of bf16 parameters; in fp32 both moments of Llama 3 70B's pre-training (TransformerEngine's FusedAdam); gradients reduced in fp32, the default of FSDP2Config |
| context parallelism | keys and values gathered, as PyTorch's context parallelism does by default |
| LoRA | rank 16 on every projection (`target_modules: '*_proj'`), base weights in bf16; sequence parallelism and asynchronous tensor parallelism with Llama 3 70B only |
| second token of DeepSeek-V3 | not predicted: the Hugging Face model |
| weights of experts | multiplied into their activation (`quick_geglu_deepep`, `weighted_bias_swiglu_impl` of components/moe/experts.py) |
| stack | experts: `automodel`, GPT-OSS with FlexAttention as its rows say; dense models: `automodel_dense`, compiled, with Liger's kernels on one GPU (`use_liger_kernel`, by default), and FlashAttention-2 (`DEFAULT_ATTN_IMPLEMENTATION` of _transformers/kernel_patches.py), but with context parallelism the attention that PyTorch chooses (`attn_implementation: sdpa` of custom_llama3_1_70b_pretrain_benchmark_8nodes.yaml) |
| machine | DGX H100 as the table says |
"""
# SPDX-License-Identifier: Apache-2.0
from . import nvidia
from .common import Incomplete, Run, need, note, number

TITLE = "NeMo AutoModel: FSDP2, LoRA, experts."
SOURCES = ("NeMo AutoModel perf summary",)

# Experts of a layer, and those of a token.
EXPERTS = {"DeepSeekV3": (256, 8), "Kimi-K2": (384, 8), "Qwen3-30B-A3B": (128, 8), "GPT-OSS-20B": (32, 4), "GPT-OSS-120B": (128, 4), "Nemotron3-Nano": (128, 6)}
# Rows that print no sizes, of models that the library has.
RELEASED = {"Qwen2.5 7B": ("qwen.qwen2_7b", "dense"), "Qwen2.5 32B": ("qwen.qwen2_5_32b", "dense"), "Nemotron3-Nano": ("nemotron3.nemotron3_nano_30b_a3b", "moe")}


def model(row):
    """(expression, kind)."""
    family = row["model_family"]
    if family == "Nemotron3-Nano":
        return f"{RELEASED[family][0]}(expert_{neighbours(family)})", "moe"
    if family in RELEASED:
        return RELEASED[family]
    if number(row, "layers") is None:
        raise Incomplete("a published architecture")
    if family == "DeepSeekV3":
        return f"deepseek.deepseek_v3(mtp_depth = 0, weigh = activation, {neighbours(family)})", "moe"
    if family == "Kimi-K2":
        return f"kimi.kimi_k2(mtp_depth = 0, weigh = activation, {neighbours(family)})", "moe"
    if family.startswith("GPT-OSS"):
        return f"gpt_oss.{family.lower().replace('-', '_')}(weigh = activation, {neighbours(family)})", "moe"
    expression, kind = nvidia.model(row)[:2]
    return (expression[:-1] + f", {neighbours(family)})" if kind == "moe" else expression), kind


def neighbours(family):
    """The k experts of a token stand side by side: in one of the smallest groups that divide the experts and hold them."""
    experts, k = EXPERTS[family]
    size = next(n for n in range(k, experts + 1) if experts % n == 0)
    return f"groups = {experts // size}, group_limit = 1"


def stage_texts(layers, dense, parts):
    """What every virtual stage holds of a model whose first `dense` layers have no experts."""
    lines, at = [], 0
    for i in range(parts):
        end = at + layers // parts + (i < layers % parts)
        here = ["embed"] * (i == 0) + [f"dense[{at}:{min(end, dense)}]"] * (at < dense)
        here += [f"decoder[{max(at, dense) - dense}:{end - dense}]"] * (end > max(at, dense)) + ["norm, head, loss"] * (i == parts - 1)
        lines.append(", ".join(here))
        at = end
    return lines


def stack(row, kind):
    if kind == "moe":
        return "te.automodel_flex" if row["model_family"].startswith("GPT-OSS") else "te.automodel"
    if number(row, "cp") > 1:
        return "fsdp.automodel_dense_sdpa"
    return "fsdp.automodel_dense_async_tp" if asynchronous(row) else "fsdp.automodel_dense"


def asynchronous(row):
    return row["model_family"] == "LLAMA3-70B" and number(row, "tp") > 1


# The repeated layers of models whose layers with experts lie in groups.
LAYERS = {"GPT-OSS": "decoder", "Nemotron": "decoder, longer, turn, finish"}


def place(family):
    """Rules in place of those that follow from the degrees, or none."""
    layers = next((layers for name, layers in LAYERS.items() if family.startswith(name)), "")
    return ("batch -> dp", f"{layers} {{ experts -> ep }}") if layers else ()


def once(family, kind):
    """Whether parameters are gathered and gradients reduced once per step."""
    return kind == "moe" and not family.startswith("GPT-OSS")


def recomputed(family, single, mla):
    if family.startswith("GPT-OSS") or single:
        return ""
    return "decoder, dense" if mla else "decoder.pairs, decoder.turn, longer, turn, finish" if family.startswith("Nemotron") else "decoder"


def run(row):
    expression, kind = model(row)
    gpus, tp, pp, cp, mbs, gbs, seq = need(row, "gpus", "tp", "pp", "cp", "mbs", "gbs", "seq")
    family, lora = row["model_family"], row["notes"].startswith("LoRA")
    dp, passes, chunks = gpus // (tp * pp * cp), int(note(row, "GA")) if pp > 1 else 1, number(row, "vp") or 1
    mla = family in ("DeepSeekV3", "Kimi-K2")
    states = "bf16" if kind == "moe" or lora else "{ m = fp32; v = fp32; master = bf16 }"
    return Run(
        name=row["id"].replace("-", "_"), group=f"AutoModel {kind}" + (", LoRA" if lora else ""), kind=kind, model=expression, cluster=nvidia.cluster(row),
        software=stack(row, kind), balanced=kind == "moe", seq=seq, global_batch=gbs // passes, micro_batch=mbs,
        precision={"compute": "bf16", "params": "bf16", "grads": "bf16", "reduce": "fp32", "optimizer": states},
        data=dp, tensor=tp, context=cp, pipeline=pp, expert=(number(row, "ep") or gpus) if kind == "moe" else 1, mla=mla,
        sequence_parallel=asynchronous(row), stored="optimizer" if once(family, kind) else "params", kept=family == "GPT-OSS-20B", context_by="gather",
        place=place(family), schedule=f"interleaved_1f1b(chunks = {chunks})" if pp > 1 else "one_f_one_b",
        stages=stage_texts(need(row, "layers"), 3 if family == "DeepSeekV3" else 1, pp * chunks) if pp > 1 else [],
        recompute=recomputed(family, lora and gpus == 1, mla),
        lora="rank = 16; targets = [decoder.attn, decoder.mlp]" if lora else "",
        seconds=float(row["value"]) / passes, citation="NVIDIA-NeMo/Automodel at 36044ad3d1, docs/performance-summary.mdx")
