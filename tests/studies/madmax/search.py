#!/usr/bin/env python3
# MAD-Max's two studies (arXiv 2310.02784) by `planc search` alone: the best plan of every model and task, with better hardware, and on more
# devices. Prints the tables of docs/studies/madmax_search.md; `--write PAGE` puts them there, `--check PAGE` compares them.
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
sys.dont_write_bytecode = True  # no caches in the tree
import pages
import study

MARK = "tests/studies/madmax/search.py"
FACTS = {  # a hardware fact: name, path, value of ZionEX, unit
    "FLOP/s": ("cluster.device.peak.{type}", {"tf32": 156, "bf16": 312}, "TFLOP/s"), "memory bandwidth": ("cluster.device.bandwidth", 1.555, "TB/s"),
    "memory": ("cluster.device.memory", 40, "GB"), "inside a node": ("cluster.node.bandwidth", 300, "GB/s"),
    "across nodes": ("cluster.rack.bandwidth", 25, "GB/s"),
}
MOST = {"dlrm_a_transformer_train": "memory bandwidth"}  # the fact that helps most by itself, else the network for recommendation, FLOP/s for language
STEPS = 3  # from 1 to 10 in equal ratios
RECOMMENDATION, LANGUAGE = [4, 8, 16, 32, 64, 128], [16, 32, 64, 128, 256]
# plan: title as in study.py, element type of its products, numbers of nodes
SPACES = {
    "dlrm_a_train": ("DLRM-A, pre-training", "tf32", RECOMMENDATION), "dlrm_a_infer": ("DLRM-A, inference", "tf32", RECOMMENDATION),
    "dlrm_a_moe_train": ("DLRM-A-MoE, pre-training", "tf32", RECOMMENDATION), "dlrm_a_moe_infer": ("DLRM-A-MoE, inference", "tf32", RECOMMENDATION),
    "dlrm_a_transformer_train": ("DLRM-A-Transformer, pre-training", "tf32", RECOMMENDATION),
    "dlrm_a_transformer_infer": ("DLRM-A-Transformer, inference", "tf32", RECOMMENDATION),
    "llama_train": ("LLaMA-65B on 2,048 devices, pre-training", "bf16", LANGUAGE), "gpt3_train": ("GPT-3 175B on 2,048 devices, pre-training", "bf16", LANGUAGE),
    "llama_infer": ("LLaMA-65B on 2,048 devices, inference", "bf16", LANGUAGE),
}


def search(planc, plan, *words):
    done = subprocess.run([planc, "search", str(FOLDER / "search.plan"), "--plan", plan, "--format", "json", *words], capture_output=True, text=True)
    if not done.stdout.strip():
        sys.exit(done.stderr)
    return json.loads(done.stdout)["search"]


def strategy(choices, group, batch, split, states):
    """(inside a node, across nodes) of a group of layers: what splits it there, or whether its parameters are sharded or copied."""
    split = {choices.get(f"{group}.{d} ->") for d in split} | {choices.get(f"{group}.out.experts ->") and ""}
    held = choices.get(states, "replicate")
    experts = choices.get(f"{group}.out.experts ->", "replicate")
    kinds = []
    for axis in ("inner", "outer"):
        kinds.append("EP" if experts == axis else "TP" if split & {axis, "all"} else "FSDP" if held in (axis, "all") else "DDP")
    return kinds[0] if kinds[0] == kinds[1] else f"({', '.join(kinds)})"


def described(choices):
    """All of a candidate's strategies in words."""
    if "batch ->" in choices:
        whole = strategy(choices, "decoder", "batch", ("seq",), "states.params ->")
        kept = choices.get("recompute", "none")
        return whole if kept == "none" else f"{whole}, `recompute {kept}`"
    parts = [f"{name} {strategy(choices, group, 'batch', ('inner',), f'states.{group}.params ->')}"
             for name, group in (("bottom", "bottom_mlp"), ("top", "top_mlp"), ("encoders", "encoder")) if f"states.{group}.params ->" in choices]
    return "; ".join(parts + (["rows of tables split inside a node"] if choices.get("bags.rows ->") == "inner" else []))


def seconds(t):
    return f"{t:.2f} s" if t >= 1 else f"{t * 1e3:.1f} ms"


def best_plans(planc, files):
    """(lines, {plan: the best candidate}). FSDP is that of the files beside this one: everything but the tables is sharded over all devices."""
    rows, winners = [], {}
    for plan, (title, _, _) in SPACES.items():
        found = search(planc, plan, "--top", "1")
        best, fates = found["best"][0], found["fates"]
        free = found.get("best_without_memory") or best
        winners[plan] = best
        beyond = "" if free["candidate"] == best["candidate"] else f"{described(free['choices'])}: {seconds(free['step_time_s'])}, {free['memory_peak_bytes'] / 1e9:.1f} GB"
        rows.append([title, f"{found['candidates']:,}", f"{fates['answers']:,}", described(best["choices"]), seconds(best["step_time_s"]),
                     f"{best['memory_peak_bytes'] / 1e9:.1f} GB", f"{study.baseline(files[title]).seconds / best['step_time_s']:.2f}",
                     f"{study.FACTORS[title]:.2f}" if title in study.FACTORS else "", beyond])
    heads = ["model and task", "candidates", "fit", ":best that fits", "step", "memory", "over FSDP", "MAD-Max", ":without the limit of memory"]
    return ["**The best plan of every space**", ""] + pages.table(heads, rows), winners


def steps(fact, kind):
    path, value, unit = FACTS[fact]
    value = value[kind] if isinstance(value, dict) else value
    return f"{path.format(type=kind)} in steps({value}{unit}, {10 * value}{unit}, {STEPS})"


def hardware(planc, winners):
    """(lines, claims): how much sooner the best plan's step ends with better hardware."""
    rows, changed, claims = [], [], []
    for plan, (title, kind, _) in SPACES.items():
        cells, gain = [], {}
        for name, words in [(fact, steps(fact, kind)) for fact in FACTS] + [("all", " with ".join(steps(fact, kind) for fact in FACTS))]:
            found = search(planc, plan, "--vary", words, "--top", "1")
            choice = words.split(" in ")[0]
            values = [v["best"] for v in found["values"] if v["choice"].split(", ")[0] == choice]
            times = [v["step_time_s"] for v in values]
            claims.append((f"{title}, {name}: unscaled it is the best plan", times[0] == winners[plan]["step_time_s"]))
            claims.append((f"{title}, {name}: better hardware is not slower", all(b <= a * (1 + 1e-9) for a, b in zip(times, times[1:]))))
            gain[name] = times[0] / times[-1]
            cells.append(" / ".join(f"{times[0] / t:.2f}" for t in times[1:]))
            last, first = described(values[-1]["choices"]), described(winners[plan]["choices"])
            if last != first:
                changed.append([title, name, last])
        rows.append([title] + cells)
        most = max(FACTS, key=lambda fact: gain[fact])
        named = MOST.get(plan, "FLOP/s" if kind == "bf16" else "across nodes")  # within a percent two things help alike
        claims.append((f"{title}: what helps most by itself", gain[named] > 0.99 * gain[most]))
        claims.append((f"{title}: all of it helps more than twice as much as any one thing", gain["all"] > 2 * gain[most]))
    lines = ["**With better hardware: how many times sooner the best plan's step ends, with 3.2 and 10 times as much**", ""]
    lines += pages.table(["model and task", *FACTS, "all"], rows)
    return lines + ["", "**Where another plan wins with ten times as much**", ""] + pages.table(["model and task", ":of what", ":best plan"], changed), claims


def fronts(planc):
    """Throughput against devices: no plan is faster on as many devices or fewer."""
    rows = []
    for plan, (title, _, nodes) in SPACES.items():
        counts = f"[{', '.join(map(str, nodes))}]"
        found = search(planc, plan, "--vary", f"cluster.nodes in {counts} with mesh.outer in {counts}", "--maximize", "samples_per_second", "--minimize", "mesh.outer")
        goals = [g.split()[-1] for g in found["goals"]]
        points = sorted((row["goals"][goals.index("mesh.outer")], row["goals"][goals.index("samples_per_second")], row) for row in found["front"])
        for n, rate, row in points:
            each = rate / (8 * n) / (points[0][1] / (8 * points[0][0]))
            rows.append([title.replace(" on 2,048 devices", ""), f"{int(8 * n):,}", f"{rate:,.0f}" if rate >= 1000 else f"{rate:.1f}", f"{each:.0%}", f"{row['memory_peak_bytes'] / 1e9:.1f} GB", described(row["choices"])])
    heads = ["model and task", "devices", "samples/s", "of that, per device", "memory", ":best plan"]
    return ["**Throughput against devices: the front**", ""] + pages.table(heads, rows)


def beats_the_files(files, winners):
    """The plans that are written out in the files beside this one are candidates, too, but for what FSDP does to the layers between the groups:
    of DLRM-A's 79.3 ms nine thousandths, for their gradients are the last to be reduced."""
    for plan, (title, _, _) in SPACES.items():
        yield f"{title}: no plan of the files is faster", winners[plan]["step_time_s"] <= 1.01 * study.best(files[title]).seconds
    title = SPACES["dlrm_a_moe_train"][0]
    yield f"{title}: a better plan than those of the files", winners["dlrm_a_moe_train"]["step_time_s"] < 0.97 * study.best(files[title]).seconds


def main():
    args = pages.arguments()
    groups, failed, _ = study.price(args.planc)
    files = dict(groups)
    best, winners = best_plans(args.planc, files)
    scaled, claims = hardware(args.planc, winners)
    text = "\n".join(best + [""] + scaled + [""] + fronts(args.planc))
    failed += [claim for claim, holds in claims + list(beats_the_files(files, winners)) if not holds]
    return pages.finish(args, MARK, text, failed)


if __name__ == "__main__":
    sys.exit(main())
