"""MaxText, AI-Hypercomputer/maxtext at e591f30cbb: dense models on up to 32 pods of TPU v5e, Llama 2 7B on H100.

| field | rule |
|---|---|
| step time | FLOPs by the repository's count (three passes over all matrices, full attention) / (printed rate x chips) |
| batch | per device, printed; no accumulation |
| sharding | parameters over the 256 chips of a pod (FSDP), data parallel between pods |
| recomputation | printed: full. Rows that offload queries, keys and values alone (128B, layers split over 16 chips) are incomplete |
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

Third table: AI-Hypercomputer/tpu-recipes at c8cfe2f689, training/trillium (v6e) and training/ironwood (TPU7x).

| field | rule |
|---|---|
| step time, batch | printed; TPU7x: the global batch in as many parts as chips (or groups of chips that share sequences) |
| devices | chips. Degrees of TPU7x are printed for chiplets: context parallelism of 8 is 4 chips |
| architectures | released configurations of the library; GPT-3 and Llama with the printed sizes |
| sharding | parameters over all chips; data parallel between slices of v6e unless `dcn_fsdp` is printed; GPT-OSS in 8 copies (`ici_data_parallelism`) |
| recomputation | whole layers but for the results that the recipe keeps (`remat_policy: custom`, and `device` or `offload` for each): KEPT |
| offloading | recipes with `decoder_layer_input: offload` send all that a layer keeps to the host: OFFLOADED. With `remat_policy: full` (Gemma 4 26B) the word has no effect: get_remat_policy of layers/decoders.py reads it for `custom` |
| precision | weights in fp32, gathered and reduced in bf16; products in fp8 with `fp8_full`; first moments in bf16 with `mu_dtype`; Mixtral throughout in bf16 (`weight_dtype`) |
| stack | `maxtext_experts` for experts without a capacity, else `maxtext` |
| loss | in pieces with `num_vocab_tiling` (TILES), by a stack of this file; that backward computes the logits again is not priced, 1 % of a step |
| experts | not split on TPU7x; Mixtral over 4 ranks, with a capacity of 1.25 (`mixtral_8x22b_dropped` of benchmarks/maxtext_trillium_model_configs.py) |
| context parallelism | keys and values gathered (`context_parallel_strategy`, configs/base.yml) |
| slices | v6e: 256 chips are a torus, fewer a grid; TPU7x: 4 x 4 x 4, 4 x 4 x 8, 4 x 8 x 8, as the recipes are named |
"""
# SPDX-License-Identifier: Apache-2.0
import re

from .common import Incomplete, Run, need, number

TITLE = "MaxText: models on TPU v4 to v7."
RECIPES = ("Google tpu-recipes Trillium", "Google tpu-recipes Ironwood")
SOURCES = ("MaxText perf tables",) + RECIPES

POD = 256
SLICES = {64: "x = 4, y = 4, z = 4", 192: "x = 4, y = 4, z = 12"}  # of v4, by chips

# Recipes that offload what their layers keep, by device.
OFFLOADED = {"v6e": ("LLAMA3.1-405B", "LLAMA3.1-70B", "LLAMA3.1-8B", "Mixtral-8x22B"), "7x": ("DeepSeekV3", "GPT-OSS-120B", "LLAMA3.1-405B", "Qwen3-235B-A22B")}
# Results that backward of a layer reads and recipes do not recompute, by device, model and sequence; by default only the layer's input.
QKV = "attn.q, attn.k, attn.v"
KEPT = {
    ("v6e", "LLAMA3.1-70B", 8192): QKV, ("v6e", "LLAMA3.1-8B", 8192): QKV + ", attn.out", ("v6e", "Mixtral-8x22B", 4096): QKV + ", attn.out",
    ("7x", "LLAMA3.1-70B", 8192): QKV + ", attn.core", ("7x", "LLAMA3.1-70B", 131072): QKV + ", attn.core, mlp.out",
    ("7x", "GPT-OSS-120B", 8192): "local.moe.down, global.moe.down",
    ("7x", "gemma4-31b", 8192): "local.one.attn.out, local.one.mlp.out, global.attn.out, global.mlp.out",
}
# Pieces of the loss, by the same keys.
TILES = {("v6e", "Gemma3-12B", 32768): 16, ("7x", "gemma4-26b", 4096): 8, ("7x", "gemma4-31b", 8192): 8, ("7x", "LLAMA3.1-70B", 131072): 4}
MODELS = {
    "Gemma3-12B": ("gemma.gemma3_12b", "dense", "decoder"), "gemma4-26b": ("gemma4.gemma4_26b_a4b", "moe", "decoder"),
    "gemma4-31b": ("gemma4.gemma4_31b", "dense", "decoder"), "DeepSeekV3": ("deepseek.deepseek_v3(mtp_depth = 0)", "moe", "decoder, dense"),
    "GPT-OSS-120B": ("gpt_oss.gpt_oss_120b", "moe", "decoder"), "Qwen3-235B-A22B": ("qwen.qwen3_235b_a22b", "moe", "decoder"),
    "Mixtral-8x22B": ("moe.mixtral(layers = 56, hidden = 6144, heads = 48, ffn = 16384, vocab = 32768, capacity = 1.25)", "moe", "decoder"),
}
PARTS = {8: "x = 2, y = 4", 16: "x = 4, y = 4", 32: "x = 4, y = 8", 64: "x = 8, y = 8"}  # of a pod of v6e, by chips
CUBES = {64: "x = 4, y = 4, z = 4", 128: "x = 4, y = 4, z = 8", 256: "x = 4, y = 8, z = 8"}  # of TPU7x, by chips
NARROW = ("DeepSeekV3", "gemma4-26b", "LLAMA3.1-405B", "LLAMA3.1-70B")  # recipes of TPU7x with mu_dtype = bfloat16, but at 128k

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

stack maxtext_tiled_4 extends jax.maxtext { loss_pieces = 4 : "num_vocab_tiling" }
stack maxtext_tiled_8 extends jax.maxtext { loss_pieces = 8 : "num_vocab_tiling" }
stack maxtext_tiled_16 extends jax.maxtext { loss_pieces = 16 : "num_vocab_tiling" }
stack maxtext_experts_tiled_8 extends jax.maxtext_experts { loss_pieces = 8 : "num_vocab_tiling" }
"""


def flops(batch, seq, layers, hidden, heads, kv, head, ffn, vocab, gated=True):
    """Three passes over projections, feed-forward part and head, and full attention."""
    matrices = layers * (hidden * (2 * heads + 2 * kv) * head + (3 if gated else 2) * hidden * ffn) + vocab * hidden
    return 6 * batch * seq * matrices + 12 * batch * layers * seq**2 * heads * head


def recipe_model(row):
    """(expression, kind, recomputed layers) of a recipe."""
    family = row["model_family"]
    if family in MODELS:
        return MODELS[family]
    if family.startswith(("GPT3", "LLAMA")):
        layers, hidden, heads, kv, ffn, vocab = need(row, "layers", "hidden", "heads", "kv_heads", "ffn", "vocab")
        if family.startswith("GPT3"):
            return f"gpt.gpt(layers = {layers}, hidden = {hidden}, heads = {heads}, vocab = {vocab}, dropout = 0.0)", "dense", "decoder"
        return f"llama.dense(layers = {layers}, hidden = {hidden}, heads = {heads}, kv_heads = {kv}, ffn = {ffn}, vocab = {vocab})", "dense", "decoder"
    raise Incomplete(f"a model for {family}")


def recipe_cluster(device, chips):
    """(expression, slices)."""
    if device == "7x":
        return f"tpu.tpu_v7x({CUBES[chips]})", 1
    if chips < POD:
        return f"tpu.tpu_v6e_part({PARTS[chips]})", 1
    return f"tpu.tpu_v6e(slices = {chips // POD})", chips // POD


def recipe_stack(kind, expression, tiles):
    name = "maxtext_experts" if kind == "moe" and "capacity" not in expression else "maxtext"
    return f"{name}_tiled_{tiles}" if tiles > 1 else f"jax.{name}"


def recipe_types(row, narrow):
    """The precision of a recipe."""
    if row["model_family"] == "Mixtral-8x22B":
        return {"compute": "bf16", "params": "bf16", "grads": "bf16", "reduce": "bf16", "optimizer": "bf16"}
    return {"compute": "fp8" if "fp8" in row["precision"] else "bf16", "params": "fp32", "grads": "fp32", "reduce": "bf16",
            "optimizer": "{ m = bf16; v = fp32 }" if narrow else "fp32"}


def recipe(row):
    """A row of the third table."""
    expression, kind, layers = recipe_model(row)
    seq, gbs, chips = need(row, "seq", "gbs", "gpus")
    family, device = row["model_family"], "7x" if row["gpu"].startswith("TPU7x") else "v6e"
    cluster, slices = recipe_cluster(device, chips)
    context = (number(row, "cp") or 1) // 2 if device == "7x" and number(row, "cp") > 1 else 1
    data, kept = chips // context, KEPT.get((device, family, seq))
    narrow = device == "7x" and family in NARROW and seq < 131072
    return Run(
        name=row["id"].replace("-", "_"), group=f"MaxText {kind}, TPU {'v7' if device == '7x' else device}", kind=kind, model=expression, cluster=cluster,
        software=recipe_stack(kind, expression, TILES.get((device, family, seq), 1)), seq=seq, global_batch=gbs,
        micro_batch=number(row, "mbs") or gbs // data, precision=recipe_types(row, narrow),
        data=data, context=context, context_by="gather", expert=4 if family == "Mixtral-8x22B" else 1,
        copies=8 if family == "GPT-OSS-120B" else slices if "dcn_fsdp=None" in row["notes"] else 1, stored="params",
        recompute=layers + (f" {{ save = [{kept}] }}" if kept else ""), keep=f"{layers} = host" if family in OFFLOADED[device] else "", mla=family == "DeepSeekV3",
        seconds=float(row["value"]), citation="AI-Hypercomputer/tpu-recipes at c8cfe2f689, " + row["provenance"].partition(":")[2])


def run(row):
    if row["source"] in RECIPES:
        return recipe(row)
    mbs, seq, layers, hidden, heads, kv, ffn, gpus = need(row, "mbs", "seq", "layers", "hidden", "heads", "kv_heads", "ffn", "gpus")
    if row["recompute"] != "full":
        raise Incomplete("a rule for layers split over 16 chips")
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
