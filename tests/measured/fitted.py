# The constants that were fitted on whole published runs: where they stand, and what one would assume of them without any run.
# SPDX-License-Identifier: Apache-2.0
"""Everything else in the library is a datasheet's, was measured on single operators or collectives, or says what a software does (which kernels it
fuses, how it accumulates); it stays as it is when a source is left out. `prior` is the neutral start: twice the work backward, no gaps, kernels that
read and write once, collectives that are half seen, devices that run as in bursts, software that launches as PyTorch does. `width` is the standard
deviation of what one would believe without a run, around the prior or around the parent's distance from its own prior: of the logarithm, or, of shares
between 0 and 1, of the value. A constant without places is what its children have in common."""
import math
import re
from dataclasses import dataclass

MEGATRON = ("stacks.megatron_2021",)
TE = ("stacks.te",)
FSDP = ("stacks.fms",)
A100_LIKE = ("devices.a100_*", "devices.v100_*")
HOPPER = ("devices.h100_sxm5_80gb", "devices.h800_sxm5_80gb", "devices.h200_sxm_141gb")
LIMITED = ("devices.h100_96gb_500w",)
BLACKWELL = ("devices.b200_*", "devices.gb200_*", "devices.b300_*", "devices.gb300_*")
SIXTEEN = ("fp16", "bf16")


@dataclass(frozen=True)
class Constant:
    """One fitted number. `places` are (declarations, path, form): the fact's text is the form with the number in it."""

    name: str
    places: tuple
    prior: float
    width: float
    why: str  # the width's reason
    low: float = 0
    high: float = math.inf
    share: bool = False  # between 0 and 1: its scale is the value itself
    parent: str = ""  # the constant whose distance from its prior it shares, but for its width

    def place(self, value):
        """Where a value stands on the scale of the width."""
        return value if self.share else math.log(value)

    def value(self, place):
        return place if self.share else math.exp(place)

    def ends(self):
        """The least and the largest place that a fit may choose."""
        low, high = (0, 1) if self.share else (self.place(self.low) if self.low else -math.inf, self.place(self.high) if self.high < math.inf else math.inf)
        return low, high

    def points(self, around, steps):
        """Places to price: steps of the width around a value, the prior and the ends, inside of these."""
        low, high = self.ends()
        centre = self.place(self.prior if around is None else around)
        inside = {min(max(centre + step * self.width, low), high) for step in steps}
        return sorted(inside | {self.place(self.prior)})

    def apply(self, library, value):
        """Writes the number into a library: at its places, and where heirs have them from there."""
        for names, path, form in self.places:
            for pattern in names:
                for name in library.reached(pattern, path):
                    library.set(name, path, form(value))

    def declarations(self, library):
        """The declarations that have it."""
        return {name for names, path, _ in self.places for pattern in names for name in library.reached(pattern, path)}

    @staticmethod
    def _in_unit(text, like):
        """The text of a time in the unit of another."""
        time, unit = re.fullmatch(r"([\d.]+)(ms|us|s)", text), re.search(r"\d(ms|us|s)$", like)
        return f"{float(time[1]) * SECONDS[time[2]] / SECONDS[unit[1]]:.6g}{unit[1]}" if time and unit else text

    def shipped(self, library):
        """The values that the library has at the constant's places, from the first number of each fact that the constant changes."""
        found = set()
        for names, path, form in self.places:
            one, two = (NUMBER.findall(form(v)) for v in (0.5, 1.0))
            at = next(i for i, (a, b) in enumerate(zip(one, two)) if a != b)
            for pattern in names:
                for name in library.reached(pattern, path):
                    numbers = NUMBER.findall(self._in_unit(library.get(name, path) or "", form(1.0)))
                    if len(numbers) == len(two):
                        found.add(float(f"{float(numbers[at]) / float(two[at]):.4g}"))
        return sorted(found)


SECONDS = {"s": 1, "ms": 1e-3, "us": 1e-6}
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def plain(value):
    return f"{value:.6g}"


def micros(value):
    return f"{value:.6g}us"


def picojoule(value):
    return f"{value:.6g}pJ/FLOP"


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


def energy(names, types):
    return tuple((names, f"calibration.gemm.{t}.energy", picojoule) for t in types)


BACKWARD = "both gradients cost 1.8 to 2.1 times the forward product on every device with samples"
HOST = "a launch takes 5 us in a graph to 80 us in eager PyTorch"
KERNELS = "chains of small kernels move up to twice what one fused kernel does"
CLOCKS = "1.17 pJ is what products hold on an H100 limited to 500 W (pytorch/FBGEMM, pull request 2546), 1.19 what they make one after the other on B200 (SimuMax), both against bursts (aiconfigurator)"
EIGHT_BITS = "0.44 pJ is what products of 8192 and more rows hold on an H100 limited to 500 W (pytorch/FBGEMM, pull request 2546: 1083 to 1141 TFLOP/s), as 1.17 in bf16 there"
EIGHT_BITS_OF_BLACKWELL = "B200 at 750 W makes twice and GB200 at 1200 W 2.8 times what an H100 makes (pytorch/FBGEMM, pull request 4172), so 0.34 and at most 0.24 pJ; at most 0.22 by 2377 TFLOP/s with casts on B200 (NVIDIA/TransformerEngine, issue 1747)"
HIDDEN = "any share may be hidden: a flat belief from 0 to 1 has a standard deviation of 0.3"
GAPS = "kernel gaps, logging and data loading are 0 to 5 % of a step where traces were published"
READS = "kernels on one tensor reach 35 to 90 % of the memory's rate in published samples"
PARTS = "kernels on parts of a sequence reach a half to all of the rate"
PACE = "published weak scaling loses 0.2 to 2 % per doubling, by whatever"
SAMPLES = "samples of products reach 50 to 85 % of the datasheet's rate, by device"


def backward_ratio(name, places, parent="backward_ratio"):
    return Constant(f"{name}: backward_ratio", places, 2, 0.03, "stacks of one kind of device differ by less than devices", 1.6, 2.3, parent=parent)


def launch(name, places):
    return Constant(f"{name}: launch", places, 20, 0.4, "software of one host language differs by less", 5, 150, parent="launch")


def norm(name, places, parent="norms"):
    return Constant(f"{name}: norms", places, 1, 0.25, KERNELS, 0.8, 5, parent=parent)


def unattributed(name, names):
    return Constant(f"{name}: unattributed", one(names, "unattributed"), 1, 0.01, GAPS, 1, 1.15, parent="unattributed")


def hidden(name, names, of, parent="", prior=0.5, width=0.3, why=HIDDEN):
    return Constant(f"{name}: inline.{of}", one(names, f"inline.{of}"), prior, width, why, share=True, parent=parent)


CONSTANTS = (
    # What stacks have in common
    Constant("backward_ratio", (), 2, 0.04, BACKWARD, 1.6, 2.3),
    Constant("launch", (), 20, 0.5, HOST, 5, 150),
    Constant("norms", (), 1, 0.3, KERNELS, 0.8, 5),
    Constant("unattributed", (), 1, 0.02, GAPS, 1, 1.15),
    # Devices
    Constant("A100, V100: scores.memory_efficiency", one(A100_LIKE, "calibration.scores.memory_efficiency", percent), 0.85, 0.2, READS, share=True),
    Constant("A100, V100: context.memory_efficiency", one(A100_LIKE, "calibration.context.memory_efficiency", percent), 0.85, 0.2, READS, share=True),
    Constant("A100, V100: scores.backward", one(A100_LIKE, "calibration.scores.backward"), 2, 0.25, "one to three passes over the scores", 1, 3.5),
    Constant("A100, V100: context.backward", one(A100_LIKE, "calibration.context.backward"), 2, 0.25, "one to three passes over the scores", 1, 3.5),
    Constant("V100: gemm.efficiency", gemm(("devices.v100_sxm2*",), ("fp16",), 1) + gemm(("devices.v100_sxm3_32gb",), ("fp16",), 1.0122) + gemm(("devices.v100_sxm3_32gb_450w",), ("fp16",), 1.0923), 0.72, 0.12,
             SAMPLES, 0.4, 0.95),
    Constant("energy of a FLOP, bf16", energy(HOPPER + LIMITED + BLACKWELL, SIXTEEN), 1.18, 0.12, CLOCKS, 0.6, 2),
    Constant("energy of a FLOP, fp8", (), 0.44, 0.3, EIGHT_BITS, 0.15, 1.2),
    Constant("Hopper: energy, fp8", energy(HOPPER + LIMITED, ("fp8",)), 0.44, 0.3, EIGHT_BITS, 0.15, 1.2, parent="energy of a FLOP, fp8"),
    Constant("Blackwell: energy, fp8", energy(BLACKWELL, ("fp8",)), 0.28, 0.3, EIGHT_BITS_OF_BLACKWELL, 0.1, 1.2, parent="energy of a FLOP, fp8"),
    Constant("attention over parts of the sequence", (), 1, 0.25, PARTS, share=True),
    Constant("te_2407, torchtitan: attention over parts", one(("stacks.te_2407", "stacks.torchtitan"), "attention.split", percent), 1, 0.15, PARTS, share=True,
             parent="attention over parts of the sequence"),
    Constant("te_2504: attention over parts", one(("stacks.te_2504",), "attention.split", percent), 1, 0.15, PARTS, share=True, parent="attention over parts of the sequence"),
    Constant("Blackwell: fp4", gemm(BLACKWELL, ("fp4",), 1), 0.5, 0.2, SAMPLES, 0.2, 0.9),
    Constant("TPU: gemm.efficiency", gemm(("devices.tpu_v5e",), ("bf16",), 1), 0.77, 0.12, SAMPLES, 0.5, 0.98),
    Constant("TPU v4: gemm.efficiency", gemm(("devices.tpu_v4",), ("bf16",), 1), 0.77, 0.12, SAMPLES, 0.5, 0.98, parent="TPU: gemm.efficiency"),
    # Megatron-LM of 2020 to 2022
    backward_ratio("megatron", one(MEGATRON, "backward_ratio")),
    launch("megatron", one(MEGATRON, "launch", micros)),
    norm("megatron", norms(MEGATRON)),
    unattributed("megatron", MEGATRON),
    Constant("megatron: fused softmax", passes(("stacks.megatron_2021", "stacks.bigscience"), "softmax", 4.5, 5.5), 1, 0.15, KERNELS, 0.6, 2),
    hidden("megatron", MEGATRON, "regather"),
    Constant("deepspeed: collective_launch.pipeline", one(("stacks.deepspeed_pipeline",), "collective_launch.pipeline", micros), 1000, 1.4,
             "a transfer that blocks its host takes 0.1 to 10 ms where traces were published", 50, 15000),
    Constant("deepspeed: collective_launch of ZeRO-3", one(("stacks.deepspeed_zero3_2021",), "collective_launch.state", micros)
             + one(("stacks.deepspeed_zero3_2021",), "collective_launch.gradient", micros), 111, 0.55,
             "four matrices of a layer, each 0.13 ms before its launch and 0.25 ms of it over 8 ranks, the first or both of which grow with ranks "
             "(deepspeedai/DeepSpeed, issue 1069)", 1, 400),
    # Megatron Core with TransformerEngine
    backward_ratio("te", one(TE, "backward_ratio")),
    launch("te", one(TE, "launch", micros)),
    norm("te", norms(TE)),
    unattributed("te", TE),
    hidden("te_ub", ("stacks.te_ub",), "activation", "", 0.2, 0.2, "user buffers cut a collective into pieces beside the product, of which the first or the last is seen: one of 4 to 8"),
    hidden("te", TE, "regather"),
    hidden("te", TE, "pipeline", prior=0.1, width=0.15, why="overlap_p2p_comm sends beside the computation; what the schedule waits for is simulated"),
    Constant("te_2602: launch", one(("stacks.te_2602",), "launch", micros), 20, 0.4,
             "software of one host language differs by less", 5, 150, parent="launch"),
    # PyTorch with fully sharded data parallelism
    backward_ratio("fsdp", one(FSDP, "backward_ratio")),
    launch("fsdp", one(FSDP, "launch", micros)),
    unattributed("fsdp", FSDP),
    Constant("fsdp: slowdown", one(FSDP, "slowdown"), 0, 0.2, "collectives hold up to a sixth of the multiprocessors, and memory", share=True),
    norm("fsdp, compiled", norms(FSDP)),
    norm("llm_foundry", norms(("stacks.llm_foundry",))),
    Constant("llm_foundry: elementwise", passes(("stacks.llm_foundry",), "gelu", 3, 5) + passes(("stacks.llm_foundry",), "add", 3, 2), 1, 0.3, KERNELS, 0.8, 3),
    Constant("llm_foundry: attention.factor", one(("stacks.llm_foundry",), "attention.factor"), 0.71, 0.15,
             "FlashAttention 2 is 1.3 to 1.5 times as fast forward as the kernel in Triton (arXiv 2307.08691, section 4.1)", 0.3, 1.2),
    Constant("llm_foundry: attention.factor on H100", one(("stacks.llm_foundry_h100",), "attention.factor"), 0.36, 0.15,
             "as on A100, where FlashAttention 2 reaches 0.51 of the curve (arXiv 2407.08608)", 0.15, 1, parent="llm_foundry: attention.factor"),
    Constant("llm_foundry: attention.backward", one(("stacks.llm_foundry",), "attention.backward"), 3.57, 0.15,
             "FlashAttention 2 is about twice as fast backward, 1.4 times forward (arXiv 2307.08691, section 4.1), with 2.5 times the FLOPs", 2, 5),
    Constant("llm_foundry: attention.head at 64", one(("stacks.llm_foundry",), "attention.head", lambda v: f"curve(x = [64, 128], y = [{v:g}, 1.0])"),
             0.78, 0.15,
             "heads of 64 are 0 to 30 % slower per FLOP than heads of 128 in published samples", 0.5, 1.1),
    hidden("torchtitan_async_tp", ("stacks.torchtitan_async_tp",), "activation"),
    # Machines whose units do not keep one pace
    Constant("MosaicML's nodes: jitter", one(("clusters.mosaicml",), "jitter", percent), 0, 0.02, PACE, share=True),
    Constant("TPU slices: jitter", one(("clusters.tpu",), "jitter", percent), 0, 0.02, PACE, share=True),
    # JAX
    unattributed("jax", ("stacks.maxtext",)),
)
