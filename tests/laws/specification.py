# A random plan as data: model family, sizes, axes, schedule, placement, machine, stack. `draw` makes one from a seed; plan_text.py writes it down.
# SPDX-License-Identifier: Apache-2.0
import random
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Fabric:
    """How transfers of a level are priced (`sampled`, `card`, `nominal`) and factors on its times and rates."""
    kind: str
    latency: float = 1
    bandwidth: float = 1
    distance: float = 1  # on the latency of the level alone: the machine that was measured stood nearer
    rate: float = 1  # the same of its bandwidth
    says: bool = True  # at which rate and latency it was measured


@dataclass(frozen=True)
class Machine:
    """A cluster of nodes of eight; factors on the facts of its device."""
    device: str
    inner: Fabric
    outer: Fabric
    topology: str
    memory: float = 1
    memory_bandwidth: float = 1
    peak: float = 1
    levels: str = "node"  # `flat`: one level; `nested`: a level more inside of the node, with the same links


@dataclass(frozen=True)
class Spec:
    family: str
    model: dict
    machine: Machine
    stack: str
    optimizer: str
    params: str = "bf16"
    grads: str = "fp32"
    tp: int = 1
    cp: int = 1
    ep: int = 1  # experts; without experts the inner part of data parallelism
    dp: int = 1
    pp: int = 1
    split_sequence: bool = False  # tensor parallelism splits the residual stream, too
    experts_tp: bool = False
    attention: str = "gather"  # of context parallelism: `gather`, `ring` or `heads`
    inner_states: bool = False  # states over the inner part of data parallelism only
    table_dim: str = "tables"
    zero: int = 0
    micro_batches: int = 1
    micro_batch: int = 1
    seq: int = 1024
    recompute: str = "none"
    schedule: str = "one_f_one_b"
    repeats: int = 1  # of how many equal repeats the model's layers are made
    written: str = "repeats"  # of the own model: `pairs`, one repeat of two layers each, or `layers`, each by itself
    ends: tuple = ()  # layers before the end of each virtual stage, in stage lines
    axis_names: dict = field(default_factory=dict)
    axis_order: tuple = ()
    axes_of_one: bool = False
    bucket: int = None  # of gradients, in MB; without one each layer of FSDP reduces its own
    inline: tuple = ()  # classes of collectives and their shares, in place of the stack's, on a stack whose collectives slow nothing
    rules_of_one: int = None  # two more axes of one device, with rules of this seed that would break laws on larger ones
    factored: str = None  # an axis that is written as the product of two
    shuffled: int = None  # the statements of the plan, in an order of this seed

    @property
    def devices(self):
        return self.tp * self.cp * self.ep * self.dp * self.pp

    @property
    def batch(self):
        return self.micro_batch * self.micro_batches * self.dp * self.ep

    def with_(self, **changes):
        return replace(self, **changes)

    def with_model(self, **changes):
        return replace(self, model={**self.model, **changes})

    def with_machine(self, **changes):
        return replace(self, machine=replace(self.machine, **changes))


@dataclass(frozen=True)
class Family:
    """What a family of the library takes part in. `sizes` are its arguments, drawn with the sizes that all families share."""
    module: str
    model: str
    sizes: object  # (rng, layers, hidden, heads, devices) -> arguments
    body: str = "decoder"
    stages: bool = False
    context: bool = False
    tensor: bool = True
    experts: bool = False
    weight: int = 1


def llama_sizes(rng, layers, hidden, heads, devices):
    return dict(layers=layers, hidden=hidden, heads=heads, kv_heads=rng.choice([8, heads]), ffn=hidden * rng.choice([2, 3, 4]), vocab=32000)


def moe_sizes(rng, layers, hidden, heads, devices):
    return dict(layers=layers, hidden=hidden, heads=heads, kv_heads=8, experts=rng.choice([8, 16, 64]), k=rng.choice([1, 2, 4]),
                ffn=rng.choice([768, 2048, 4096]))


def deepseek_sizes(rng, layers, hidden, heads, devices):
    return dict(dense_layers=1, layers=layers, hidden=hidden, heads=16, dense_ffn=8192, experts=rng.choice([16, 64]), k=rng.choice([2, 6]),
                expert_ffn=1536, shared_ffn=2048, vocab=102400)


def dlrm_sizes(rng, layers, hidden, heads, devices):
    return dict(tables=devices * rng.choice([1, 2]), rows=2 ** rng.choice([14, 18, 20]), emb_dim=512 if devices >= 256 else 256,
                pool=rng.choice([1, 20]))


FAMILIES = {
    "gpt": Family("gpt", "gpt.gpt", lambda rng, l, h, a, n: dict(layers=l, hidden=h, heads=a, attention=rng.choice(["flash", "unfused"]),
                                                                 vocab=51200), stages=True, context=True, weight=2),
    "own": Family(None, "own", lambda rng, l, h, a, n: dict(layers=l, hidden=h, heads=a, vocab=32000), stages=True, weight=2),  # of plan_text.py
    "llama": Family("llama", "llama.dense", llama_sizes, stages=True, context=True, weight=2),
    "moe": Family("moe", "moe.mixtral", moe_sizes, stages=True, context=True, experts=True, weight=2),
    "deepseek": Family("deepseek", "deepseek.deepseek", deepseek_sizes, experts=True),
    "t5": Family("t5", "t5.t5", lambda rng, l, h, a, n: dict(layers=l, hidden=1024, heads=16, ffn=4096)),
    "vit": Family("vit", "vit.vit", lambda rng, l, h, a, n: dict(layers=l, hidden=h, heads=h // 64, patch=14, class_token="false"), body="encoder"),
    "dlrm": Family("dlrm", "dlrm.dlrm", dlrm_sizes, tensor=False),
    "mamba": Family("mamba", "mamba.mamba2", lambda rng, l, h, a, n: dict(layers=l, hidden=h), stages=True),
    "jamba": Family("jamba", "jamba.jamba", lambda rng, l, h, a, n: dict(periods=rng.choice([1, 2]), hidden=2048, heads=16, kv_heads=8, ffn=4096,
                                                                         experts=16), tensor=False, experts=True),
}
STACKS = ["te.te", "megatron.megatron_2022", "megatron.megatron_2021", "fsdp.torchtitan", "fsdp.fms"]
EXPERT_STACKS = ["te.te", "te.te_2602", "te.te_2606"]
# Chunks of a schedule, and of what its micro-batches are a multiple, by stages.
SCHEDULES = {"one_f_one_b": (1, 1), "gpipe": (1, 1), "zero_bubble": (1, 1), "zb_h1": (1, 1), "zb_h2": (1, 1), "paired_1f1b": (1, 1),
             "interleaved_1f1b(chunks = 2)": (2, 1), "breadth_first(chunks = 2)": (2, 1), "zb_v": (2, 2), "dualpipe": (1, 2), "dualpipe_v": (2, 2)}
MOST_DEVICES, LEAST_DEVICES = 512, 16


def draw_axes(rng, family):
    """Sizes of the axes: at least two nodes of eight, at most MOST_DEVICES devices."""
    f = FAMILIES[family]
    axes = dict(tp=rng.choice([1, 1, 2, 4, 8]) if f.tensor else 1, cp=rng.choice([2, 4]) if f.context and rng.random() < .3 else 1, ep=1,
                pp=rng.choice([2, 4, 8]) if f.stages and rng.random() < .5 else 1, dp=rng.choice([1, 2, 4, 8]))
    if f.experts or rng.random() < .3:
        axes["ep"] = rng.choice([1, 2, 4, 8] if f.experts else [2, 4, 8])
    others = axes["tp"] * axes["cp"] * axes["ep"] * axes["pp"]
    while axes["dp"] * others < LEAST_DEVICES:
        axes["dp"] *= 2
    while axes["dp"] * others > MOST_DEVICES and axes["dp"] > 1:
        axes["dp"] //= 2
    return axes


def draw_pipeline(rng, stages):
    """Schedule, micro-batches and layers that go together."""
    if stages == 1:
        return dict(micro_batches=rng.choice([1, 2, 4, 8, 16])), rng.choice([2, 4, 6, 12])
    schedule = rng.choice(list(SCHEDULES))
    chunks, multiple = SCHEDULES[schedule]
    return (dict(schedule=schedule, micro_batches=multiple * stages * rng.choice([1, 2, 4])),
            stages * (2 * rng.choice([1, 2]) if chunks == 2 else rng.choice([2, 4])))


def draw_machine(rng):
    return Machine(device=rng.choice(["h100", "a100", "b200"]), inner=Fabric(rng.choice(["sampled", "sampled", "card", "nominal"])),
                   outer=Fabric(rng.choice(["card", "card", "nominal"])),
                   topology=rng.choice(["switch", "fat_tree(oversubscription = 2)", "rail_optimized(oversubscription = 1)"]))


def draw(seed):
    """The plan of a seed: the same wherever it is drawn."""
    rng = random.Random(seed)
    family = rng.choice([name for name, f in FAMILIES.items() for _ in range(f.weight)])
    f, axes = FAMILIES[family], draw_axes(rng, family)
    pipeline, layers = draw_pipeline(rng, axes["pp"])
    hidden = rng.choice([1024, 2048, 4096])
    attention = rng.choice(["gather", "ring", "heads"]) if axes["cp"] > 1 else "gather"
    heads = max(hidden // (64 if rng.random() < .4 else 128), 8, axes["tp"] * axes["cp"] if attention == "heads" else 1)
    spec = Spec(family=family, model=f.sizes(rng, layers, hidden, heads, axes["tp"] * axes["cp"] * axes["ep"] * axes["dp"] * axes["pp"]),
                machine=draw_machine(rng), stack=rng.choice(EXPERT_STACKS if f.experts else STACKS), attention=attention,
                optimizer=rng.choice(["adam", "adamw", "sgd", "momentum", "lion", "cpu_adam"]), params=rng.choice(["bf16", "fp32", "bf16"]),
                grads=rng.choice(["fp32", "bf16", "fp32"]), split_sequence=family != "vit" and rng.random() < .5,
                experts_tp=axes["ep"] <= 4 and rng.random() < .5, inner_states=not f.experts and rng.random() < .5, zero=rng.choice([0, 1, 2, 3]),
                micro_batch=rng.choice([1, 2, 4]), seq=rng.choice([512, 1024, 2048, 4096]), recompute=rng.choice(["none", "none", "core", "full"]),
                table_dim=rng.choice(["tables", "rows", "emb_dim"]), **axes, **pipeline)
    if attention == "heads" and "kv_heads" in spec.model:
        spec = spec.with_model(kv_heads=heads)
    if attention == "ring" and "attention" in spec.model:  # only a kernel that folds its result takes keys in turns
        spec = spec.with_model(attention="flash")
    return spec.with_(stack="torchrec.torchrec", micro_batch=64 * spec.micro_batch) if family == "dlrm" else spec
