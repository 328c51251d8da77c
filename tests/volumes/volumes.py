#!/usr/bin/env python3
"""The table of volumes: what every scheme of schemes.plan derives, against closed forms written independently of it.

usage: volumes.py PLANC [--check DOC | --write DOC]

Every row names a plan, the collectives it looks at, and a formula over the sizes of the model. Bytes are those of the larger local side summed
over the operations, `wire` has the (n-1)/n factors. --check compares the table with the one in DOC, --write puts it there.
"""
import json, os, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
BEGIN, END = "<!-- volumes: begin -->", "<!-- volumes: end -->"

# Sizes of the models, as the formulas name them.
DENSE = dict(b=8, s=2048, h=4096, f=16384, V=51200, L=2, kv=1024)
DENSE["P"] = 2 * 51200 * 4096 + 2 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 2 * 4096 * 16384 + 2 * 4096) + 4096  # two layers, untied
DENSE1 = dict(DENSE, L=1)
DENSE1["P"] = 2 * 51200 * 4096 + (2 * 4096 * 4096 + 2 * 4096 * 1024 + 2 * 4096 * 16384 + 2 * 4096) + 4096
EXPERTS = dict(b=32, s=4096, h=4096, E=8, k=2, f=14336, sf=2048)
LATENT = dict(b=4, s=4096, h=7168, q_rank=1536, kv_rank=512, rope=64)
CLICKS = dict(b=65536, T=64, d=128, pool=20, mlp=512 * 512 + 512 * 128 + (64 * 65 // 2 + 128) * 1024 + 1024)
VISION = dict(b=64, s=256, h=1024, pixels=588)
CLASSIC = dict(b=1, s=2048, h=12288, a=96, t=8)  # one layer of the 175B model
LORA = dict(h=4096, f=16384, r=16)


def of(kind, phase="", cls="", value="", axis="", layer="", op=""):
    """Chooses collectives; what is left out matches all. `kind` may list several."""
    kinds = kind.split("|")

    def match(c):
        return c["kind"] != "param" and (c["kind"] in kinds or kind == "any") and phase in ("", c["phase"]) and (not cls or c["cls"] in cls.split("|")) and \
            (not value or re.search(value, c["value"])) and axis in ("", c["axis"]) and (not layer or re.match(layer, c["layer"])) and \
            (not op or re.search(op, c["op"]))
    return match


def total(*parts):
    return lambda cs: sum(c["bytes"] * c["count"] for c in cs for m in parts if m(c))


def count(*parts):
    return lambda cs: sum(c["count"] for c in cs for m in parts if m(c))


def wire(*parts):
    def factor(c):
        n = c["n"]
        return {"all_reduce": 2 * (n - 1) / n, "send_recv": 1}.get(c["kind"], (n - 1) / n)
    return lambda cs: sum(c["bytes"] * c["count"] * factor(c) for c in cs for m in parts if m(c))


def sliced(value):
    """Bytes of a parameter on a device."""
    return lambda cs: sum(2 * c["elements"] for c in cs if c["kind"] == "param" and c["value"] == value)


ACT = "activation|exchange|ring"
ALL = of("any")

# scheme, plan, sizes, what, formula, derived
ROWS = [
    ("Megatron TP (arXiv 1909.08053)", "tp", DENSE, [
        ("forward all-reduces of the layers", "2*L * b*s*h*2", total(of("all_reduce", "forward", ACT, value="attn|mlp"))),
        ("backward all-reduces of the layers", "2*L * b*s*h*2", total(of("all_reduce", "backward", ACT, layer="decoder"))),
        ("embedding, forward", "b*s*h*2", total(of("all_reduce", "forward", value="embed"))),
        ("head, backward", "b*s*h*2", total(of("all_reduce", "backward", ACT, layer="norm|head"))),
        ("cross-entropy: 3 of b s fp32", "3 * b*s*4", total(of("all_reduce", "forward", "statistic"))),
        ("gathers and scatters", "0", count(of("all_gather|reduce_scatter"))),
        ("gradients of norms", "0", count(of("any", "step"))),
    ]),
    ("TP+SP (arXiv 2205.05198)", "tp_sp", DENSE, [
        ("forward all-gathers of the layers", "2*L * b*s*h*2", total(of("all_gather", "forward", layer="decoder"))),
        ("forward reduce-scatters of the layers", "2*L * b*s*h*2", total(of("reduce_scatter", "forward", value="attn|mlp"))),
        ("backward all-gathers of dy", "2*L * b*s*h*2", total(of("all_gather", "backward", ACT, layer="decoder"))),
        ("backward reduce-scatters of dx", "2*L * b*s*h*2", total(of("reduce_scatter", "backward", layer="decoder", value="norm"))),
        ("inputs gathered again in backward", "2*L * b*s*h*2", total(of("all_gather", "backward", "regather", layer="decoder"))),
        ("all-reduces of activations", "0", count(of("all_reduce", cls=ACT))),
        ("embedding: scattered forward, gathered backward", "2 * b*s*h*2",
         total(of("reduce_scatter", "forward", value="embed"), of("all_gather", "backward", ACT, layer="embed"))),
        ("gradients of 2L + 1 norms over tp", "(2*L + 1) * h*2", total(of("all_reduce", "step"))),
    ]),
    ("parallel branches (GPT-J, PaLM)", "parallel_branches", DENSE, [
        ("forward all-reduces", "L", count(of("all_reduce", "forward", ACT, layer="decoder"))),
        ("backward all-reduces", "L", count(of("all_reduce", "backward", ACT, layer="decoder"))),
    ]),
    ("DDP", "ddp", DENSE, [
        ("all-reduce of P once", "P*2", total(of("all_reduce", "step"))),
        ("wire 2P(n-1)/n", "2*P*2 * 7/8", wire(ALL)),
    ]),
    ("ZeRO-1 (arXiv 1910.02054)", "zero1", DENSE, [
        ("wire 2P(n-1)/n", "2*P*2 * 7/8", wire(ALL)),
        ("operations per micro-batch", "0", count(of("any", "forward"), of("any", "backward"))),
    ]),
    ("ZeRO-2", "zero2", DENSE, [
        ("wire 2P(n-1)/n", "2*P*2 * 7/8", wire(ALL)),
        ("reduce-scatter of P in every micro-batch", "P*2", total(of("reduce_scatter", "backward"))),
    ]),
    ("ZeRO-3, FSDP", "zero3", DENSE, [("wire 3P(n-1)/n", "3*P*2 * 7/8", wire(ALL))]),
    ("HSDP", "hsdp", DENSE, [
        ("inside, wire 3P(n-1)/n per micro-batch", "3*P*2 * 7/8", wire(of("any", axis="shard"))),
        ("across, all-reduce of P/8 once", "P*2 / 8", total(of("all_reduce", "step", axis="rep"))),
    ]),
    ("EP inside DP (GShard)", "ep", EXPERTS, [
        ("forward: dispatch and combine", "2 * k*b*s*h*2 / 32", total(of("all_to_all", "forward"))),
        ("backward: the same", "2 * k*b*s*h*2 / 32", total(of("all_to_all", "backward"))),
        ("all-to-alls", "4", count(of("all_to_all"))),
        ("other activation collectives", "0", count(of("all_gather|reduce_scatter|all_reduce", cls=ACT))),
        ("expert gradients over edp only", "3*E*h*f*2 / 8", total(of("all_reduce", "step", axis="edp"))),
        ("other gradients over all of dp", "(h + h*E + h)*2", total(of("all_reduce", "step", axis="edp*ep"))),
    ]),
    ("EP and FSDP", "ep_fsdp", EXPERTS, [
        ("experts gathered over edp only, twice", "2 * 3*E*h*f*2 / 8", total(of("all_gather", axis="edp"))),
        ("their gradients scattered over edp", "3*E*h*f*2 / 8", total(of("reduce_scatter", axis="edp"))),
    ]),
    ("EP x ETP with SP (Megatron)", "ep_etp", EXPERTS, [
        ("all-to-alls on 1/tp of the tokens", "2 * k*b*s*h*2 / 64", total(of("all_to_all", "forward"))),
        ("all-gather over etp before the experts", "k*b*s*h*2 / 16", total(of("all_gather", "forward", layer="decoder", value="moe"))),
        ("reduce-scatter over etp after them", "k*b*s*h*2 / 16", total(of("reduce_scatter", "forward"))),
    ]),
    ("EP over dp x tp, ETP = 1 (parallel folding)", "ep_folded", EXPERTS, [
        ("all-to-all over 8 ranks of split tokens", "2 * k*b*s*h*2 / 32", total(of("all_to_all", "forward"))),
        ("anything else forward in the layer", "0", count(of("all_gather|reduce_scatter|all_reduce", "forward", value="moe|norm"))),
    ]),
    ("EP over an axis without tokens", "ep_other_axis", EXPERTS, [
        ("all-to-alls", "0", count(of("all_to_all"))),
        ("one all-reduce of the tokens", "b*s*h*2 / 4", total(of("all_reduce", "forward"))),
    ]),
    ("expert TP without a split stream", "etp_whole_stream", EXPERTS, [
        ("all-reduce before combine: k copies", "k*b*s*h*2 / 4", total(of("all_reduce", "forward"))),
    ]),
    ("shared experts, TP+SP on them", "ep_shared", EXPERTS, [
        ("shared: all-gather and reduce-scatter", "2 * b*s*h*2 / 32",
         total(of("all_gather", "forward", op="always"), of("reduce_scatter", "forward", value="always"))),
    ]),
    ("capacity factor 1.25", "ep_capacity", EXPERTS, [
        ("all-to-alls of padded slots", "2 * 1.25 * k*b*s*h*2 / 32", total(of("all_to_all", "forward"))),
    ]),
    ("imbalance 1.5", "ep_skewed", EXPERTS, [
        ("all-to-alls of the busiest device", "2 * 1.5 * k*b*s*h*2 / 32", total(of("all_to_all", "forward"))),
    ]),
    ("CP, keys and values gathered (Llama 3)", "cp_gather", DENSE1, [
        ("forward all-gather of K and V", "2 * b*s*kv*2", total(of("all_gather", "forward"))),
        ("backward reduce-scatter of dK and dV", "2 * b*s*kv*2", total(of("reduce_scatter", "backward"))),
        ("backward gathers them again", "2 * b*s*kv*2", total(of("all_gather", "backward", "regather"))),
        ("gradients over cp", "P*2", total(of("all_reduce", "step"))),
    ]),
    ("CP, ring", "cp_ring", DENSE1, [
        ("forward: (n-1)/n of K and V", "2 * b*s*kv*2 * 7/8", total(of("send_recv", "forward", "ring"))),
        ("backward: K, V again, and dK, dV home", "2 * b*s*kv*2 * (7/8 + 1)", total(of("send_recv", "backward", "ring"))),
        ("gathers", "0", count(of("all_gather", cls=ACT))),
    ]),
    ("Ulysses (arXiv 2309.14509)", "ulysses", DENSE1, [
        ("forward: 4 all-to-alls of bsh/n", "4 * b*s*h*2 / 8", total(of("all_to_all", "forward"))),
        ("backward: 4", "4 * b*s*h*2 / 8", total(of("all_to_all", "backward"))),
        ("gathers", "0", count(of("all_gather", cls=ACT))),
    ]),
    ("Ulysses, 2 key heads on 8 ranks", "ulysses_few_heads", DENSE1, [
        ("q and o: all-to-all over 8", "2 * b*s*h*2 / 8", total(of("all_to_all", "forward", value="qr|core"))),
        ("k and v: all-gather over 4 of what the all-to-all over 2 left", "2 * b*s*256*2 / 2",
         total(of("all_gather", "forward", value="kr|v"))),
    ]),
    ("USP: Ulysses in 2, ring of 4", "usp", DENSE1, [
        ("ring of K and V on half of the heads", "2 * b*s*kv*2 / 2 * 3/4", total(of("send_recv", "forward", "ring"))),
        ("all-to-alls of q, k, v, o", "(2*b*s*h*2 + 2*b*s*kv*2) / 8", total(of("all_to_all", "forward"))),
        ("gathers", "0", count(of("all_gather", cls=ACT))),
    ]),
    ("CP x TP+SP", "cp_tp_sp", DENSE1, [
        ("K and V over cp on 1/tp of the heads", "2 * b*s*kv*2 / 4", total(of("all_gather", "forward", axis="cp"))),
        ("stream over tp on 1/cp of the tokens", "2 * b*s*h*2 / 2", total(of("all_gather", "forward", axis="tp", value="norm"))),
    ]),
    ("GQA, 2 key heads on tp = 8", "few_key_heads", DENSE1, [
        ("gradients of wk, wv over the 4 copies, one head each", "2 * h*128*2", total(of("all_reduce", "step"))),
        ("forward all-reduces", "2 * b*s*h*2", total(of("all_reduce", "forward", ACT, layer="decoder"))),
        ("backward all-reduces", "2 * b*s*h*2", total(of("all_reduce", "backward", ACT, layer="decoder"))),
        ("wk on a device: one of the 2 key heads, half of wk", "h*256*2 / 2", sliced("@attn.wk")),
    ]),
    ("MLA, TP+SP (DeepSeek)", "mla", LATENT, [
        ("forward gathers: narrow vectors, not the stream", "b*s*(q_rank + kv_rank + rope)*2", total(of("all_gather", "forward", value="attn"))),
        ("forward reduce-scatter of the stream", "b*s*h*2", total(of("reduce_scatter", "forward"))),
        ("gradients of norms and down-projections over tp", "(h*(q_rank + kv_rank + rope) + h + q_rank + kv_rank)*2",
         total(of("all_reduce", "step", layer="decoder"))),
    ]),
    ("DLRM, tables (arXiv 1906.00091)", "bags_tables", CLICKS, [
        ("forward all-to-all of the bags", "b*T*d*2 / 16", total(of("all_to_all", "forward", value="bags"))),
        ("backward all-to-all", "b*T*d*2 / 16", total(of("all_to_all", "backward"))),
        ("indices", "b*T*pool*8 / 16", total(of("all_to_all", "forward", value="ids"))),
        ("gradients of the MLPs only", "mlp*2", total(of("all_reduce", "step"))),
    ]),
    ("DLRM, rows", "bags_rows", CLICKS, [
        ("forward reduce-scatter of the bags", "b*T*d*2", total(of("reduce_scatter", "forward"))),
        ("backward all-gather", "b*T*d*2", total(of("all_gather", "backward"))),
        ("indices, in buckets", "b*T*pool*8 / 16", total(of("all_to_all", "forward", value="ids"))),
    ]),
    ("DLRM, columns", "bags_columns", CLICKS, [
        ("forward all-to-all of the bags", "b*T*d*2 / 16", total(of("all_to_all", "forward", value="bags"))),
    ]),
    ("DLRM, tables by node and rows inside", "bags_two_level", CLICKS, [
        ("reduce-scatter inside the node", "b*T*d*2 / 4", total(of("reduce_scatter", "forward"))),
        ("all-to-all across", "b*T*d*2 / 16", total(of("all_to_all", "forward", value="bags"))),
    ]),
    ("MAD-Max (TP, DDP) (arXiv 2310.02784)", "madmax_tp_ddp", DENSE, [
        ("inside: 4L all-reduces", "4*L * b*s*h*2 / 4", total(of("all_reduce", cls=ACT, axis="tp"))),
        ("across: all-reduce of the local parameters", "(2*V*h + (2*L + 1)*h + L*(2*h*h + 2*h*kv + 2*h*f)/8)*2", total(of("all_reduce", "step", axis="across"))),
    ]),
    ("MAD-Max (FSDP, DDP)", "madmax_fsdp_ddp", DENSE, [
        ("inside: 2 all-gathers and a reduce-scatter of P", "3 * P*2", total(of("any", axis="inside"))),
        ("across: all-reduce of P/8", "P*2 / 8", total(of("all_reduce", "step", axis="across"))),
    ]),
    ("2D tensor parallel", "two_d", DENSE1, [
        ("MLP forward: all-reduce of bsf/y over x, bsh/x over y", "b*s*f*2/4 + b*s*h*2/2", total(of("all_reduce", "forward", ACT, value="mlp"))),
        ("statistics of two norms over x", "2 * b*s*4", total(of("all_reduce", "forward", "statistic", axis="x", layer="decoder"))),
    ]),
    ("2D weight-stationary (arXiv 2211.05102)", "weight_stationary", DENSE1, [
        ("MLP forward: gather bsh/x, scatter bsf/y, gather bsf/y, scatter bsh/x", "2*(b*s*h*2/2 + b*s*f*2/4)",
         total(of("all_gather|reduce_scatter", "forward", ACT, op="mlp|^out", value="norm2|mlp"))),
    ]),
    ("LoRA (arXiv 2106.09685) under FSDP", "lora", LORA, [
        ("gradients of the adapters only", "r*(h + f)*2", total(of("reduce_scatter"))),
        ("gathered in backward: the adapters and what leads to them", "(r*(h + f) + f*h)*2", total(of("all_gather", "backward", layer="decoder"))),
    ]),
    ("ViT, DP x CP x TP", "vision", VISION, [
        ("pooling over a split sequence", "b*h*2 / 4", total(of("all_reduce", "forward", value="pool"))),
        ("position gradients over dp only", "s*h*2 / 2", total(of("all_reduce", "step", value="position"))),
        ("projection gradients over dp and cp", "pixels*h*2", total(of("all_reduce", "step", axis="dp*cp", layer="embed"))),
    ]),
    ("`seq -> tp` on the norms only", "norms_only", DENSE1, [
        ("forward all-reduces, which stay, and all-gathers, which are added", "4", count(of("all_reduce|all_gather", "forward", ACT, layer="decoder"))),
    ]),
    ("TP x FSDP", "tp_fsdp", DENSE1, [
        ("2 all-gathers and a reduce-scatter of P/tp", "3 * ((P - 3*h)/4 + 3*h)*2", total(of("any", axis="dp"))),
    ]),
    ("FSDP over dp x cp (Llama 3)", "fsdp_cp", DENSE1, [("reduce-scatter of P", "P*2", total(of("reduce_scatter", axis="dp*cp")))]),
    ("pipeline of 4 stages", "pipeline_tp", DENSE, [
        ("sends: bsh at 3 boundaries", "3 * b*s*h*2", total(of("send_recv", cls="pipeline"))),
        ("boundaries", "3", count(of("send_recv", cls="pipeline"))),
    ]),
    ("pipeline with a split stream", "pipeline_sp", DENSE, [("sends: bsh/tp", "3 * b*s*h*2 / 8", total(of("send_recv", cls="pipeline")))]),
    ("pipeline, 2 chunks per stage", "pipeline_chunks", DENSE, [("boundaries: 4 * 2 - 1", "7", count(of("send_recv", cls="pipeline")))]),
    ("tied embedding on first and last stage", "pipeline_tied", DENSE, [
        ("all-reduce over the pair", "V*h*2 / 8", total(of("all_reduce", "step", axis="pp"))),
    ]),
]

def state(name):
    return lambda plan: plan["memory"][name + "_bytes"]


def saved(plan):
    """What one instance of the decoder keeps for backward."""
    stage = plan["layers"][0]["stage"]
    return sum(row["activation_bytes"] for row in plan["layers"] if row["path"].startswith("decoder.") and row["stage"] == stage)


# What a device holds: scheme, file, plan, sizes, what, formula, derived. Optimizer: master copy and two moments in fp32.
HELD = [
    ("ZeRO-1", "volumes/held.plan", "zero1", DENSE, "optimizer, 6 times the bytes of P, over n", "6 * P*2 / 8", state("optimizer")),
    ("ZeRO-1", "volumes/held.plan", "zero1", DENSE, "parameters whole", "P*2", state("params")),
    ("ZeRO-3, FSDP", "volumes/held.plan", "zero3", DENSE, "parameters P/n", "P*2 / 8", state("params")),
    ("ZeRO-3, FSDP", "volumes/held.plan", "zero3", DENSE, "gradients P/n", "P*2 / 8", state("grads")),
    ("TP (arXiv 2205.05198)", "lit/memory/tensor_parallel.plan", "tensor_parallel", CLASSIC, "kept for backward by a layer",
     "s*b*h * (10 + 24/t + 5*a*s/(h*t))", saved),
    ("TP+SP (arXiv 2205.05198)", "lit/memory/sequence_parallel.plan", "sequence_parallel", CLASSIC, "kept for backward by a layer",
     "s*b*h/t * (34 + 5*a*s/h)", saved),
]

LAWS = [("L1", "an axis serves one dimension of an operator", "l1_axis_wanted_twice", 630),
        ("L2", "one rule per dimension and depth", "l2_two_rules", 631), ("L3", "extents divide", "l3_does_not_divide", 612),
        ("L4", "a group lists an axis once", "l4_axis_listed_twice", 635), ("L5", "no axis is lost in silence", "l5_hidden_axis", 632),
        ("L6", "states nest", "l6_states_nest", 633)]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def collectives(planc):
    """Every collective of every plan of schemes.plan, from `compile --emit=comm`."""
    done = run(planc, "compile", os.path.join(HERE, "schemes.plan"), "--emit=comm")
    if done.returncode:
        sys.exit(done.stderr)
    plans, here, layer = {}, None, ""
    for line in done.stdout.splitlines():
        if m := re.match(r"// plan (\S+)", line):
            here = plans.setdefault(m[1], [])
        elif m := re.match(r"(?:layer|boundary) (\S+)", line):
            layer = m[1]
        elif m := re.match(r" +(\S+) (\S+)(?: dim=\S+)? axis=(\S+)\((\d+)\) level=\S+ bytes=(\S+) class=(\S+)(?: phase=(\S+) count=(\S+))?(?: op=(\S+))?", line):
            here.append(dict(kind=m[1], value=m[2], axis=m[3], n=int(m[4]), bytes=float(m[5]), cls=m[6], phase=m[7] or "", count=float(m[8] or 1),
                             op=m[9] or "", layer=layer))
        elif m := re.match(r" +param (\S+) : .* elements=(\d+)", line):
            here.append(dict(kind="param", value=m[1], axis="", n=1, bytes=0, cls="", phase="", count=0, op="", layer=layer, elements=int(m[2])))
    return plans


def estimates(planc, file):
    """The plans of a file by name, from `estimate`."""
    done = run(planc, "estimate", os.path.join(HERE, "..", file), "--format", "json", "--allow-oom")
    if done.returncode:
        sys.exit(done.stderr)
    return {plan["name"]: plan for plan in json.loads(done.stdout)["plans"]}


def table(planc):
    plans, lines, wrong = collectives(planc), [], 0
    lines += ["| scheme | what | expected | value | derived |", "|---|---|---|---|---|"]
    rows = [(scheme, sizes, *row, plans[plan]) for scheme, plan, sizes, some in ROWS for row in some]
    rows += [(scheme, sizes, what, formula, derive, estimates(planc, file)[plan]) for scheme, file, plan, sizes, what, formula, derive in HELD]
    for scheme, sizes, what, formula, derive, plan in rows:
        expected, derived = eval(formula, {}, sizes), derive(plan)
        ok = abs(expected - derived) <= 1e-9 * max(1, abs(expected))
        wrong += not ok
        text = formula.replace("*", "·")
        lines.append(f"| {scheme} | {what} | {text} | {expected:.10g} | {f'{derived:.10g}' if ok else f'{derived:.10g} DIFFERS'} |")
    for law, what, file, code in LAWS:
        seen = run(planc, "check", "--diagnostics=short", os.path.join(HERE, "..", "lit", "laws", file + ".plan")).stderr
        ok = f"PLAN{code:04}" in seen
        wrong += not ok
        lines.append(f"| law {law} | {what} | refused | PLAN{code:04} | {f'PLAN{code:04}' if ok else 'accepted: DIFFERS'} |")
    return lines, wrong


def main(arguments):
    lines, wrong = table(arguments[0])
    text = "\n".join(lines)
    if "--check" in arguments or "--write" in arguments:
        doc = arguments[-1]
        whole = open(doc, encoding="utf-8").read()
        head, rest = whole.split(BEGIN)
        made = head + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1]
        if "--write" in arguments:
            open(doc, "w", encoding="utf-8").write(made)
        elif made != whole:
            print(f"{doc}: the table is not what planc derives; run volumes.py PLANC --write {doc}")
            wrong += 1
    print(text)
    print(f"{len(lines) - 2} rows, {wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
