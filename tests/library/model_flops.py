#!/usr/bin/env python3
# Model FLOPs of every family against closed forms that are written here by hand, from published counts and sizes: with the masked half of causal
# attention, and without it. What windows and chunks leave out counts in neither. A step counts three times the forward pass (arXiv 2104.04473, appendix).
# SPDX-License-Identifier: Apache-2.0
import sys

sys.dont_write_bytecode = True  # no caches in the tree
from rows import totals_of


def causal(s, window=None):
    """Shares of s keys: those that a query reaches, w/s of a window of w keys, and those that it sees in the mean, w/s - w^2/(2 s^2)."""
    w = min(window or s, s) / s
    return w, w - w * w / 2


def decoder(s, matrices, layers, width, shares):
    """FLOPs of one sequence: two per token and weight of a matrix, and 4 s^2 * width per layer of attention whose heads add up to
    `width`; `shares` are those of the layers of a period. Gives them with what queries reach, and with what they see."""
    reach, seen = (4 * s * s * width * layers * sum(share[i] for share in shares) / len(shares) for i in (0, 1))
    return 2 * s * matrices + reach, 2 * s * matrices + seen


def gpt(s, h, layers, vocab):
    """arXiv 2104.04473, equation 3, without recomputation: 72 B s l h^2 (1 + s/6h + V/12lh), of which forward is a third."""
    return 24 * s * layers * h * h * (1 + s / (6 * h) + vocab / (12 * layers * h)), \
        24 * s * layers * h * h * (1 + s / (12 * h) + vocab / (12 * layers * h))


def deepseek(s):
    """V3: 37.55B active weights with the embedding and 61 * 2 + 1 norms, and 61 * 2 of latent attention; heads of 192 and 128."""
    active = 671026404352 - 58 * (256 - 8) * 3 * 7168 * 2048
    matrices = active - 129280 * 7168 - (61 * 2 + 1) * 7168 - 61 * (1536 + 512)
    scores = 61 * 2 * s * s * 128 * (192 + 128)
    return 2 * s * matrices + scores, 2 * s * matrices + scores / 2


def sparse_latent(s, matrices, layers, heads, chosen, indexers, q_rank, hidden, index_heads):
    """Absorbed attention over chosen keys, 576 and 512 numbers per pair and head, and indexers without a loss: only their forward pass counts, a third."""
    pairs, index = layers * 2 * s * s * heads * (576 + 512), 2 * s * indexers * (q_rank * index_heads * 128 + hidden * (128 + index_heads))
    scores = indexers * 2 * s * s * index_heads * 129
    return 2 * s * matrices + pairs * min(1, chosen / s) + (index + scores) / 3, \
        2 * s * matrices + pairs * causal(s, chosen)[1] + (index + scores / 2) / 3


def deepseek_v32(s):
    active = 671026404352 - 58 * (256 - 8) * 3 * 7168 * 2048
    matrices = active - 129280 * 7168 - (61 * 2 + 1) * 7168 - 61 * (1536 + 512)
    return sparse_latent(s, matrices, 61, 128, 2048, 61, 1536, 7168, 64)


def glm_5_2(s):
    """Twenty-one of 78 layers have an indexer."""
    h = 6144
    attention = h * 2048 + 2048 * 64 * 256 + h * 576 + 512 * 64 * (192 + 256) + 64 * 256 * h
    matrices = 78 * attention + 3 * 3 * h * 12288 + 75 * (h * 256 + 9 * 3 * h * 2048) + 154880 * h
    return sparse_latent(s, matrices, 78, 64, 2048, 21, 2048, h, 32)


def v4_flash(s):
    """Two layers with the window alone, 21 with pooled keys of 4 tokens, 20 of 128; indexers without a loss. Hyper-connections are no products."""
    h, width = 4096, 64 * 512
    layer = h * 1024 + 1024 * width + h * 512 + width * 1024 + 8 * 1024 * h + h * 256 + 7 * 3 * h * 2048
    matrices = 43 * layer + 21 * 2 * h * 1024 + 20 * 2 * h * 512 + 129280 * h
    index = 2 * s * 21 * (1024 * 64 * 128 + h * 64 + 2 * h * 256)
    scores = 21 * 2 * s * (s // 4) * 64 * 129
    window = causal(s, 128)[1] * s
    whole = 4 * s * width * (43 * 128 + 21 * 512 + 20 * s / 128)
    left = 4 * s * width * (43 * window + 21 * causal(s // 4, 512)[1] * s / 4 + 20 * s / 256)
    return 2 * s * matrices + whole + (index + scores) / 3, 2 * s * matrices + left + (index + scores / 2) / 3


def gpt_oss(s):
    """20B: 4 of 32 experts. Vectors of a layer: two norms, sinks, biases of q, k, v, o, router and experts."""
    experts = 24 * 32 * (3 * 2880 * 2880)
    biases = 24 * (64 * 64 + 2 * 8 * 64 + 2880 + 32 + 32 * 3 * 2880)
    matrices = 20914757184 - experts * 28 // 32 - biases - 201088 * 2880 - (24 * 2 + 1) * 2880 - 24 * 64
    return decoder(s, matrices, 24, 64 * 64, [causal(s, 128), causal(s)])


def llama4(s):
    """Scout: one of 16 experts and a shared one; three layers of four see chunks of 8192, half of them in the mean."""
    expert = 3 * 5120 * 8192
    matrices = 107769861120 - 48 * 15 * expert - 202048 * 5120 - (48 * 2 + 1) * 5120
    return decoder(s, matrices, 48, 40 * 128, [(8192 / s, 8192 / s / 2)] * 3 + [causal(s)])


def bert(s):
    """Large: 24 layers of 12 h^2, the transform and the tied head for all positions, the pooler and two classes for one. No mask."""
    h = 1024
    flops = decoder(s, 24 * 12 * h * h + h * h + 30522 * h, 24, h, [(1, 1)])[0] + 2 * (h * h + 2 * h)
    return flops, flops


def t5(s, source):
    """11B: heads of 128 * 128, all three attentions; the decoder's keys of the encoder's result count by its length."""
    h, width, ffn = 1024, 128 * 128, 65536
    encoder = 2 * source * 24 * (4 * h * width + 2 * h * ffn) + 24 * 4 * source * source * width
    own = 2 * s * 24 * (4 * h * width + 2 * h * width + 2 * h * ffn) + 2 * s * 32128 * h
    across = 2 * source * 24 * 2 * h * width + 24 * 4 * s * source * width
    scores = 24 * 4 * s * s * width
    return encoder + own + across + scores, encoder + own + across + scores / 2


def vit(h, layers, heads_and_ffn, patches, s, pixels):
    """Patches, layers, and a head of 1000 classes for one vector."""
    flops = 2 * patches * pixels * h + 2 * s * layers * heads_and_ffn + layers * 4 * s * s * h + 2 * h * 1000
    return flops, flops


def dit():
    """XL/2: 12 h^2 per layer and element, 6 h^2 per layer and sample; the sines' two matrices, patches, the final layer."""
    h, s = 1152, 256
    flops = 2 * s * (28 * 12 * h * h + 16 * h + 32 * h) + 28 * 4 * s * s * h + 2 * (28 * 6 * h * h + 2 * h * h + 256 * h + h * h)
    return flops, flops


def ssd(s, inner, state, groups, chunk):
    """Mamba-2 by chunks, arXiv 2405.21060, section 6: C B inside of chunks per group; states in, states out and scores times x per head. Inside of
    chunks half is masked."""
    inside = 2 * s * chunk * (groups * state + inner)
    across = 2 * 2 * s * inner * state
    return inside + across, inside / 2 + across


def mamba(s):
    """2.7B: in- and out-projections and the tied head."""
    h, inner, state, heads = 2560, 5120, 128, 80
    matrices = 64 * (h * (2 * inner + 2 * state + heads) + inner * h) + 50288 * h
    return [2 * s * matrices + 64 * x for x in ssd(s, inner, state, 1, 256)]


def nemotron_h(s):
    """8B: 24 Mamba-2 layers, 24 of squared ReLU, 4 of attention, the head."""
    h, inner, state, groups = 4096, 8192, 128, 8
    matrices = 24 * (h * (2 * inner + 2 * groups * state + 128) + inner * h) + 24 * 2 * h * 21504 \
        + 4 * (2 * h * h + 2 * h * 1024) + 131072 * h
    attention = decoder(s, matrices, 4, h, [causal(s)])
    return [a + 24 * x for a, x in zip(attention, ssd(s, inner, state, groups, 128))]


def jamba(s):
    """v0.1: 28 Mamba-1 layers, 4 of attention; 16 feed-forward parts, 16 with 2 of 16 experts. The recurrence is no matrix product."""
    h, inner, rank, state, ffn = 4096, 8192, 256, 16, 14336
    matrices = 28 * (3 * h * inner + inner * (rank + 2 * state) + rank * inner) + 4 * (2 * h * h + 2 * h * 1024) \
        + 16 * 3 * h * ffn + 16 * (2 * 3 * h * ffn + h * 16) + 65536 * h
    return decoder(s, matrices, 4, h, [causal(s)])


def delta_net(s, heads, key, value, chunk):
    """Gated DeltaNet by chunks, arXiv 2406.06484, section 3.2: keys against keys, their triangle's inverse, its products with keys and values, queries
    against keys and scores times values inside of chunks, of which half is masked; the state read twice and written once per element."""
    inside = s * heads * (chunk * (6 * key + 4 * value) + chunk * chunk / 1.5)
    across = s * heads * 6 * key * value
    return inside + across, inside / 2 + across


def qwen3_next(s):
    """80B: 36 layers of Gated DeltaNet, 12 of attention with a gate, 10 of 512 experts and a shared one with a weight."""
    h = 2048
    matrices = 36 * h * (2 * 2048 + 2 * 4096 + 2 * 32 + 4096) + 12 * h * (3 * 16 * 256 + 2 * 2 * 256) \
        + 48 * h * (11 * 3 * 512 + 512 + 1) + 151936 * h
    return [a + 36 * x for a, x in zip(decoder(s, matrices, 12, 16 * 256, [causal(s)]), delta_net(s, 32, 128, 128, 64))]


def nemotron3(s, h=2688, inner=4096, layers=23, attention=6, experts=128, k=6, ffn=1856, shared=3712, heads=32, latent=0, depth=0):
    """`layers` of Mamba-2 and of experts (two matrices, a shared part), some of attention; `depth` further tokens of one layer of attention and one of
    experts each, behind a product of stream and embedding and before the head."""
    state, groups = 128, 8
    sparse = 2 * (k * ffn * (latent or h) + h * shared) + 2 * h * latent + h * experts
    matrices = layers * h * (3 * inner + 2 * groups * state + inner // 64) + (attention + depth) * h * (2 * heads * 128 + 2 * 256) \
        + (layers + depth) * sparse + depth * 2 * h * h + (1 + depth) * 131072 * h
    return [a + layers * x for a, x in zip(decoder(s, matrices, attention + depth, heads * 128, [causal(s)]), ssd(s, inner, state, groups, 128))]


def qwen3_6_27b(s, patches):
    """48 layers of Gated DeltaNet, 16 of attention with a gate and one more of a further token; an image of so many patches in the
    tower, whose positions are no product."""
    h, wide = 5120, 4 * 1152
    matrices = 48 * h * (2 * 2048 + 3 * 6144 + 2 * 48) + 17 * h * (3 * 24 * 256 + 2 * 4 * 256) + 65 * 3 * h * 17408 + 2 * h * h + 2 * 248320 * h
    tower = 2 * patches * (27 * (4 * 1152**2 + 2 * 1152 * 4304) + 1536 * 1152) + 27 * 4 * patches**2 * 1152 \
        + 2 * patches // 4 * (wide * wide + wide * h)
    return [tower + a + 48 * x for a, x in zip(decoder(s, matrices, 17, 24 * 256, [causal(s)]), delta_net(s, 48, 128, 128, 64))]


def gemma4(s):
    """26B-A4B: 25 layers with a window, 5 without whose heads are twice as wide and whose keys are the values; 8 of 128 experts beside each MLP."""
    h = 2816
    matrices = 25 * h * (2 * 4096 + 2 * 2048) + 5 * h * (2 * 8192 + 1024) + 30 * h * (3 * 2112 + 8 * 3 * 704 + 128) + 262144 * h
    local, wide = decoder(s, matrices, 25, 4096, [causal(s, 1024)]), decoder(s, 0, 5, 8192, [causal(s)])
    return [a + b for a, b in zip(local, wide)]


def moonlight(s):
    """16B-A3B: 27 layers of latent attention, the first dense, the others with 6 of 64 experts and two shared ones."""
    h = 2048
    matrices = 27 * (h * 16 * 192 + h * (512 + 64) + 512 * 16 * 256 + 16 * 128 * h) + 26 * h * (8 * 3 * 1408 + 64) + 3 * h * 11264 + 163840 * h
    scores = 27 * 2 * s * s * 16 * (192 + 128)
    return 2 * s * matrices + scores, 2 * s * matrices + scores / 2


# model, extents, FLOPs of one forward pass of one sample: with full attention, and masked. Where matrices are a published count, embedding, norms and
# biases are taken off.
ROWS = [
    ("gpt.gpt3_175b", "seq = 2048", gpt(2048, 12288, 96, 51200)),
    ("decoder.decoder(layers = 96, hidden = 12288, heads = 96, vocab = 51200, tied = true, norm = layer, feed = gelu, bias = true, positions = 2048)",
     "seq = 2048", gpt(2048, 12288, 96, 51200)),
    ("decoder.decoder(layers = 32, hidden = 4096, heads = 32, kv_heads = 8, ffn = 14336, vocab = 32000, experts = 8, k = 2)", "seq = 4096",
     decoder(4096, 46702792704 - 32 * 6 * 3 * 4096 * 14336 - 32000 * 4096 - 65 * 4096, 32, 4096, [causal(4096)])),
    ("llama.llama3_8b", "seq = 8192",
     decoder(8192, 8030261248 - 128256 * 4096 - 65 * 4096, 32, 32 * 128, [causal(8192)])),
    ("mistral.mistral_7b", "seq = 16384",
     decoder(16384, 7241732096 - 32000 * 4096 - 65 * 4096, 32, 32 * 128, [causal(16384, 4096)])),
    ("qwen.qwen2_7b", "seq = 4096",
     decoder(4096, 7615616512 - 152064 * 3584 - 57 * 3584 - 28 * (28 + 2 * 4) * 128, 28, 28 * 128, [causal(4096)])),
    ("qwen.qwen3_30b_a3b", "seq = 4096",
     decoder(4096, 30532122624 - 48 * 120 * 3 * 2048 * 768 - 151936 * 2048 - 97 * 2048 - 48 * 2 * 128, 48, 32 * 128, [causal(4096)])),
    ("gemma.gemma2_9b", "seq = 8192",
     decoder(8192, 9241705984 - (42 * 4 + 1) * 3584, 42, 16 * 256, [causal(8192, 4096), causal(8192)])),
    ("gemma.gemma3_27b", "seq = 8192",
     decoder(8192, 27009346304 - (62 * 4 + 1) * 5376 - 62 * 2 * 128, 62, 32 * 128, [causal(8192, 1024)] * 52 + [causal(8192)] * 10)),
    ("neox.neox_20b", "seq = 2048", decoder(2048, 44 * 12 * 6144**2 + 50432 * 6144, 44, 6144, [causal(2048)])),
    ("palm.palm_540b", "seq = 2048",
     decoder(2048, 118 * (2 * 18432 * 12288 + 2 * 18432 * 256 + 3 * 18432 * 73728) + 256000 * 18432, 118, 48 * 256, [causal(2048)])),
    ("nemotron.nemotron_15b", "seq = 4096",
     decoder(4096, 32 * (2 * 6144**2 + 2 * 6144 * 1024 + 2 * 6144 * 24576) + 256000 * 6144, 32, 6144, [causal(4096)])),
    ("falcon.falcon_40b", "seq = 2048",
     decoder(2048, 60 * (2 * 8192**2 + 2 * 8192 * 512 + 8 * 8192**2) + 65024 * 8192, 60, 8192, [causal(2048)])),
    ("opt.opt_175b", "seq = 2048", gpt(2048, 12288, 96, 50272)),
    ("bloom.bloom_176b", "seq = 2048", gpt(2048, 14336, 70, 250880)),
    ("moe.mixtral_8x7b", "seq = 4096",
     decoder(4096, 46702792704 - 32 * 6 * 3 * 4096 * 14336 - 32000 * 4096 - 65 * 4096, 32, 4096, [causal(4096)])),
    ("deepseek.deepseek_v3(mtp_depth = 0)", "seq = 4096", deepseek(4096)),
    ("deepseek_sparse.deepseek_v32(mtp_depth = 0, index_loss = off)", "seq = 8192", deepseek_v32(8192)),
    ("deepseek_v4.v4_flash(mtp_depth = 0, index_loss = off)", "seq = 4096", v4_flash(4096)),
    ("glm5.glm_5_2(mtp_depth = 0, index_loss = off)", "seq = 4096", glm_5_2(4096)),
    ("gpt_oss.gpt_oss_20b", "seq = 4096", gpt_oss(4096)),
    ("llama4.llama4_scout", "seq = 32768", llama4(32768)),
    ("bert.bert_large", "seq = 512", bert(512)),
    ("t5.t5_11b", "seq = 128; source = 512", t5(128, 512)),
    ("vit.vit_l16", "seq = 197", vit(1024, 24, 12 * 1024**2, 196, 197, 768)),
    ("vit.vit_22b", "seq = 256", vit(6144, 48, 12 * 6144**2, 256, 256, 588)),
    ("dit.dit_xl2", "seq = 256", dit()),
    ("mamba.mamba2_2_7b", "seq = 2048", mamba(2048)),
    ("jamba.jamba_v0_1", "seq = 4096", jamba(4096)),
    ("nemotron_h.nemotron_h_8b", "seq = 8192", nemotron_h(8192)),
    ("qwen_next.qwen3_next_80b_a3b", "seq = 4096", qwen3_next(4096)),
    ("qwen_next.qwen3_6_27b", "seq = 4096", qwen3_6_27b(4096, 784)),
    ("nemotron3.nemotron3_nano_30b_a3b", "seq = 8192", nemotron3(8192)),
    ("nemotron3.nemotron3_super_120b_a12b", "seq = 8192", nemotron3(8192, 4096, 8192, 40, 8, 512, 22, 2688, 5376, 32, 1024, 2)),
    ("nemotron3.nemotron3_ultra_550b_a55b", "seq = 8192", nemotron3(8192, 8192, 16384, 48, 12, 512, 22, 5120, 10240, 64, 2048, 2)),
    ("nemotron3.nemotron3_5_lightning_30b_a3b", "seq = 8192", nemotron3(8192, depth=2)),
    ("gemma4.gemma4_26b_a4b", "seq = 8192", gemma4(8192)),
    ("kimi.moonlight_16b_a3b", "seq = 4096", moonlight(4096)),
    ("glm.glm_4_5_air(mtp_depth = 0)", "seq = 4096",
     decoder(4096, 46 * 4096 * (2 * 12288 + 2 * 1024) + 45 * 4096 * (9 * 3 * 1408 + 128) + 3 * 4096 * 10944 + 151552 * 4096, 46, 96 * 128,
             [causal(4096)])),
    ("minimax.minimax_m2", "seq = 4096",
     decoder(4096, 62 * 3072 * (8 * 3 * 1536 + 256 + 2 * 6144 + 2 * 1024) + 200064 * 3072, 62, 48 * 128, [causal(4096)])),
]
TOLERANCE = 1e-9


def main():
    wrong = 0
    for (model, _, forms), totals in zip(ROWS, totals_of(sys.argv[1], [(model, extents) for model, extents, _ in ROWS])):
        for metric, form in zip(["model_tflops_per_device", "model_tflops_per_device_causal"], forms):
            # One sample a device, three passes.
            counted = totals and totals[metric] * 1e12 * totals["step_time_s"] / 3
            if not totals or abs(counted - form) > TOLERANCE * form:
                wrong += 1
                print(f"{model}: {metric} means {counted} FLOP per sample and pass, the closed form {form:.0f}"
                      + (f" ({counted / form - 1:+.2e})" if totals else ""))
    print(f"{2 * len(ROWS)} closed forms, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
