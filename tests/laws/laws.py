# The laws that every price obeys: one function each, which sees a base and its variants' prices and yields what is wrong, by how much.
# SPDX-License-Identifier: Apache-2.0
import json
import math
import pathlib
import sys
from dataclasses import dataclass

import variants
from pricing import KINDS

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "accounts"))
from accounts import problems  # the law of one report

EXACT = 1e-9
ORDERED_BY_TIMES = ("zero_bubble", "zb_h2")  # what they keep in flight follows the times, too
PAIRS = ("paired_1f1b", "dualpipe", "dualpipe_v")  # schedules of passes that take turns on the streams
SPLIT = ("zero_bubble", "zb_h1", "zb_h2", "zb_v")  # of backward passes in two halves
FIRST_LAYERS = ("embed", "source_embed", "patches")  # where backward ends
LAWS = []


@dataclass
class Law:
    name: str
    says: str
    source: str
    variants: object
    check: object
    share: float = 0  # of the comparisons that may break it
    amount: float = 0  # the most by which any may


def law(says, source, over=variants.itself, share=0, amount=0):
    """Registers a function (spec, base, prices) that yields (variant, amount or None, message) for what breaks the law; None breaks it in any case,
    0 keeps it and counts."""
    def register(check):
        LAWS.append(Law(check.__name__, says, source, over, check, share, amount))
        return check
    return register


def close(a, b, tolerance=EXACT):
    return abs(a - b) <= tolerance * max(abs(a), abs(b), 1e-12)


def differences(a, b, tolerance=EXACT):
    return [f"{k} {a[k]:.9g} -> {b[k]:.9g}" for k in a if k in b and not close(a[k], b[k], tolerance)]


def same(prices, names, base):
    for name in names:
        if name in prices:
            found = differences(base.numbers(), prices[name].numbers())
            yield name, None if found else 0, "; ".join(found[:4])


def slower(name, base, price):
    """By which share a plan is slower than its base: 0 within rounding."""
    amount = price.time / base.time - 1
    return name, amount if amount > EXACT else 0, f"{base.time:.6g} s -> {price.time:.6g} s ({amount:+.3%})"


def faster(name, base, price):
    """By which share a plan is faster than its base: 0 within rounding."""
    amount = 1 - price.time / base.time
    return name, amount if amount > EXACT else 0, f"{base.time:.6g} s -> {price.time:.6g} s ({-amount:+.3%})"


@law("What the model needs, and what is executed, takes at least its time at the peaks of its types.", "docs/cost-model.md 6")
def peaks(spec, base, prices):
    for name in ("mfu", "mfu_causal", "hfu"):
        share = base.totals[name]
        yield name, None if not 0 < share <= 1 else 0, f"{share:.3%}"


@law("Names of axes decide nothing.", "docs/language.md 10", variants.renamed)
def names(spec, base, prices):
    yield from same(prices, variants.renamed(spec), base)


@law("The order of statements decides nothing, nor do axes of one device in the rules of larger ones.", "docs/language.md 4, 9", variants.reordered)
def order(spec, base, prices):
    yield from same(prices, variants.reordered(spec), base)


@law("A group of two axes that follow each other costs what one axis of as many devices costs.", "docs/language.md 9", variants.factored)
def factors(spec, base, prices):
    yield from same(prices, variants.factored(spec), base)


@law("Where all devices are alike near to each other, the order of the axes decides nothing.", "docs/language.md 9", variants.flat)
def axes(spec, base, prices):
    if "flat" in prices and "flat_other_axes" in prices:
        yield from same(prices, ["flat_other_axes"], prices["flat"])


@law("A level inside of a node is a name for the same wires, but for copies of a token, which are forwarded level by level.", "docs/cost-model.md 2.4",
     variants.nested)
def levels(spec, base, prices):
    for price in prices.values():
        found = differences({"time": base.time, "peak": base.peak}, {"time": price.time, "peak": price.peak}, 1e-6)
        yield "nested", None if found else 0, "; ".join(found)


@law("Repeats that follow each other cost what one repeat of all layers costs.", "docs/cost-model.md 7", variants.repeats)
def unrolled(spec, base, prices):
    for name, price in prices.items():
        found = differences({"time": base.time, "peak": base.peak}, {"time": price.time, "peak": price.peak}, 1e-6)
        yield name, None if found else 0, "; ".join(found)


@law("A period of a repeat that is cut costs what its layers cost when each is written out and cut there.", "docs/semantics.md", variants.cut_inside)
def inside(spec, base, prices):
    both = [prices.get(name) for name in ("cut_pairs", "cut_layers")]
    if all(both):
        pairs, layers = both
        found = differences(pairs.numbers(), layers.numbers())
        for a, b in zip(pairs.stages, layers.stages):
            found += differences({k: v for k, v in a.items() if k.endswith("bytes")}, b)
        yield "cut_pairs", None if found else 0, "; ".join(found[:4])
    elif any(both):
        yield "cut_pairs", None, "only one of the two is refused"


def every(base, prices):
    return {"base": base, **prices}.items()


@law("Rows and parts add up to the step, to 1e-9 of it; none is negative, none exposes more communication than it takes.", "docs/cost-model.md 3.3",
     variants.schedules)
def accounts(spec, base, prices):
    for name, p in every(base, prices):
        found = problems(p.plan) + [f"{k} is {v}" for k, v in p.numbers().items() if v < 0 or not math.isfinite(v)]
        yield name, None if found else 0, "; ".join(found[:3])


@law("The memory of a stage is the sum of its kinds and of what lives at its fullest moment; the peak is that of the fullest stage.",
     "docs/cost-model.md 3a, 7", variants.schedules)
def memory_sums(spec, base, prices):
    for name, p in every(base, prices):
        for stage in p.stages:
            kinds, live, all_of_it = sum(stage[k] for k in KINDS), sum(x["bytes"] for x in stage["live"]), stage["peak_bytes"]
            yield name, 0 if abs(kinds - all_of_it) <= len(KINDS) and abs(live - all_of_it) <= len(stage["live"]) else None, \
                f"stage {stage['stage']}: kinds {kinds}, live {live}, peak {all_of_it}"
            yield name, 0 if stage["allocated_bytes"] == all_of_it else None, f"stage {stage['stage']}: allocated {stage['allocated_bytes']}, peak {all_of_it}"
        yield name, 0 if p.peak == p.largest("peak_bytes") else None, f"peak {p.peak}, of the stages {p.largest('peak_bytes')}"
        yield name, None if p.memory["fits"] and p.peak > p.memory["capacity_bytes"] else 0, "fits and is larger than the device"


@law("Nothing runs above its peak: hardware FLOPs are those that are executed, and masked blocks that a kernel skips are not.", "docs/language.md 13",
     variants.recomputed)
def peak(spec, base, prices):
    for name, p in every(base, prices):
        yield name, 0 if p.totals["hfu"] <= 1 + EXACT else None, f"HFU {p.totals['hfu']:.4f}"


@law("Throughput is the batch over the step, and the interval holds the prediction.", "docs/cost-model.md 5", variants.more_work)
def throughput(spec, base, prices):
    all_specs = {"base": spec, **variants.more_work(spec)}
    for name, p in every(base, prices):
        rate = all_specs[name].batch / p.time
        yield name, 0 if close(p.totals["samples_per_s"], rate) else None, f"{p.totals['samples_per_s']} samples/s, batch over time {rate}"
        low, high = p.totals["step_time_low_s"], p.totals["step_time_high_s"]
        yield name, 0 if low is None or low <= p.time <= high else None, f"{p.time} is not within {low} to {high}"


WHOLE = 1e-3  # the most by which schedules of whole passes may break a law that pairs and halves keep nearly


def nearly(spec, found):
    """Kept to a thousandth by schedules of whole passes, one after the other; by pairs and halves as far as the law allows."""
    name, amount, message = found
    return name, None if amount > WHOLE and spec.schedule not in PAIRS + SPLIT else amount, message


@law("More FLOP/s, bandwidth or less latency does not slow a plan. Pairs and halves of backward passes keep this nearly: with shorter operations a stream may take "
     "another order (Graham 1969).", "docs/cost-model.md 7", variants.better_hardware, share=.01, amount=.02)
def hardware(spec, base, prices):
    for name, p in prices.items():
        yield nearly(spec, slower(name, base, p))


VOID = {"PLAN0531", "PLAN0541"}  # a fact that changes nothing


@law("Every fact of a level moves the price of what crosses the level, or is warned of.", "docs/cost-model.md 2.1", variants.facts_of_levels)
def facts(spec, base, prices):
    for name, p in prices.items():
        place = "node" if name.startswith("inner") else "room"
        before, after = ([c["time_s"] for c in x.plan["collectives"] if c["level"] == place] for x in (base, p))
        if before:
            yield name, 0 if before != after or VOID & set(p.warnings) else None, f"{len(before)} kinds of collectives in a {place} cost the same"


@law("Memory does not depend on the speed of the hardware.", "docs/cost-model.md 3a", variants.better_hardware)
def hardware_memory(spec, base, prices):
    if spec.schedule in ORDERED_BY_TIMES:
        return
    for name, p in prices.items():
        yield name, 0 if p.peak == base.peak else None, f"{base.peak} B -> {p.peak} B"


@law("A device with more memory is as fast, or faster if the schedule chooses among orders that fit (of those that do not it takes the soonest); and what "
     "fitted fits.", "docs/cost-model.md 3a", variants.more_memory)
def more_memory(spec, base, prices):
    for name, p in prices.items():
        lost, chooses = base.memory["fits"] and not p.memory["fits"], spec.schedule in ORDERED_BY_TIMES
        other = base.memory["fits"] and p.time > base.time * (1 + EXACT) if chooses else p.time != base.time
        yield name, None if lost or other else 0, f"{base.time:.9g} s -> {p.time:.9g} s{', fits no longer' if lost else ''}"


@law("Twice the work is not faster, as nearly as better hardware is not slower.", "docs/cost-model.md 7", variants.more_work, share=.01, amount=.02)
def work(spec, base, prices):
    for name, p in prices.items():
        yield nearly(spec, faster(name, base, p))


@law("Twice the work needs no less memory, if the schedule does not choose its order by the times.", "docs/cost-model.md 7", variants.more_work)
def work_memory(spec, base, prices):
    if spec.schedule in ORDERED_BY_TIMES:
        return
    for name, p in prices.items():
        yield name, 0 if p.peak >= base.peak * (1 - EXACT) else None, f"{base.peak:.6g} B -> {p.peak:.6g} B ({p.peak / base.peak - 1:+.3%})"


@law("Twice the micro-batches take at most twice the time.", "docs/cost-model.md 3", variants.more_work)
def micro_batches(spec, base, prices):
    if "micro_batches2" in prices:
        ratio = prices["micro_batches2"].time / base.time
        yield "micro_batches2", 0 if ratio <= 2 * (1 + EXACT) else None, f"{ratio:.4f} times the step"


@law("Twice the copies, each with a batch of its own, are not faster where nothing else is split over them and no fabric starts sooner than one inside of it.",
     "docs/cost-model.md 3", variants.more_replicas)
def replicas(spec, base, prices):
    sooner = spec.machine.outer.kind == "nominal" != spec.machine.inner.kind
    if "replicas2" in prices and spec.zero == 0 and spec.family != "dlrm" and not sooner:  # tables are split over the copies
        yield faster("replicas2", base, prices["replicas2"])


@law("Parameters and the model's FLOPs do not depend on the placement.", "docs/cost-model.md 7", variants.plain)
def placement(spec, base, prices):
    if "plain" not in prices:
        return
    p, batches = prices["plain"], variants.plain(spec)["plain"].batch / spec.batch
    yield "plain", 0 if p.totals["params"] == base.totals["params"] else None, f"{base.totals['params']} -> {p.totals['params']} parameters"
    yield "plain", 0 if close(base.flops() * batches, p.flops()) else None, f"{base.flops() * batches:.9g} -> {p.flops():.9g} FLOPs"


@law("Splitting more of the states (ZeRO 0 to 3) keeps fewer bytes of them.", "arXiv 1910.02054, section 5", variants.zero)
def zero(spec, base, prices):
    for z in range(3):
        if f"zero{z}" in prices and f"zero{z + 1}" in prices:
            before, after = (prices[f"zero{n}"].largest("params_bytes", "grads_bytes", "optimizer_bytes") for n in (z, z + 1))
            yield f"zero{z + 1}", 0 if after <= before * (1 + EXACT) else None, f"zero{z} {before:.6g} B -> {after:.6g} B"


GATHERED = ("gathered parameters", "gradients being reduced")


@law("Splitting more of the states needs no more memory than the layers that are whole at once take, if the schedule does not choose its order by the times.",
     "docs/cost-model.md 3a", variants.zero)
def zero_memory(spec, base, prices):
    if spec.schedule in ORDERED_BY_TIMES:
        return
    for z in range(3):
        if f"zero{z}" in prices and f"zero{z + 1}" in prices:
            before, p = prices[f"zero{z}"], prices[f"zero{z + 1}"]
            whole = max(sum(x["bytes"] for x in stage["live"] if x["what"] in GATHERED) for stage in p.stages)
            yield f"zero{z + 1}", 0 if p.peak <= (before.peak + whole) * (1 + EXACT) else None, f"{before.peak:.6g} B -> {p.peak:.6g} B, {whole:.6g} B at once"


@law("Recomputation is not faster, as nearly as list scheduling keeps it.", "arXiv 1604.06174", variants.recomputed, share=.01, amount=.02)
def recomputation(spec, base, prices):
    for less, more in (("recompute_none", "recompute_core"), ("recompute_core", "recompute_full")):
        if less in prices and more in prices:
            yield faster(more, prices[less], prices[more])


def written(name, price):
    """All that a report says of a plan, but for how the plan is written."""
    plan = {k: v for k, v in price.plan.items() if k not in ("facts", "mesh", "pipeline")}
    plan["recompute"] = [{k: v for k, v in r.items() if k != "statement"} for r in plan["recompute"]]
    plan["collectives"] = [{k: v for k, v in c.items() if k != "because"} for c in plan["collectives"]]
    return json.dumps(plan, sort_keys=True).replace("_" + name, "")  # machines and plans are called after it


@law("A plan with axes of one device and rules for them is the plan without both, in all that is printed of it.", "docs/language.md 10", variants.of_one)
def axis_of_one(spec, base, prices):
    for name, price in prices.items():
        alike = written("base", base) == written(name, price) and base.warnings == price.warnings
        yield name, 0 if alike else None, "; ".join(differences(base.numbers(), price.numbers())[:4]) or f"{base.warnings} -> {price.warnings}"


@law("The same layers as a slice or one by one cost the same, byte for byte.", "docs/language.md 12", variants.sliced)
def slices(spec, base, prices):
    for a, b in (("sliced2", "listed2"), ("sliced3", "listed3")):
        if a in prices and b in prices:
            yield b, 0 if written(a, prices[a]) == written(b, prices[b]) else None, "; ".join(differences(prices[a].numbers(), prices[b].numbers())) or "another report"


@law("`zero_bubble` takes no longer than 1F1B, `zb_h2` no longer than `zb_h1`.", "docs/cost-model.md 3.1", variants.schedules)
def zero_bubble(spec, base, prices):
    for better, worse in (("zero_bubble", "one_f_one_b"), ("zb_h2", "zb_h1")):
        if better in prices and worse in prices:
            yield slower(better, prices[worse], prices[better])


@law("A schedule that keeps fewer micro-batches keeps fewer activations, and all execute the same FLOPs.", "docs/cost-model.md 3.1", variants.schedules)
def schedules(spec, base, prices):
    for less, more in (("one_f_one_b", "gpipe"), ("one_f_one_b", "interleaved_1f1b"), ("interleaved_1f1b", "breadth_first")):
        if less in prices and more in prices:
            a, b = prices[less].largest("activations_bytes"), prices[more].largest("activations_bytes")
            yield more, 0 if a <= b * (1 + EXACT) else None, f"{less} keeps {a:.6g} B, {more} {b:.6g} B"
    executed = {name: p.flops("hardware") for name, p in prices.items()}
    if executed:
        yield max(executed, key=executed.get), 0 if close(max(executed.values()), min(executed.values())) else None, f"executed FLOPs {executed}"


@law("Where collectives slow nothing, a step is not faster with more of them in the compute stream, and a share of 0.9999 is one of 1. Pairs are list "
     "schedules, which keep the first half nearly (Graham 1969).", "docs/cost-model.md 2.4, 3.2", variants.more_inline, share=.005, amount=.01)
def inline(spec, base, prices):
    for which in dict.fromkeys(name.split("_")[1] for name in prices):
        rows = {name: prices[name] for name in variants.more_inline(spec) if name.split("_")[1] == which and name in prices}
        for less, name in zip(rows, list(rows)[1:]):
            variant, amount, message = faster(name, rows[less], rows[name])
            yield variant, None if amount and spec.schedule not in PAIRS else amount, message
        whole, nearly = (rows.get(f"inline_{which}_{share}") for share in ("1", "0_9999"))
        if whole and nearly:
            yield f"inline_{which}_1", 0 if close(whole.time, nearly.time, 1e-3) else None, f"0.9999 inline {nearly.time:.6g} s, 1 inline {whole.time:.6g} s"


def wires(price):
    """Seconds of a step for which the collectives of a stage hold each level."""
    found = {}
    for row in price.plan["collectives"]:
        key = row["stage"], row["level"]
        found[key] = found.get(key, 0) + row["count"] * row["time_s"]
    return found


@law("What crosses one level takes turns: together a device's collectives over it take no longer than the step.", "docs/cost-model.md 2.4", variants.on_wires)
def ports(spec, base, prices):
    for name, p in every(base, prices):
        for (stage, level), seconds in wires(p).items():
            yield name, 0 if seconds <= p.time * (1 + EXACT) else None, f"{seconds:.6g} s over {level} on stage {stage}, in a step of {p.time:.6g} s"


def last_message(price):
    """Seconds of a message of gradients: of those that are full at the end of backward, with the parameters that backward reaches last."""
    rows = [row for row in price.plan["collectives"] if row["class"] == "gradient" and row["layer"] in FIRST_LAYERS]
    return max((row["time_s"] for row in rows), default=0)


@law("The last message of gradients is full when backward ends, so that nothing hides any of it.", "docs/cost-model.md 2.4", variants.buckets)
def last_bucket(spec, base, prices):
    for name, p in every(base, prices):
        exposed = sum(row["step_exposed_s"] for row in p.plan["collectives"] if row["class"] == "gradient")
        if spec.pp == 1 and last_message(p):
            yield name, 0 if exposed >= last_message(p) * (1 - EXACT) else None, f"{exposed:.6g} s of gradients are exposed, the last message takes {last_message(p):.6g} s"
