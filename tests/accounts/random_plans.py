"""Plans drawn by chance, legal by construction: models, stacks, schedules, placements of states, overlap, jitter.
SPDX-License-Identifier: Apache-2.0
"""
import random

HEAD = """import std.models.gpt
import std.models.moe
import std.clusters.hgx
import std.stacks.fsdp
import std.stacks.megatron
import std.stacks.neox
import std.stacks.te
import std.optimizers

stack nervous extends te.te_2602 { jitter = 2% : "an assumption of this test" }
"""
STACKS = ("nervous", "te.te_2602", "te.te_2606", "fsdp.torchtitan", "megatron.megatron_2022", "neox.neox")
# Name, virtual stages per device, and what the number of micro-batches must be a multiple of, by stages.
SCHEDULES = (("one_f_one_b", 1, 1), ("gpipe", 1, 1), ("interleaved_1f1b(chunks = 2)", 2, "p"), ("breadth_first(chunks = 2)", 2, 1),
             ("zb_h1", 1, 1), ("zb_h2", 1, 1), ("zero_bubble", 1, 1), ("zb_v", 2, 1), ("dualpipe", 1, 2), ("dualpipe_v", 2, 1),
             ("paired_1f1b", 1, 1), ("paired_1f1b(chunks = 2)", 2, "p"))
STATES = ("", "optimizer -> dp", "grads -> dp", "params -> dp")
CLASSES = ("state", "gradient", "activation", "pipeline", "regather", "exchange")


def plan(seed):
    """The text of one plan, called `p<seed>`, without its imports."""
    draw = random.Random(seed)
    stages, tp = draw.choice((1, 2, 2, 4)), draw.choice((1, 1, 2))
    schedule, chunks, multiple = draw.choice(SCHEDULES)
    rounds = draw.choice((2, 3, 8, 40))
    micro = stages * rounds * (2 if multiple == 2 else 1)
    micro = max(micro, 4 * stages if "dualpipe" in schedule else 1)
    dp = 8 // tp if stages < 4 or tp == 1 else 4
    layers = stages * chunks * draw.choice((1, 2, 12))
    expert = draw.random() < .4
    model = (f"moe.mixtral(layers = {layers}, hidden = 1024, heads = 16, kv_heads = 8, experts = 8, k = 2, ffn = 1024)" if expert
             else f"gpt.gpt(layers = {layers}, hidden = {draw.choice((512, 4096))}, heads = 16)")
    lines = [f"  model    = {model}", f"  cluster  = hgx.hgx_h100(nodes = {stages * tp * dp // 8 or 1})", f"  software = {draw.choice(STACKS)}",
             f"  train {{ seq = {draw.choice((512, 4096))}; global_batch = {micro * dp}; micro_batch = 1; optimizer = optimizers.adam }}",
             "  precision { compute = bf16; grads = fp32 }"]
    mesh = [f"tp = {tp}"] * (tp > 1) + [f"dp = {dp}"] + [f"pp = {stages}"] * (stages > 1)
    lines += [f"  mesh {{ {'; '.join(mesh)} }}", "  place {", "    batch -> dp"]
    if tp > 1:
        lines.append("    decoder.attn { heads -> tp }")
    if expert and draw.random() < .7:
        lines.append(f"    decoder.moe {{ experts -> dp }}")
    lines.append("  }")
    if states := draw.choice(STATES):
        lines.append(f"  states {{ {states} }}")
    if draw.random() < .3:
        lines.append("  recompute decoder")
    overlap = [f"{c} = {draw.choice((0, 30, 100))}%" for c in CLASSES if draw.random() < .3]
    overlap += [f"prefetch = {draw.choice((0, 1, 3))}"] * (draw.random() < .3) + [f"slowdown = {draw.choice((0, 10, 40))}%"] * (draw.random() < .5)
    if overlap:
        lines.append(f"  overlap {{ {'; '.join(overlap)} }}")
    if stages > 1:
        lines.append(f"  pipeline pp {{ schedule = {schedule} }}")
    return f"plan p{seed} {{\n" + "\n".join(lines) + "\n}\n"
