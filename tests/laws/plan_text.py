# Specifications as plan text: fabrics, device, cluster and plan of each in one file, so that one planc prices many.
# SPDX-License-Identifier: Apache-2.0
import random
import re

from specification import FAMILIES, SCHEDULES

MADE = ': "made for tests/laws"'
DEVICES = {"h100": ("h100_sxm5_80gb", 80, 3.35, 989), "a100": ("a100_sxm4_80gb", 80, 2.039, 312), "b200": ("b200_sxm_180gb", 180, 8.0, 2250)}
# Samples of the fabric inside of a node, after NCCL on eight A100: ranks, start in us, GB/s, root term in us.
SAMPLES = ((2, 6, 300, 190), (4, 8, 350, 180), (8, 11, 400, 170))
INNER_RATE, INNER_LATENCY, OUTER_RATE, OUTER_LATENCY, NODE = 450, 2, 50, 5, 8
MACHINE_KINDS = ("fabric", "device", "cluster")  # of declarations
STATES = {1: "optimizer", 2: "grads", 3: "params"}


def fabric_text(name, f, rate, latency):
    if f.kind == "nominal":
        return f"fabric {name} {{ }}"
    measured_at = [f"sampled_latency = {latency * f.latency:g}us"] if f.says else []
    if f.kind == "card":
        facts = [f"start = {40 * f.latency:g}us", f"hop = {10 * f.latency:g}us", f"g = {949 * f.latency:g}us", "nic_efficiency = 95%",
                 "exchange_efficiency = 96%", "pair_bonus = 1.25", f"send_recv = {{start = {20 * f.latency:g}us, efficiency = 90%}}"]
    else:
        rows = ", ".join(f"{{ranks = {r}, a = {a * f.latency:g}us, b = {b * f.bandwidth:g}GB/s, g = {g * f.latency:g}us}}" for r, a, b, g in SAMPLES)
        facts = [f"{kind} = [{rows}]" for kind in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")]
        facts += [f"send_recv = {{start = {10 * f.latency:g}us, bandwidth = {200 * f.bandwidth:g}GB/s}}"]
        measured_at += [f"sampled_at = {rate * f.bandwidth:g}GB/s"] if f.says else []
    return f"fabric {name} {{\n" + "".join(f"  {fact} {MADE}\n" for fact in facts + measured_at) + "}"


def device_text(name, m):
    base, memory, bandwidth, peak = DEVICES[m.device]
    facts = [f"  override memory = {memory * m.memory:g}GB {MADE}"] if m.memory != 1 else []
    facts += [f"  override bandwidth = {bandwidth * m.memory_bandwidth:g}TB/s {MADE}"] if m.memory_bandwidth != 1 else []
    facts += [f"  peak {{ override bf16 = {peak * m.peak:g}TFLOP/s {MADE} }}"] if m.peak != 1 else []
    return f"device {name} extends devices.{base} {{\n" + "\n".join(facts) + "\n}"


def level_text(name, count, fabric, rate, latency, factors, topology):
    return (f"  level {name} * {count} {{ link = {fabric}; bandwidth = {rate * factors.bandwidth * factors.rate:g}GB/s; "
            f"latency = {latency * factors.latency * factors.distance:g}us; topology = {topology} }}")


def cluster_text(suffix, m, devices):
    def inside(name, count):
        return level_text(name, count, f"inner{suffix}", INNER_RATE, INNER_LATENCY, m.inner, "switch")
    levels = {"flat": [inside("node", devices)], "nested": [inside("half", 2), inside("node", NODE // 2)], "node": [inside("node", NODE)]}[m.levels]
    if m.levels != "flat":
        levels += [level_text("room", devices // NODE, f"outer{suffix}", OUTER_RATE, OUTER_LATENCY, m.outer, m.topology)]
    return "\n".join([f"cluster cluster{suffix} {{", f"  device = device{suffix}", *levels, "}"])


LAYER = ["norm1 = blocks.rms_norm(x)", "attn  = blocks.gqa(norm1, heads, heads, head = head)", "mid   = x + attn", "norm2 = blocks.rms_norm(mid)",
         "mlp   = blocks.swiglu(norm2, ffn)", "out mid + mlp"]


def layer_names(s):
    """Of the own model as its stage lines name them: one repeat of pairs, or layers by themselves."""
    pair = ("one", "two")
    return [f"decoder0[{i // 2}].{pair[i % 2]}" if s.written == "pairs" else f"layer{i}" for i in range(s.model["layers"])]


def own_layers_text(suffix, s):
    """The own model's layers in pairs or by themselves, each of one block; no two neighbours are equal."""
    def call(i, last):
        return f"layer{suffix}({last}, heads, hidden / heads, {4 if i % 2 else 2} * hidden)"
    if s.written == "pairs":
        lines = [f"decoder0 * {s.model['layers'] // 2} with x = embed {{", f"  one = {call(0, 'x')}", f"  two = {call(1, 'one')}", "  out two", "}"]
        last = "decoder0"
    else:
        lines = [f"layer{i} = {call(i, f'layer{i - 1}' if i else 'embed')}" for i in range(s.model["layers"])]
        last = f"layer{s.model['layers'] - 1}"
    return "\n".join([f"block layer{suffix}(x: [.., hidden], heads: int, head: int, ffn: int) {{", *("  " + line for line in LAYER), "}",
                      f"model own{suffix}(hidden: int, heads: int, vocab: int) {{", "  in tokens: [batch, seq] int32 counts seq",
                      "  embed = blocks.embedding(tokens, vocab, hidden)", *("  " + line for line in lines),
                      f"  norm = blocks.rms_norm({last})", "  head = blocks.lm_head(norm, vocab)", "  loss = ops.cross_entropy(head, tokens)", "}"])


def own_model_text(suffix, s):
    """A dense decoder as `repeats` equal repeats, one after the other."""
    if s.written != "repeats":
        return own_layers_text(suffix, s)
    count, lines, last = s.model["layers"] // s.repeats, [], "embed"
    for i in range(s.repeats):
        lines += [f"  decoder{i} * {count} with x = {last} {{", "    norm1 = blocks.rms_norm(x)",
                  "    attn  = blocks.gqa(norm1, heads, heads, head = hidden / heads)", "    mid   = x + attn", "    norm2 = blocks.rms_norm(mid)",
                  "    mlp   = blocks.swiglu(norm2, 4 * hidden)", "    out mid + mlp", "  }"]
        last = f"decoder{i}"
    return "\n".join([f"model own{suffix}(hidden: int, heads: int, vocab: int) {{", "  in tokens: [batch, seq] int32 counts seq",
                      "  embed = blocks.embedding(tokens, vocab, hidden)", *lines, f"  norm = blocks.rms_norm({last})",
                      "  head = blocks.lm_head(norm, vocab)", "  loss = ops.cross_entropy(head, tokens)", "}"])


def axes_of(s):
    """Names as the generator calls them, and sizes, innermost first."""
    axes = [("tp", s.tp), ("cp", s.cp), ("ep", s.ep), ("replicas", s.dp), ("pp", s.pp)]
    axes = [a for a in axes if a[1] > 1 or a[0] == "replicas" or (s.axes_of_one and a[0] in ("tp", "cp"))]
    return [axes[i] for i in s.axis_order] if len(s.axis_order) == len(axes) else axes


def body_of(s):
    if s.written != "repeats":
        return ", ".join(dict.fromkeys(re.sub(r"\[\d+\]", "", name) for name in layer_names(s)))
    return ", ".join(f"decoder{i}" for i in range(s.repeats)) if s.family == "own" else FAMILIES[s.family].body


def t5_rules(s, tp):
    source, target = (f"source -> {tp}; ", f"seq -> {tp}; ") if s.split_sequence else ("", "")
    rules = [f"encoder {{ {source}attn {{ heads -> {tp} }}; mlp {{ ffn -> {tp} }} }}",
             f"decoder {{ {target}attn, cross {{ heads -> {tp} }}; mlp {{ ffn -> {tp} }} }}"]
    if s.split_sequence:
        rules += [f"memory {{ source -> {tp} }}", f"norm {{ seq -> {tp} }}"]
    return rules + [f"source_embed, embed, head, loss {{ vocab -> {tp} }}"]


def layer_rules(s, axis):
    """Rules inside of a layer of the body: `axis` gives the axes in use by their names, others are missing."""
    tp, rules = axis.get("tp"), []
    if tp and s.split_sequence:
        rules.append(f"seq -> {sequence_axes(axis)}")
    if tp and s.family != "jamba":
        rules.append(f"{'mixer' if s.family == 'mamba' else 'attn'} {{ heads -> {tp} }}")
    if tp and s.family in ("gpt", "llama", "vit", "own"):
        rules.append(f"mlp {{ ffn -> {tp} }}")
    experts = [f"experts -> {axis['ep']}"] if "ep" in axis else []
    if s.family in ("moe", "deepseek"):
        experts += [f"ffn -> {tp}"] if tp and s.experts_tp else []
        rules += [f"moe {{ {'; '.join(experts)} }}"] if experts else []
        rules += [f"shared {{ ffn -> {tp} }}"] if tp and s.family == "deepseek" else []
    return rules + (experts if s.family == "jamba" else [])


def sequence_axes(axis):
    return f"[{axis['cp']}, {axis['tp']}]" if "cp" in axis else axis["tp"]


def decoder_rules(s, axis):
    tp, cp, rules = axis.get("tp"), axis.get("cp"), []
    inner = layer_rules(s, axis)
    rules += [f"seq -> {cp}"] if cp else []
    rules += [f"{body_of(s)} {{ {'; '.join(inner)} }}"] if inner else []
    if tp and s.family == "deepseek":
        dense = [f"seq -> {sequence_axes(axis)}"] if s.split_sequence else []
        rules.append("dense { " + "; ".join(dense + [f"attn {{ heads -> {tp} }}", f"mlp {{ ffn -> {tp} }}"]) + " }")
    if cp and s.attention == "ring":
        rules.append(f"{body_of(s)} {{ attn.core {{ kv_seq -> {cp} via ring }} }}")
    if cp and s.attention == "heads":
        rules.append(f"{body_of(s)} {{ attn.core {{ heads -> {f'[{tp}, {cp}]' if tp else cp} }} }}")
    if tp and s.split_sequence:
        rules.append(f"{'position, norm' if s.family in ('gpt', 'vit') else 'norm'} {{ seq -> {sequence_axes(axis)} }}")
    return rules + ([f"embed, head, loss {{ vocab -> {tp} }}"] if tp and s.family != "vit" else [])


def placement(s, axis, data):
    if s.family == "dlrm":
        return [f"bags {{ {s.table_dim} -> {data} }}"]
    if s.family == "t5":
        return t5_rules(s, axis["tp"]) if "tp" in axis else []
    return decoder_rules(s, axis)


def recomputed(s):
    bodies = {"t5": "encoder, decoder", "deepseek": "dense, decoder"}.get(s.family, body_of(s))
    if s.recompute == "full" and s.family not in ("dlrm", "jamba"):
        return [f"recompute {bodies}"]
    if s.recompute == "core" and s.family in ("gpt", "llama", "moe", "deepseek", "vit", "own"):
        return ["recompute " + ", ".join(f"{body}.attn.core" for body in bodies.split(", "))]
    if s.recompute.startswith("sliced"):
        return [f"recompute {bodies}[0:{s.model['layers']}:{s.recompute.removeprefix('sliced')}]"]
    if s.recompute.startswith("listed"):
        return ["recompute " + ", ".join(f"{bodies}[{i}]" for i in range(0, s.model["layers"], int(s.recompute.removeprefix("listed"))))]
    return []


def mesh_entries(name, size, factored):
    """An axis, or a group of its two factors under its name."""
    return [f"{name}_inner = 2", f"{name}_outer = {size // 2}", f"{name} = [{name}_outer, {name}_inner]"] if factored else [f"{name} = {size}"]


def train_facts(s):
    lengths = {"vit": [], "dlrm": [], "t5": [f"seq = {s.seq}", f"source = {2 * s.seq}"]}.get(s.family, [f"seq = {s.seq}"])
    return lengths + [f"global_batch = {s.batch}", f"micro_batch = {s.micro_batch}", f"optimizer = optimizers.{s.optimizer}"]


def stage_lines(s):
    names = layer_names(s) if s.ends else []
    return [f"stage {i} = {', '.join(names[begin:end])}" for i, (begin, end) in enumerate(zip((0, *s.ends), s.ends))]


PAIR_ALONE = {"paired_1f1b", "dualpipe_v"}  # schedules that have something to order on one stage


def rules_of_one(s, mesh, rules, states):
    """Adds axes `one1` and `one2` of one device, and rules that say nothing there: in lists, in place of outer rules, twice, of some layers, of no operator,
    of states that do not nest. Returns what else the plan says."""
    rng, body = random.Random(s.rules_of_one), body_of(s)
    for name in ("one1", "one2"):
        mesh.insert(rng.randrange(len(mesh) + 1), f"{name} = 1")
    rules[0] = re.sub(r"-> (\w+)$", rng.choice([r"-> [\1, one1]", r"-> [one1, \1]"]), rules[0])
    rules.append("loss { nothing -> one1 }")
    if s.family != "dlrm":
        rules += ["norm { batch -> one1; hidden -> one1 }", f"{body} {{ hidden -> one2; vocab -> [one1, one2] }}"]
        rules += [f"{body}.norm1 {{ seq -> one2 }}"] if s.family in ("gpt", "llama", "moe", "deepseek", "vit", "own") else []
        rules += [f"{body}[0:1] {{ batch -> one1 }}"] if ", " not in body else []
        inner = f"; {body} {{ {rng.choice(['params', 'grads', 'optimizer'])} -> one2 }}"
    states = re.sub(r"-> (\w+) }$", r"-> [\1, one2]", states[0]) if states else "states { params -> one1; grads -> one2"
    return [states + (inner if s.family != "dlrm" else "") + " }"] + (
        [f"pipeline one1 {{ schedule = {rng.choice(sorted(set(SCHEDULES) - PAIR_ALONE))} }}"] if s.pp == 1 else [])


def plan_text(suffix, s):
    def named(axis):
        return s.axis_names.get(axis, axis)
    axes = axes_of(s)
    mesh = [entry for a, n in axes for entry in mesh_entries(named(a), n, a == s.factored)]
    data = named("replicas")
    if s.ep > 1:
        data = named("dp")
        mesh.append(f"{data} = [{named('replicas')}, {named('ep')}]")
    rules = [f"batch -> {data}"] + placement(s, {a: named(a) for a, _ in axes}, data)
    states = [f"states {{ {STATES[s.zero]} -> {named('ep') if s.inner_states and s.ep > 1 else data} }}"] if s.zero else []
    if s.rules_of_one is not None:
        states = rules_of_one(s, mesh, rules, states)
    arguments = {k: v for k, v in s.model.items() if not (s.family == "own" and k == "layers")}
    model = f"own{suffix}" if s.family == "own" else FAMILIES[s.family].model
    statements = [f"model = {model}({', '.join(f'{k} = {v}' for k, v in arguments.items())})",
                  f"cluster = cluster{suffix}", f"software = {f'stack{suffix}' if s.inline else s.stack}", f"train {{ {'; '.join(train_facts(s))} }}",
                  f"precision {{ compute = bf16; params = {s.params}; grads = {s.grads} }}", f"mesh {{ {'; '.join(mesh)} }}",
                  "place {\n    " + "\n    ".join(rules) + "\n  }", *states]
    if s.pp > 1:
        statements.append(f"pipeline {named('pp')} {{ {'; '.join([f'schedule = {s.schedule}'] + stage_lines(s))} }}")
    statements += [f"overlap {{ bucket = {s.bucket}MB }}"] if s.bucket else []
    statements += recomputed(s)
    if s.shuffled is not None:
        random.Random(s.shuffled).shuffle(statements)
    return f"plan plan{suffix} {{\n  " + "\n  ".join(statements) + "\n}"


def stack_text(name, s):
    """The stack with other shares. They override those of an heir with shares that no stack has, since an override must change something."""
    def heir(called, base, slowdown, share_of):
        shares = "\n".join(f"    override {cls} = {share_of(share)} {MADE}" for cls, share in s.inline)
        return f"stack {called} extends {base} {{\n  override slowdown = {slowdown} {MADE}\n  inline {{\n{shares}\n  }}\n}}"
    return heir(f"other_{name}", s.stack, 0.0123, lambda share: 0.0123) + "\n" + heir(name, f"other_{name}", 0, lambda share: share)


def declarations(suffix, s):
    m = s.machine
    return "\n".join(([own_model_text(suffix, s)] if s.family == "own" else []) + ([stack_text(f"stack{suffix}", s)] if s.inline else []) +
                     [fabric_text(f"inner{suffix}", m.inner, INNER_RATE, INNER_LATENCY),
                      fabric_text(f"outer{suffix}", m.outer, OUTER_RATE, OUTER_LATENCY), device_text(f"device{suffix}", m), cluster_text(suffix, m, s.devices), plan_text(suffix, s)])


def file_text(specs):
    """A file with a plan `plan_NAME` for each named specification, and the line on which the declarations of each begin."""
    modules = {f"std.stacks.{s.stack.split('.')[0]}" for s in specs.values()} | {"std.optimizers", "std.devices"}
    modules |= {"std.blocks", "std.ops"} if any(s.family == "own" for s in specs.values()) else set()
    modules |= {f"std.models.{FAMILIES[s.family].module}" for s in specs.values() if s.family != "own"}
    text, begins = "".join(f"import {m}\n" for m in sorted(modules)), {}
    for name, s in specs.items():
        begins[name] = text.count("\n") + 1
        text += declarations("_" + name, s) + "\n"
    return text, begins
