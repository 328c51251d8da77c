# What every source shares: a run as its authors describe it, and the text of the plan that says the same.
# SPDX-License-Identifier: Apache-2.0
import re
from dataclasses import dataclass, field


class Incomplete(Exception):
    """A row that lacks a field which no rule of its source supplies; the text names the field."""


def number(row, name):
    """The whole number in a column, or None where it is blank."""
    text = (row.get(name) or "").strip()
    return int(float(text)) if text else None


def need(row, *names):
    """The whole numbers of columns that must be printed."""
    missing = [n for n in names if number(row, n) is None]
    if missing:
        raise Incomplete(" and ".join(missing))
    values = [number(row, n) for n in names]
    return values[0] if len(values) == 1 else values


def note(row, key):
    """The value of `key=value` in the notes, or None."""
    found = re.search(rf"\b{key}=([^\s;,]+)", row["notes"])
    return found and found.group(1)


def gpt_flops(batch, seq, layers, hidden, vocab, passes):
    """FLOPs of a step of a GPT with full attention: 24 B s l h^2 (1 + s/6h + V/16lh) per pass; arXiv 2104.04473, equation 3, has 4 passes."""
    return 24 * passes * batch * seq * layers * hidden**2 * (1 + seq / (6 * hidden) + vocab / (16 * layers * hidden))


@dataclass
class Run:
    """One published run. Degrees that are 1 leave no axis behind, except data parallelism."""

    name: str
    group: str  # the line of the table of statistics
    kind: str  # dense or moe
    model: str  # expression, as std.models.gpt -> "gpt.mpt_7b"
    cluster: str
    software: str
    seq: int
    global_batch: int
    micro_batch: int
    precision: dict
    seconds: float  # of a step
    citation: str
    data: int = 1
    tensor: int = 1
    context: int = 1
    pipeline: int = 1
    expert: int = 1
    sequence_parallel: bool = False
    kept: bool = False  # parameters that forward gathered stay until the backward of the micro-batch has read them
    copies: int = 1  # of the data-parallel group in which states are sharded: hybrid sharding
    stored: str = ""  # params or optimizer: what is sharded over the data-parallel axes
    recompute: str = ""  # a selector
    keep: str = ""  # what backward needs and where it lies meanwhile
    schedule: str = "one_f_one_b"
    stages: list = field(default_factory=list)
    scatter: bool = False  # boundary values travel in slices over the tensor-parallel axis
    overlap: str = ""  # facts in place of the stack's
    positions: bool = False  # the model has learned positions
    mla: bool = False  # DeepSeek's layers: dense ones first, a shared expert, multi-token prediction
    measured: tuple = ()  # other metrics than the step time: (text of the metric, value with unit)
    memory: str = ""  # the printed peak of a device, with unit: compared beside the step time
    counter: str = "memory.peak"  # the metric that it is: memory.pool where the allocator's cache counts, too
    optimizer: str = "adam"
    lora: str = ""  # facts of adapters: the run fine-tunes
    context_by: str = "ring"  # how attention sees the other parts of a sequence: ring, gather, or heads (Ulysses)
    place: tuple = ()  # rules in place of those that follow from the degrees
    mesh: str = ""  # the axes, in place of those that follow from the degrees
    documents: str = ""  # lengths of packed documents
    gini: float = 0  # inequality of the loads of experts
    balanced: bool = False  # the loads of experts are forced to be equal
    installed: str = ""  # the release of the software, as 2026-04, where the source says it


MODULES = {
    "ops": "std.ops", "blocks": "std.blocks",
    "bloom": "std.models.bloom", "gemma": "std.models.gemma", "gemma4": "std.models.gemma4",
    "gpt": "std.models.gpt", "llama": "std.models.llama", "moe": "std.models.moe",
    "gpt_oss": "std.models.gpt_oss", "kimi": "std.models.kimi", "nemotron3": "std.models.nemotron3", "qwen": "std.models.qwen", "deepseek": "std.models.deepseek",
    "nemotron": "std.models.nemotron", "nemotron_h": "std.models.nemotron_h", "azure": "std.clusters.azure",
    "generic": "std.clusters.generic", "dgx_a100": "std.clusters.dgx_a100", "dgx_h100": "std.clusters.dgx_h100", "dgx_v100": "std.clusters.dgx_v100",
    "hgx": "std.clusters.hgx", "jean_zay": "std.clusters.jean_zay", "mosaicml": "std.clusters.mosaicml",
    "nvl72": "std.clusters.nvl72", "tpu": "std.clusters.tpu", "devices": "std.devices", "fabrics": "std.fabrics",
    "megatron": "std.stacks.megatron", "oneflow": "std.stacks.oneflow", "te": "std.stacks.te", "fsdp": "std.stacks.fsdp", "jax": "std.stacks.jax",
    "nanotron": "std.stacks.nanotron", "optimizers": "std.optimizers",
}


def _uses(text, module):
    return any(text.startswith(module + ".", i) and (i == 0 or not (text[i - 1].isalnum() or text[i - 1] in "_.")) for i in range(len(text)))


def staged(run):
    """Whether a pipeline stands in the plan: several stages, or one whose schedule runs two passes together."""
    return run.pipeline > 1 or run.schedule.startswith("paired")


def _axes(run):
    """The mesh: (lines, the name of the data-parallel axes, of the expert axis)."""
    axes, groups = [], []
    if run.tensor > 1:
        axes.append(f"tp = {run.tensor}")
    if run.context > 1:
        axes.append(f"cp = {run.context}")
    if run.expert > 1:
        inner = run.expert // run.tensor  # experts lie over tensor-parallel ranks too: expert tensor parallelism is 1
        axes += [f"inner = {inner}", f"outer = {run.data // inner}"]
        groups = ["dp = [outer, inner]", "ep = [inner, tp]" if run.tensor > 1 else "ep = [inner]"]
    elif run.copies > 1:
        axes += [f"shard = {run.data // run.copies}", f"rep = {run.copies}"]
        groups = ["dp = [rep, shard]"]
    else:
        axes.append(f"dp = {run.data}")
    if staged(run):
        axes.append(f"pp = {run.pipeline}")
    return "; ".join(axes + groups)


def _place(run):
    """The placement rules of the run's parallelisms."""
    if run.place:
        return list(run.place)
    stream = [a for a, on in (("cp", run.context > 1), ("tp", run.tensor > 1 and run.sequence_parallel)) if on]
    seq = "" if not stream else f"seq -> {stream[0]}" if len(stream) == 1 else f"seq -> [{', '.join(stream)}]"
    layer, inside = [], []
    if seq:
        layer.append(seq)
    if run.tensor > 1:
        inside.append("attn { heads -> tp }")
        inside.append("mlp { ffn -> tp }" if run.kind == "dense" else "")
    if run.context > 1 and run.context_by != "gather":
        split = "heads -> [tp, cp]" if run.tensor > 1 else "heads -> cp"
        inside.append("attn.core { kv_seq -> cp via ring }" if run.context_by == "ring" else f"attn.core {{ {split} }}")
    experts = "moe { experts -> ep }" if run.expert > 1 else ""
    lines = ["batch -> dp"] + (["seq -> cp"] if run.context > 1 else [])
    body = [x for x in layer + inside + [experts] if x]
    if body:
        lines += ["decoder {"] + ["  " + x for x in body] + (["  shared { ffn -> tp }"] if run.mla and run.tensor > 1 else []) + ["}"]
    if run.mla:
        dense = layer + (["attn { heads -> tp }", "mlp { ffn -> tp }"] if run.tensor > 1 else [])
        if dense:
            lines += ["dense {"] + ["  " + x for x in dense] + ["}"]
        ahead = layer + (["attn { heads -> tp }", "next, logits, out { vocab -> tp }"] if run.tensor > 1 else []) + ([experts] if experts else [])
        if ahead and "mtp_depth = 0" not in run.model:
            lines += ["mtp {"] + ["  " + x for x in ahead] + ["}"]
    if "tp" in seq:
        lines.append(("position, norm { " if run.positions else "norm { ") + seq + " }")
    if run.tensor > 1:
        lines.append("embed, head, loss { vocab -> tp }")
    return lines


def software_of(run):
    """The stack of a run's plan: the library's, or an heir that says which release was installed."""
    return f"{run.software.replace('.', '_')}_{run.installed.replace('-', '_')}" if run.installed else run.software


def installed(runs):
    """The declarations of the heirs."""
    return sorted({f'stack {software_of(r)} extends {r.software} {{ installed = "{r.installed}" : "the release of the row" }}' for r in runs if r.installed})


def plan_text(run):
    """The plan of a run."""
    out = [f"plan {run.name} {{", f"  model = {run.model}", f"  cluster = {run.cluster}", f"  software = {software_of(run)}"]
    workload = f"seq = {run.seq}; global_batch = {run.global_batch}; micro_batch = {run.micro_batch}; optimizer = optimizers.{run.optimizer}"
    workload += f"; documents {run.documents}" if run.documents else ""
    workload += f"; expert_gini = {run.gini}" if run.gini else "; expert_imbalance = 1" if run.balanced else ""
    out.append(f"  finetune {{ {workload}; lora {{ {run.lora} }} }}" if run.lora else f"  train {{ {workload} }}")
    out.append("  precision { " + "; ".join(f"{k} {v}" if v.startswith("{") else f"{k} = {v}" for k, v in run.precision.items()) + " }")
    out.append("  mesh { " + (run.mesh or _axes(run)) + " }")
    out += ["  place {"] + ["    " + line for line in _place(run)] + ["  }"]
    if run.stored and run.data * run.context > 1:
        over = "shard" if run.copies > 1 else "[dp, cp]" if run.context > 1 and run.data > 1 else "cp" if run.context > 1 else "dp"
        out.append(f"  states {{ {run.stored} -> {over}{' { regather = false }' if run.kept else ''} }}")
    if staged(run):
        facts = [f"schedule = {run.schedule}"] + (["scatter = tp"] if run.scatter and run.tensor > 1 else [])
        facts += [f"stage {i} = {text}" for i, text in enumerate(run.stages)]
        out += ["  pipeline pp {"] + ["    " + f for f in facts] + ["  }"]
    if run.overlap:
        out.append(f"  overlap {{ {run.overlap} }}")
    if run.recompute:
        out.append(f"  recompute {run.recompute}")
    if run.keep:
        out.append(f"  keep {run.keep}")
    metrics = (run.measured or (("step_time", f"{run.seconds:.6g}s"),)) + (((run.counter, run.memory),) if run.memory else ())
    out += [f'  measured {metric} = {value} : "{run.citation}"' for metric, value in metrics]
    return "\n".join(out + ["}"])


def file_text(title, runs, preamble=""):
    """A file of plans: what it is, the imports that they need, models that the library does not have, and the plans."""
    plans = "\n".join(installed(runs) + [""] * bool(installed(runs))) + "\n\n".join(plan_text(r) for r in runs)
    imports = [f"import {path}" for module, path in MODULES.items() if _uses(preamble + plans, module)]
    return "/// " + title + "\n" + "\n".join(imports) + "\n\n" + (preamble + "\n" if preamble else "") + plans + "\n"


def stage_lines(counts, first, last, repeat="decoder"):
    """Stage lines from the number of layers of every virtual stage."""
    lines, at = [], 0
    for i, n in enumerate(counts):
        parts = ([first] if i == 0 else []) + ([f"{repeat}[{at}:{at + n}]"] if n else []) + ([last] if i == len(counts) - 1 else [])
        lines.append(", ".join(parts))
        at += n
    return lines
