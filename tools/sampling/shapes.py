"""What is sampled: the shapes of every kind of operator, chosen as training of transformers meets them. Needs no GPU and no torch.

A case becomes one line of the table of samples (docs/calibrate.md): its extents are the columns of its kind, and it is timed in one
direction or in two. What else is needed to run it (rows and width of a tensor whose column is `bytes`) stands in `run`.

Sizes stand in grids: the first row of a grid is sampled first, and every further row lies between and beyond it. So a small budget
covers every kind coarsely, and a large one fills in.
"""

import itertools
import math
from dataclasses import dataclass, field, replace

BYTES = {"fp8": 1, "fp16": 2, "bf16": 2, "fp32": 4}

# Widths of transformer layers from 0.2B to 400B parameters, and tokens in a micro-batch (a power of two less where a group splits them).
WIDTHS = ((1024, 2048, 4096, 8192, 12288), (768, 1536, 3072, 5120, 7168, 16384), (1280, 1792, 2560, 3584, 6144, 10240, 14336))
TOKENS = ((512, 2048, 4096, 8192, 16384), (128, 256, 1024, 3072, 6144, 12288, 32768))
# The same of operators that are bound by memory: fewer rows tell as much.
ROWS = ((512, 2048, 8192, 32768), (1024, 4096, 16384, 65536), (256, 1536, 3072, 6144, 12288, 24576))
NARROW = (WIDTHS[0][:4], WIDTHS[1][:5])
HEADS = ((16, 32, 64), (8, 24, 40, 48))
LENGTHS = ((512, 1024, 2048, 4096, 8192), (256, 768, 1536, 3072, 16384), (384, 640, 1280, 2560, 5120, 6144, 12288))
SEQUENCES = ((512, 1024, 2048, 4096, 8192, 16384), (256, 768, 1536, 3072, 6144, 12288, 32768))
BOTH = ("forward", "backward")
# An operator as a chain of small kernels, as Hugging Face's models write it, or as one kernel.
FORMS = ("eager", "fused")

# A gap between events around no kernel at all is shorter than any kernel, and than its bytes take at any memory's rate.
SHORTEST_KERNEL, MOST_BANDWIDTH = 0.5e-6, 100e12


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
    turn: int = 0  # cases of a lower turn are sampled first

    def __getitem__(self, dimension):
        return self.run[dimension] if dimension in self.run else self.extents[dimension]

    def shape(self):
        shown = {**self.run, **self.extents}
        return " ".join(f"{name}={value}" for name, value in shown.items())

    def ran_nothing(self, seconds):
        """Is this time of one direction that of no kernel?"""
        return seconds < max(SHORTEST_KERNEL, self.bytes / MOST_BANDWIDTH)


def crossed(*grids):
    """All combinations of the sizes of grids, each behind the turn in which it comes: the sum of the rows that its sizes stand in."""
    sizes = [[(turn, size) for turn, row in enumerate(grid) for size in row] for grid in grids]
    return sorted(((sum(turn for turn, _ in choice), *(size for _, size in choice)) for choice in itertools.product(*sizes)), key=lambda c: c[0])


def gemms():
    """The four products of a layer, whole and as one of eight tensor-parallel shards, and the head; with both gradients."""
    shapes = {}
    for turn, width, m in crossed(WIDTHS, TOKENS):
        weights = {(3 * width, width), (width, width), (4 * width, width), (width, 4 * width)}
        weights |= {(3 * width // 8, width), (width, width // 8), (width // 2, width), (width, width // 2)}
        if width <= 8192 and m <= 4096:
            weights.add((51200, width))
        for n, k in sorted(weights):
            shapes.setdefault((m, n, k), turn)
    cases = []
    for index, ((m, n, k), turn) in enumerate(shapes.items()):
        # fp16 runs on the same units as bf16, so a fifth of the shapes shows whether it is the same.
        for dtype in ["bf16"] + ["fp8"] * (index % 2 == 0) + ["fp16"] * (index % 5 == 0):
            moved = BYTES[dtype] * (m * k + k * n) + 2 * m * n
            phases = ("forward", "dgrad", "wgrad")
            cases.append(Case("gemm", "gemm", "linear", dtype, {"batch": 1, "m": m, "n": n, "k": k}, phases, 2.0 * m * n * k, moved, turn=turn))
    return cases


def attentions():
    """Fused attention over 16k tokens in all, by head dimension and length; causal as in training of decoders, some without a mask."""
    cases = []
    for turn, head, seq in crossed(((64, 96, 128, 256), (80, 192)), SEQUENCES):
        for causal in (1, 0):
            if not causal and (seq not in (1024, 4096) or head not in (64, 128)):
                continue
            heads, batch = 2048 // head, max(1, 16384 // seq)
            extents = {"batch": batch, "heads": heads, "seq": seq, "kv_seq": seq, "head_dim": head, "causal": causal}
            flops = 4.0 * batch * heads * seq * seq * head * (0.5 if causal else 1.0)
            cases.append(Case("attention", "attention", "attention", "bf16", extents, BOTH, flops, 8.0 * batch * seq * heads * head, turn=turn))
    return cases


def memory(group, name, turn, rows, width, operands, phases=BOTH, kind="memory", **run):
    """An operator that is bound by memory. Its column is the bytes of the first operand (of the result for a lookup)."""
    size = 2 * rows * width
    return Case(group, kind, name, "bf16", {"bytes": size}, phases, 0.0, 1.0 * operands * size, {"rows": rows, "width": width, **run}, turn)


def norms():
    """RMSNorm in both forms: `written` says which one is the operator of the trained program."""
    shapes = crossed(ROWS, NARROW)
    cases = [memory("norm", "layer_norm", turn, rows, width, 2) for turn, rows, width in shapes]
    return cases + [memory("norm", "rms_norm", turn, rows, width, 2, form=form) for form in FORMS for turn, rows, width in shapes]


def written(cases, form):
    """The cases with `form` as the one that becomes a line: a case in another form is a comment to compare with, since a table has one kernel by
    the name of an operator."""
    return [replace(case, kind="") if case.run.get("form", form) != form else case for case in cases]


def elementwise():
    operands = {"gelu": 2, "silu_mul": 3, "add": 3, "dropout": 2, "bias": 2}
    cases = [memory("elementwise", name, turn, rows, width, count) for name, count in operands.items() for turn, rows, width in crossed(ROWS, NARROW)]
    return cases + [memory("elementwise", "rope", turn, rows, heads * 128, 2, head=128) for turn, rows, heads in crossed(ROWS, HEADS)]


def softmaxes():
    """By the length of a row, which kernels keep in registers or read again, and by how much there is: 4M to 256M elements."""
    cases = []
    for turn, seq, power in crossed(LENGTHS, ((22, 25, 28), (23, 26), (24, 27))):
        case = memory("softmax", "softmax", turn, max(1, 2**power // seq), seq, 2)
        cases.append(replace(case, extents={**case.extents, "row": seq}, run={"rows": case["rows"]}))
    return cases


def cross_entropies():
    shapes = crossed(((32000, 50304, 128256), (65536, 152064, 202048)), ((1024, 4096, 8192), (512, 2048, 16384)))
    return [memory("cross_entropy", "cross_entropy", turn, rows, vocab, 8) for turn, vocab, rows in shapes if vocab * rows <= 2**31]


def embeddings():
    """Forward only: the gradient of the table depends on which rows are read, and PyTorch sorts them or not by their number."""
    shapes = crossed(((32000, 128256), (50304, 202048)), ((1024, 4096, 8192), (2048, 3072, 5120)), ((2048, 8192, 32768), (1024, 4096, 16384)))
    return [memory("embedding", "lookup", turn, rows, width, 2, ("forward",), "lookup", vocab=vocab) for turn, vocab, width, rows in shapes]


def optimizers():
    """Fused AdamW over fp32 parameters: it reads four tensors and writes three, 28 bytes per parameter."""
    shapes = crossed(((1, 4, 16, 64, 128, 256, 512), (2, 8, 32, 96, 192, 384, 768, 1024), (3, 6, 12, 24, 48, 160, 320, 640)))
    return [Case("optimizer", "optimizer", "adam", "fp32", {"params": millions * 10**6}, ("forward",), 0.0, 28e6 * millions, turn=turn)
            for turn, millions in shapes]


def grouped_gemms():
    """The products of experts from Qwen's, which are narrow, to Mixtral's and DeepSeek-V3's."""
    products = (((2816, 2048), (14336, 4096), (4096, 7168)), ((2048, 768), (7168, 2048), (6144, 2048), (5120, 8192)))
    cases = []
    for turn, experts, (n, k), tokens in crossed(((8, 32, 64), (4, 16, 128)), products, ((32, 128, 512, 2048, 8192), (64, 256, 1024, 4096))):
        if experts * tokens > 131072 or experts * n * k > 2 * 10**9:
            continue
        extents = {"batch": experts, "m": tokens, "n": n, "k": k}
        moved, flops = 2.0 * experts * (tokens * (n + k) + n * k), 2.0 * experts * tokens * n * k
        phases = ("forward", "dgrad", "wgrad")
        cases.append(Case("grouped_gemm", "grouped_gemm", "grouped_linear", "bf16", extents, phases, flops, moved, turn=turn))
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
    """The cases in an order in which any beginning covers every kind and every size: a budget that runs out leaves none empty.

    Turn after turn. In a turn the cases of one name, type and form are walked with a stride near the golden section of their number; after k
    rounds k times the root of its number has come of each, so that what has few shapes does not wait for what has hundreds.
    """
    alike = {}
    for case in cases:
        alike.setdefault((case.turn, case.name, case.dtype, case.run.get("form")), []).append(case)
    queue = []
    for order, ((turn, *_), own) in enumerate(alike.items()):
        queue += [(turn, place / math.sqrt(len(own)), order, own[index]) for place, index in enumerate(strided(len(own)))]
    return [case for *_, case in sorted(queue, key=lambda entry: entry[:3])]


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
