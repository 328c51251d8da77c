# The constants that were fitted on whole published runs: where they stand, what one would assume without any run, what a fit may choose from.
# SPDX-License-Identifier: Apache-2.0
"""Everything else in the library is a datasheet's, was measured on single operators or collectives, or says what a software does (which kernels it
fuses, how it accumulates); it stays as it is when a source is left out. `prior` is the neutral start: twice the work backward, no gaps, kernels that
read and write once, collectives that are seen in full, devices that run as in bursts, software that launches as PyTorch does."""
from dataclasses import dataclass

from library import scaled

MEGATRON = ("stacks.megatron_*", "stacks.oneflow")
TE = ("stacks.te", "stacks.te_ub", "stacks.te_2*", "stacks.te_layer*")
FSDP = ("stacks.fms", "stacks.fms_h100", "stacks.torchtitan*", "stacks.llm_foundry*")
COMPILED = ("stacks.fms", "stacks.fms_h100", "stacks.torchtitan", "stacks.torchtitan_async_tp")
A100_LIKE = ("devices.a100_*", "devices.v100_*")
HOPPER = ("devices.h100_sxm5_80gb", "devices.h800_sxm5_80gb")
LIMITED = ("devices.h100_96gb_500w",)
BIG = ("fp16", "bf16", "tf32")


@dataclass(frozen=True)
class Constant:
    """One fitted number. `places` are (declarations, path, form): the fact's text is the form with the number in it."""

    name: str
    places: tuple
    prior: float
    grid: tuple
    kind: str = "dense"  # the kind of runs that it is fitted on
    nearest: str = ""  # the constant whose value it takes where no other source has its stack or device; none: the prior

    def values(self):
        """What a fit may choose from, in order."""
        return sorted({*self.grid, self.prior})

    def apply(self, library, value):
        """Writes the number into a library."""
        for names, path, form in self.places:
            for name in names:
                library.set(name, path, form(value))

    def declarations(self):
        return {name for names, _, _ in self.places for name in names}


def plain(value):
    return f"{value:.6g}"


def micros(value):
    return f"{value:.6g}us"


def percent(value):
    return f"{100 * value:.6g}%"


def times(base, form=plain):
    """A number that is a multiple of a base."""
    return lambda value: form(base * value)


def passes(names, operator, forward, backward):
    """Memory passes of an operator, as a multiple of what a kernel that touches everything once would make."""
    return ((names, f"passes.{operator}.forward", times(forward)), (names, f"passes.{operator}.backward", times(backward)))


def norms(names):
    return passes(names, "layer_norm", 2, 4) + passes(names, "rms_norm", 2, 4)


def gemm(names, types, base):
    return tuple((names, f"calibration.gemm.{t}.efficiency", times(base, percent)) for t in types)


def one(names, path, form=plain):
    return ((names, path, form),)


# Causal forward attention of Hopper in bursts, by sequence length (aiconfigurator h100_sxm; arXiv 2407.08608).
HOPPER_ATTENTION = ("curve(x = [256, 512, 1024, 2048, 4096, 8192, 16384, 65536], "
                    "y = [125TFLOP/s, 214TFLOP/s, 328TFLOP/s, 450TFLOP/s, 534TFLOP/s, 578TFLOP/s, 608TFLOP/s, 615TFLOP/s])")


def attention(names):
    return ((names, "calibration.attention.forward.rate", lambda value: scaled(HOPPER_ATTENTION, value)),)


LAUNCH = (10, 20, 35, 50, 65, 80)
RATIO = (1.8, 1.85, 1.9, 1.95, 2.0, 2.05, 2.1)
SHARE = (0, 0.2, 0.4, 0.6, 0.8, 1)
NORMS = (1, 1.15, 1.3, 1.45, 1.6, 1.8, 2.1)
ONE_READ = (0.35, 0.45, 0.55, 0.65, 0.75, 0.85)
BACKWARD = (1, 1.25, 1.5, 1.75, 2, 2.35, 2.7, 3)

CONSTANTS = (
    # Devices
    Constant("A100, V100: scores.memory_efficiency", one(A100_LIKE, "calibration.scores.memory_efficiency", percent), 0.85, ONE_READ),
    Constant("A100, V100: context.memory_efficiency", one(A100_LIKE, "calibration.context.memory_efficiency", percent), 0.85, ONE_READ),
    Constant("A100, V100: scores.backward", one(A100_LIKE, "calibration.scores.backward"), 2, BACKWARD),
    Constant("A100, V100: context.backward", one(A100_LIKE, "calibration.context.backward"), 2, BACKWARD),
    Constant("V100: gemm.efficiency", gemm(("devices.v100_sxm2*",), ("fp16",), 1) + gemm(("devices.v100_sxm3*",), ("fp16",), 0.618 / 0.61), 0.772,
             (0.56, 0.58, 0.61, 0.64, 0.68, 0.72, 0.772)),
    Constant("H100: clocks of long training", gemm(HOPPER, BIG, 0.77) + attention(HOPPER), 1, (0.75, 0.8, 0.85, 0.9, 0.95, 1)),
    Constant("H100 500 W: clocks", gemm(LIMITED, BIG, 0.77) + attention(LIMITED), 1, (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1),
             nearest="H100: clocks of long training"),
    Constant("H100: clocks, fp8", gemm(HOPPER, ("fp8",), 0.65), 1, (0.8, 0.84, 0.88, 0.92, 0.96, 1)),
    Constant("H100 500 W: clocks, fp8", gemm(LIMITED, ("fp8",), 0.65), 1, (0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 1), nearest="H100: clocks, fp8"),
    Constant("H100: attention over parts of the sequence", one(HOPPER + LIMITED, "calibration.attention.split", percent), 1, (0.5, 0.6, 0.7, 0.85, 1)),
    Constant("Blackwell: fp8", gemm(("devices.b200_*",), ("fp8",), 0.538) + gemm(("devices.gb200_*",), ("fp8",), 0.496), 1,
             (0.82, 0.85, 0.88, 0.91, 0.94, 0.97, 1)),
    Constant("Blackwell: fp4", gemm(("devices.b200_*", "devices.gb200_*"), ("fp4",), 1), 0.5, (0.34, 0.38, 0.42, 0.46, 0.5)),
    Constant("TPU: gemm.efficiency", gemm(("devices.tpu*",), ("bf16",), 1), 0.77, (0.7, 0.77, 0.84, 0.92, 0.96)),
    # Megatron-LM of 2020 to 2022
    Constant("megatron: backward_ratio", one(MEGATRON, "backward_ratio"), 2, RATIO),
    Constant("megatron: launch", one(("stacks.megatron_*",), "launch", micros), 20, LAUNCH),
    Constant("megatron: norms", norms(MEGATRON), 1, NORMS),
    Constant("megatron: fused softmax", passes(("stacks.megatron_2021", "stacks.megatron_2022"), "softmax", 4.5, 5.5), 1, (0.8, 0.9, 1, 1.1, 1.2)),
    Constant("megatron: inline.regather", one(MEGATRON, "inline.regather"), 1, SHARE),
    # Megatron Core with TransformerEngine
    Constant("te: backward_ratio", one(TE, "backward_ratio"), 2, RATIO),
    Constant("te: launch", one(("stacks.te", "stacks.te_ub"), "launch", micros), 20, LAUNCH),
    Constant("te: norms", norms(TE), 1, NORMS),
    Constant("te: inline.activation", one(("stacks.te", "stacks.te_26*"), "inline.activation"), 1, SHARE),
    Constant("te_ub: inline.activation", one(("stacks.te_ub",), "inline.activation"), 1, SHARE),
    Constant("te: inline.regather", one(TE, "inline.regather"), 1, SHARE),
    Constant("te: inline.pipeline", one(TE, "inline.pipeline"), 1, (0, 0.5, 1)),
    Constant("te_2602: launch", one(("stacks.te_2602", "stacks.te_2509", "stacks.te_layer*"), "launch", micros), 20, (20, 35, 50, 70), "moe"),
    # PyTorch with fully sharded data parallelism
    Constant("fsdp: backward_ratio", one(FSDP, "backward_ratio"), 2, RATIO),
    Constant("fsdp: launch", one(FSDP, "launch", micros), 20, LAUNCH),
    Constant("fsdp: slowdown", one(FSDP, "slowdown"), 0, (0, 0.1, 0.2, 0.3, 0.4, 0.5)),
    Constant("fsdp, compiled: norms", norms(COMPILED), 1, NORMS),
    Constant("llm_foundry: norms", norms(("stacks.llm_foundry*",)), 1, NORMS, nearest="fsdp, compiled: norms"),
    Constant("llm_foundry: elementwise", passes(("stacks.llm_foundry*",), "gelu", 3, 5) + passes(("stacks.llm_foundry*",), "add", 3, 2), 1,
             (1, 1.25, 1.5, 1.75, 2)),
    Constant("llm_foundry: attention.factor", one(("stacks.llm_foundry",), "attention.factor"), 1, (0.5, 0.6, 0.7, 0.8, 0.9, 1)),
    Constant("llm_foundry: attention.factor on H100", one(("stacks.llm_foundry_h100",), "attention.factor"), 0.58, (0.26, 0.32, 0.38, 0.45, 0.52, 0.58)),
    Constant("llm_foundry: attention.backward", one(("stacks.llm_foundry*",), "attention.backward"), 2.5, (2.3, 2.5, 2.7, 2.9, 3.1)),
    Constant("llm_foundry: attention.head at 64", one(("stacks.llm_foundry*",), "attention.head", lambda v: f"curve(x = [64, 128], y = [{v:g}, 1.0])"),
             0.78, (0.78, 0.88, 0.98)),
    Constant("torchtitan_eager: norms, rope", norms(("stacks.torchtitan_eager",)) + passes(("stacks.torchtitan_eager",), "rope", 2, 2), 1, (1, 2, 4, 6),
             nearest="llm_foundry: norms"),
    Constant("torchtitan_async_tp: inline.activation", one(("stacks.torchtitan_async_tp",), "inline.activation"), 1, SHARE),
    # All stacks
    Constant("unattributed", one(("stacks.*",), "unattributed"), 1, (1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06)),
)
