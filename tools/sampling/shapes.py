"""What is sampled: the shapes of every kind of operator, chosen as training of transformers meets them. Needs no GPU and no torch.

A case becomes one line of the table of samples (docs/calibrate.md): its extents are the columns of its kind, and it is timed in one
direction or in two. What else is needed to run it (rows and width of a tensor whose column is `bytes`) stands in `run`.
"""

import math
from dataclasses import dataclass, field

BYTES = {"fp8": 1, "fp16": 2, "bf16": 2, "fp32": 4}

# Widths of transformer layers from 0.4B to 175B parameters, and tokens in a micro-batch (a power of two less where a group splits them).
WIDTHS = (1024, 2048, 4096, 8192, 12288)
TOKENS = (512, 2048, 4096, 8192, 16384)
BOTH = ("forward", "backward")


@dataclass(frozen=True)
class Case:
    """One line of the table. `flops` and `bytes` are what the forward pass does at least: for estimates of duration and memory."""

    group: str  # what --only names
    kind: str
    name: str
    dtype: str
    extents: dict
    phases: tuple
    flops: float
    bytes: float
    run: dict = field(default_factory=dict)

    def __getitem__(self, dimension):
        return self.run[dimension] if dimension in self.run else self.extents[dimension]

    def shape(self):
        shown = {**self.run, **self.extents}
        return " ".join(f"{name}={value}" for name, value in shown.items())


def gemms():
    """The four products of a layer, whole and as one of eight tensor-parallel shards, and the head; with both gradients."""
    shapes = []
    for width in WIDTHS:
        weights = {(3 * width, width), (width, width), (4 * width, width), (width, 4 * width)}
        weights |= {(3 * width // 8, width), (width, width // 8), (width // 2, width), (width, width // 2)}
        if width <= 8192:
            weights.add((51200, width))
        for n, k in sorted(weights):
            shapes += [(m, n, k) for m in TOKENS if n != 51200 or m <= 4096]
    cases = []
    for index, (m, n, k) in enumerate(shapes):
        # fp16 runs on the same units as bf16, so a fifth of the shapes shows whether it is the same.
        for dtype in ["bf16"] + ["fp8"] * (index % 2 == 0) + ["fp16"] * (index % 5 == 0):
            moved = BYTES[dtype] * (m * k + k * n) + 2 * m * n
            phases = ("forward", "dgrad", "wgrad")
            cases.append(Case("gemm", "gemm", "linear", dtype, {"batch": 1, "m": m, "n": n, "k": k}, phases, 2.0 * m * n * k, moved))
    return cases


def attentions():
    """Fused attention over 16k tokens in all, by head dimension and length; causal as in training of decoders, some without a mask."""
    cases = []
    for head in (64, 96, 128, 256):
        for seq in (512, 1024, 2048, 4096, 8192, 16384):
            for causal in (1, 0):
                if not causal and (seq not in (1024, 4096) or head not in (64, 128)):
                    continue
                heads, batch = 2048 // head, max(1, 16384 // seq)
                extents = {"batch": batch, "heads": heads, "seq": seq, "kv_seq": seq, "head_dim": head, "causal": causal}
                flops = 4.0 * batch * heads * seq * seq * head * (0.5 if causal else 1.0)
                cases.append(Case("attention", "attention", "attention", "bf16", extents, BOTH, flops, 8.0 * batch * seq * heads * head))
    return cases


def memory(group, name, rows, width, operands, phases=BOTH, kind="memory", **run):
    """An operator that is bound by memory. Its column is the bytes of the first operand (of the result for a lookup)."""
    size = 2 * rows * width
    return Case(group, kind, name, "bf16", {"bytes": size}, phases, 0.0, 1.0 * operands * size, {"rows": rows, "width": width, **run})


def token_shapes():
    return [(rows, width) for width in WIDTHS[:4] for rows in (512, 2048, 8192, 32768)]


def norms():
    return [memory("norm", name, rows, width, 2) for name in ("layer_norm", "rms_norm") for rows, width in token_shapes()]


def elementwise():
    operands = {"gelu": 2, "silu_mul": 3, "add": 3, "dropout": 2, "bias": 2}
    cases = [memory("elementwise", name, rows, width, count) for name, count in operands.items() for rows, width in token_shapes()]
    cases += [memory("elementwise", "rope", rows, heads * 128, 2, head=128) for heads in (16, 32, 64) for rows in (512, 2048, 8192, 32768)]
    return cases


def softmaxes():
    shapes = ((64, 512), (64, 1024), (32, 2048), (16, 4096))
    return [memory("softmax", "softmax", batch * seq, seq, 2) for batch, seq in shapes]


def cross_entropies():
    return [memory("cross_entropy", "cross_entropy", rows, vocab, 8) for vocab in (32000, 50304, 128256) for rows in (1024, 4096, 8192)]


def embeddings():
    """Forward only: what backward takes depends on the size of the table, for which the samples have no column."""
    shapes = [(vocab, width, rows) for vocab in (32000, 128256) for width in (1024, 4096, 8192) for rows in (2048, 8192, 32768)]
    return [memory("embedding", "lookup", rows, width, 2, ("forward",), "lookup", vocab=vocab) for vocab, width, rows in shapes]


def optimizers():
    """Fused AdamW over fp32 parameters: it reads four tensors and writes three, 28 bytes per parameter."""
    counts = [millions * 10**6 for millions in (1, 4, 16, 64, 128, 256, 512)]
    return [Case("optimizer", "optimizer", "adam", "fp32", {"params": count}, ("forward",), 0.0, 28.0 * count) for count in counts]


def grouped_gemms():
    cases = []
    for experts in (8, 32, 64):
        for n, k in ((2816, 2048), (14336, 4096), (4096, 7168)):
            for tokens in (32, 128, 512, 2048, 8192):
                if experts * tokens > 131072 or experts * n * k > 2 * 10**9:
                    continue
                extents = {"batch": experts, "m": tokens, "n": n, "k": k}
                moved, flops = 2.0 * experts * (tokens * (n + k) + n * k), 2.0 * experts * tokens * n * k
                cases.append(Case("grouped_gemm", "grouped_gemm", "grouped_linear", "bf16", extents, ("forward", "dgrad", "wgrad"), flops, moved))
    return cases


def layers():
    """Whole layers, eager: norm, attention, norm, MLP of four widths with GELU. They are not fitted: the table shows them as comments,
    to hold against what planc makes of the fitted operators."""
    cases = []
    for width, heads in ((1024, 16), (2048, 16), (4096, 32), (8192, 64)):
        for batch, seq in ((1, 2048), (4, 2048), (2, 8192)):
            flops = 24.0 * batch * seq * width * width + 2.0 * batch * seq * seq * width
            run = {"batch": batch, "seq": seq, "heads": heads, "head": width // heads, "width": width}
            cases.append(Case("layer", "", "gpt_layer", "bf16", {}, BOTH, flops, 2.0 * (12 * width * width + 40 * batch * seq * width), run))
    return cases


def collectives(world, per_node):
    """Each collective in groups of 2, 4 … `world` ranks, nodes filled in order; `bytes` are those of the full tensor. A pair sends
    inside a node, and between the first two nodes where there are several."""
    groups = [2**power for power in range(1, 20) if 2**power < world] + ([world] if world > 1 else [])
    cases = []
    for size in [2**power for power in range(12, 31)]:
        for ranks in groups:
            extents = {"bytes": size, "ranks": ranks, "nodes": -(-ranks // per_node)}
            for name in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
                cases.append(Case("collective", "collective", name, "bf16", extents, ("forward",), 0.0, size, {"peers": tuple(range(ranks))}))
        for peer in sorted({1, per_node}):
            if peer < world:
                extents = {"bytes": size, "ranks": 2, "nodes": 1 if peer < per_node else 2}
                cases.append(Case("collective", "collective", "send_recv", "bf16", extents, ("forward",), 0.0, size, {"peers": (0, peer)}))
    return cases


GROUPS = {
    "gemm": gemms,
    "attention": attentions,
    "norm": norms,
    "elementwise": elementwise,
    "softmax": softmaxes,
    "cross_entropy": cross_entropies,
    "embedding": embeddings,
    "optimizer": optimizers,
    "grouped_gemm": grouped_gemms,
    "layer": layers,
}


def spread(cases):
    """The cases in an order in which any beginning covers every group and every size: a budget that runs out leaves none empty.

    Each group is walked with a stride near the golden section of its length, and groups take turns by how far each has come.
    """
    groups = {}
    for case in cases:
        groups.setdefault(case.group, []).append(case)
    queue = []
    for order, own in enumerate(groups.values()):
        queue += [((place + 0.5) / len(own), order, own[index]) for place, index in enumerate(strided(len(own)))]
    return [case for _, _, case in sorted(queue, key=lambda entry: entry[:2])]


def strided(count):
    """A permutation of 0 … count-1 whose beginnings are spread evenly."""
    stride = max(1, round(count * 0.618))
    while math.gcd(stride, count) != 1:
        stride += 1
    return [index * stride % count for index in range(count)]


def duration(case, seconds):
    """Estimated seconds of a case: preparation and at most `seconds` per phase; small GPUs (50 TFLOP/s, 0.5 TB/s) are assumed."""
    once = max(case.flops / 50e12, case.bytes / 0.5e12)
    return len(case.phases) * (0.02 + max(seconds * 1.1, 7 * 1.5 * once))
