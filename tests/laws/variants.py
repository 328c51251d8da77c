# What is done to a plan to compare it with itself: each function gives the named specifications that a law looks at.
# SPDX-License-Identifier: Apache-2.0
import random
from dataclasses import replace

from plan_text import NODE, axes_of
from specification import FAMILIES, SCHEDULES

OTHER_NAMES = ({"tp": "alpha", "cp": "beta", "ep": "gamma", "replicas": "delta", "dp": "all", "pp": "zeta"},
               {"tp": "z9", "cp": "y9", "ep": "x9", "replicas": "w9", "dp": "v9", "pp": "a0"})


def renamed(s):
    return {f"renamed{i}": s.with_(axis_names=names) for i, names in enumerate(OTHER_NAMES)}


def reordered(s):
    found = {"shuffled": s.with_(shuffled=s.seq + s.devices)}
    if s.family in ("gpt", "llama", "moe", "deepseek", "mamba", "own"):
        found["axes_of_one"] = s.with_(axes_of_one=True)
    return found


def of_one(s):
    """Axes of one device with rules, which are no axes and no rules."""
    return {"with_rules_of_one": s.with_(rules_of_one=s.seq + s.devices)}


def factored(s):
    """Each axis in turn as the product of two."""
    return {f"factored_{a}": s.with_(factored=a) for a, n in axes_of(s) if n >= 4 and a != "pp"}


def flat(s):
    """One level for all devices, and there the axes in another order."""
    one = s.with_machine(levels="flat")
    order = list(range(len(axes_of(one))))
    random.Random(s.devices).shuffle(order)
    return {"flat": one, "flat_other_axes": one.with_(axis_order=tuple(order))}


def nested(s):
    if FAMILIES[s.family].experts and s.ep > 1 and s.model.get("k", 2) > 1:  # several copies of a token
        return {}
    return {"nested": s.with_machine(levels="nested")}


def repeats(s):
    """The layers as several equal repeats."""
    if s.family != "own":
        return {}
    per_stage = s.model["layers"] // s.pp
    return {f"repeats{n}": s.with_(repeats=n) for n in (2, 4) if s.model["layers"] % n == 0 and per_stage > 1}


def cut_inside(s):
    """Layers in pairs that stage lines cut anywhere, and the same layers, each by itself and cut there."""
    s = s if s.pp > 1 else s.with_(pp=2)
    parts, layers = s.pp * SCHEDULES[s.schedule][0], s.model.get("layers", 0)
    if s.family != "own" or layers % 2 or layers <= parts:
        return {}
    ends = sorted(random.Random(s.seq + s.devices + layers).sample(range(1, layers), parts - 1)) + [layers]
    return {f"cut_{written}": s.with_(written=written, ends=tuple(ends), repeats=1) for written in ("pairs", "layers")}


def better_hardware(s):
    m = s.machine

    def link(f, **factors):
        return replace(f, **factors)
    return {"peak": s.with_machine(peak=1.5), "memory_bandwidth": s.with_machine(memory_bandwidth=1.5),
            "inner_bandwidth": s.with_machine(inner=link(m.inner, bandwidth=1.5)), "outer_bandwidth": s.with_machine(outer=link(m.outer, bandwidth=1.5)),
            "inner_latency": s.with_machine(inner=link(m.inner, latency=.5)), "outer_latency": s.with_machine(outer=link(m.outer, latency=.5))}


def facts_of_levels(s):
    """Each fact of a level by itself, beside a fabric that says at what it was measured, and beside one that does not."""
    found = {}
    for place in ("inner", "outer"):
        for fact, factor in (("distance", 1000), ("rate", 0.1)):
            changed = replace(getattr(s.machine, place), **{fact: factor})
            found[f"{place}_{fact}"] = s.with_machine(**{place: changed})
            found[f"{place}_{fact}_unsaid"] = s.with_machine(**{place: replace(changed, says=False)})
    return found


def more_memory(s):
    return {"memory": s.with_machine(memory=1.3)}


def more_work(s):
    """Twice of one size each, but for experts over several devices: of more experts the `k` of a token lie on fewer devices."""
    found = {"micro_batches2": s.with_(micro_batches=2 * s.micro_batches), "micro_batch2": s.with_(micro_batch=2 * s.micro_batch)}
    if s.family not in ("vit", "dlrm"):
        found["seq2"] = s.with_(seq=2 * s.seq)
    spread = FAMILIES[s.family].experts and s.ep > 1
    for size in ("layers", "vocab", "experts", "k", "ffn", "rows"):
        if size in s.model and not (size == "experts" and spread):
            found[size + "2"] = s.with_model(**{size: 2 * s.model[size]})
    if s.family in ("gpt", "llama", "moe", "own"):
        found["hidden2"] = s.with_model(hidden=2 * s.model["hidden"], heads=2 * s.model["heads"])
    return found


def more_replicas(s):
    return {"replicas2": s.with_(dp=2 * s.dp)}


def plain(s):
    """The same devices with data parallelism alone."""
    return {"plain": s.with_(tp=1, cp=1, ep=1, pp=1, dp=s.devices, schedule="one_f_one_b", inner_states=False)}


def zero(s):
    return {f"zero{z}": s.with_(zero=z, inner_states=False) for z in range(4)}


def recomputed(s):
    return {f"recompute_{r}": s.with_(recompute=r) for r in ("none", "core", "full")}


def sliced(s):
    """Some of the layers, as a slice and one by one."""
    if s.family not in ("gpt", "llama", "moe"):
        return {}
    return {f"{form}{step}": s.with_(recompute=f"{form}{step}") for step in (2, 3) for form in ("sliced", "listed")}


def schedules(s):
    """All schedules that the layers divide for, with a number of micro-batches that all of them take."""
    if s.pp == 1:
        return {}
    chunks_fit = s.model["layers"] % (2 * s.pp) == 0
    batches = max(s.micro_batches // (2 * s.pp), 1) * 2 * s.pp
    return {schedule.split("(")[0]: s.with_(schedule=schedule, micro_batches=batches)
            for schedule, (chunks, _) in SCHEDULES.items() if chunks == 1 or chunks_fit}


SHARES = (0, .5, .9999, 1)


def classes(s):
    """Classes of collectives whose share a stack gives, and whether the plan may have such."""
    return {"activation": s.tp > 1, "regather": s.tp > 1 and s.split_sequence, "exchange": s.ep > 1 and FAMILIES[s.family].experts or s.family == "dlrm",
            "ring": s.cp > 1 and s.attention == "ring", "state": s.zero == 3 or s.zero > 0 and s.params == "bf16", "gradient": True, "pipeline": s.pp > 1}


def more_inline(s):
    """With nothing slowed: more and more of all collectives in the compute stream, and of one class beside half of the others."""
    one = random.Random(s.seq + s.devices + s.batch).choice([cls for cls, used in classes(s).items() if used])
    ways = {"all": lambda cls, share: share, one: lambda cls, share: share if cls == one else .5}
    return {f"inline_{which}_{str(share).replace('.', '_')}": s.with_(inline=tuple((cls, of(cls, share)) for cls in classes(s)))
            for which, of in ways.items() for share in SHARES}


def buckets(s):
    """Gradients in small messages, in large ones, and in a single one."""
    return {f"bucket{size}": s.with_(bucket=size) for size in (25, 400, 10**6)}


def slow_wires(s):
    """Hardly anything but communication, over the wires of the cluster and over a single one."""
    m, found = s.machine, {}
    for levels, kind in ((m.levels, m.inner.kind), ("flat", "card")):
        slow = s.with_machine(levels=levels, inner=replace(m.inner, kind=kind, bandwidth=1e-4), outer=replace(m.outer, bandwidth=1e-4))
        shares = more_inline(slow)
        found |= {f"slow_{levels}_{share}": shares[f"inline_all_{share}"] for share in ("0", "0_5")}
    return found


def on_wires(s):
    return {**more_inline(s), **buckets(s), **slow_wires(s)}


def itself(s):
    return {}
