#!/usr/bin/env python3
# Prices every strategy of the plans in this folder and prints them against the FSDP baseline of their model and workload, beside
# what MAD-Max (arXiv 2310.02784) says. `--write PAGE` puts the table into a page, `--check PAGE` holds the page and the directions
# of the published study against today's numbers.
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
sys.dont_write_bytecode = True  # no caches in the tree
import pages

MARK = "tests/studies/madmax/study.py"

# file, prefix of its plans, title
GROUPS = [
    ("dlrm_a.plan", "train_", "DLRM-A, pre-training"),
    ("dlrm_a.plan", "infer_", "DLRM-A, inference"),
    ("dlrm_a_moe.plan", "train_", "DLRM-A-MoE, pre-training"),
    ("dlrm_a_moe.plan", "infer_", "DLRM-A-MoE, inference"),
    ("dlrm_a_transformer.plan", "train_", "DLRM-A-Transformer, pre-training"),
    ("dlrm_a_transformer.plan", "infer_", "DLRM-A-Transformer, inference"),
    ("llm.plan", "llama_train_", "LLaMA-65B on 2,048 devices, pre-training"),
    ("llm.plan", "gpt3_train_", "GPT-3 175B on 2,048 devices, pre-training"),
    ("llm.plan", "llama_infer_", "LLaMA-65B on 2,048 devices, inference"),
]
STRATEGIES = {
    "ddp": "DDP", "fsdp": "FSDP", "fsdp_ddp": "(FSDP 8, DDP)", "tp_ddp": "(TP 8, DDP)", "ddp_tp": "(DDP 8, TP 16)", "tp": "TP 128",
    "rows_ddp": "DDP, tables by row inside a node", "ep_ddp": "(EP 8, DDP)", "ep_fsdp": "(EP 8, FSDP)", "ddp_ep": "(DDP 8, EP 16)",
    "tp_ep": "(TP 8, EP 16)", "tp_fsdp": "(TP 8, FSDP)",
}
# Milliseconds of one iteration that MAD-Max's own code gives on 128 devices.
THEIRS = {
    ("dlrm_a.plan", "train_ddp"): 54.0, ("dlrm_a.plan", "train_fsdp"): 73.0, ("dlrm_a.plan", "train_tp_ddp"): 63.4,
    ("dlrm_a.plan", "train_fsdp_ddp"): 71.2, ("dlrm_a.plan", "infer_ddp"): 19.2,
}
# Rates of a device as MAD-Max's code takes them (facebookresearch/ScaleExplorer, madmax/systems/gpus.py, madmax/system_cfgs/dc_A): the share of its
# peak that products reach; bytes/s inside a node and across; of an all-reduce over both, half of what a gather or a reduce-scatter moves.
THEIR_SHARE, INSIDE, ACROSS = 0.705, 12 * 25e9 * 0.6667, 8 * 12.5e9 * 0.56 / 8
THEIR_REDUCE = 0.7254 * ACROSS + 0.2746 * INSIDE
# Its best strategy over FSDP, any memory.
FACTORS = {"DLRM-A, pre-training": 1.35, "DLRM-A-MoE, pre-training": 2.26, "DLRM-A-MoE, inference": 5.23}


class Row:
    def __init__(self, file, plan, prefix):
        totals, memory = plan["totals"], plan["memory"]
        self.name = plan["name"]
        self.strategy = STRATEGIES[plan["name"][len(prefix):]]
        self.seconds = totals["step_time_s"]
        self.exposed = totals["exposed_comm_s"] / totals["comm_s"] if totals["comm_s"] else 0
        self.memory, self.fits = memory["peak_bytes"], memory["fits"]
        self.theirs = THEIRS.get((file, plan["name"]))


def price(planc):
    """The groups in order, each (title, rows); errors; and the plans of DLRM-A as reported."""
    reports, groups, errors = {}, [], []
    for file, prefix, title in GROUPS:
        if file not in reports:
            run = subprocess.run([planc, "estimate", str(FOLDER / file), "--format", "json", "--allow-oom"], capture_output=True, text=True)
            reports[file] = json.loads(run.stdout)
            errors += [f"{d['code']}: {d['message']} ({d['file']}:{d['line']})" for d in reports[file]["diagnostics"] if d["severity"] == "error"]
        rows = [Row(file, p, prefix) for p in reports[file]["plans"] if p["name"].startswith(prefix)]
        groups.append((title, rows))
    return groups, errors, reports["dlrm_a.plan"]["plans"]


def their_parts(fsdp):
    """Milliseconds by the equations of MAD-Max's code (facebookresearch/ScaleExplorer, madmax/tasks/dlrm_tasks.py) with its sizes of DLRM-A
    and its system dc_A_128."""
    devices, batch, layer = 128, 65536, 3994**2
    lookup = 4096 * 15 * 94 * 2 * batch / devices  # bytes of rows that a device reads
    memory, flops = 1555e9 * 0.836, 156e12 * THEIR_SHARE
    weights = 20 * layer * 4
    parts = {
        "tables": 2 * lookup / memory,
        "perceptrons": 3 * 20 * 2 * layer * batch / devices / flops,
        "all-to-all": 2 * 2 * lookup / devices / ACROSS,
        "gradients": weights / (2 * THEIR_REDUCE if fsdp else THEIR_REDUCE),
        "gathers": 2 * weights / (2 * THEIR_REDUCE) if fsdp else 0,
    }
    parts["exposed"] = (73.0e-3 if fsdp else 54.0e-3) - parts["tables"] - parts["perceptrons"]
    parts["step"] = 73.0e-3 if fsdp else 54.0e-3
    return parts


def our_parts(plan):
    def layers(*names):
        return sum(r["on_path_s"] for r in plan["layers"] if re.split(r"[.\[]", r["path"])[0] in names)

    def moved(*wanted):
        return sum(c["count"] * c["time_s"] for c in plan["collectives"] if (c["op"], c["class"]) in wanted)

    totals = plan["totals"]
    return {
        "tables": layers("bags"), "perceptrons": layers("bottom_mlp", "top_mlp", "entry", "dense", "click"), "interaction and loss": layers("interaction", "loss"),
        "all-to-all": moved(("all_to_all", "activation")), "gradients": moved(("all_reduce", "gradient"), ("reduce_scatter", "gradient")),
        "gathers": moved(("all_gather", "state")), "exposed": totals["exposed_comm_s"], "slowed": totals["slowed_s"], "launches": totals["launches_s"], "optimizer": totals["optimizer_s"],
        "overhead": totals["overhead_s"], "step": totals["step_time_s"],
    }


PARTS = {
    "tables": "tables: rows read, and gradients", "perceptrons": "perceptrons", "interaction and loss": "interaction, loss",
    "all-to-all": "all-to-all of pooled vectors, both ways", "gradients": "gradients: all-reduce, or reduce-scatter",
    "gathers": "parameters gathered, twice", "exposed": "of the communication exposed", "slowed": "computing slowed by communication", "launches": "host launches", "optimizer": "optimizer", "overhead": "overhead",
    "step": "**step**",
}


def parts_table(plans):
    ours = [our_parts(next(p for p in plans if p["name"] == name)) for name in ("train_ddp", "train_fsdp")]
    theirs = [their_parts(False), their_parts(True)]
    lines = ["**Where DLRM-A's step differs, milliseconds**", "", "| | DDP | MAD-Max | FSDP | MAD-Max |", "|---|--:|--:|--:|--:|"]
    for key, name in PARTS.items():
        cells = [f"{table.get(key, 0) * 1e3:.1f}" for pair in zip(ours, theirs) for table in pair]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines + [""]


def baseline(rows):
    return next(r for r in rows if r.strategy == "FSDP")


def best(rows):
    return min((r for r in rows if r.fits), key=lambda r: r.seconds)


def table(groups, plans):
    lines = parts_table(plans)
    for title, rows in groups:
        base, winner = baseline(rows), best(rows)
        lines += [f"**{title}**", "", "| strategy | step | of communication exposed | memory | fits | over FSDP | MAD-Max |", "|---|--:|--:|--:|---|--:|--:|"]
        for r in sorted(rows, key=lambda r: r.seconds):
            name = f"**{r.strategy}**" if r is winner else r.strategy
            factor = f"{base.seconds / r.seconds:.2f}" if r.fits else "–"
            theirs = f"{r.theirs:.1f} ms" if r.theirs else ""
            lines.append(f"| {name} | {r.seconds * 1e3:.1f} ms | {r.exposed:.0%} | {r.memory / 1e9:.1f} GB | {'yes' if r.fits else 'no'} | {factor} | {theirs} |")
        said = f"; MAD-Max: {FACTORS[title]:.2f}, memory unchecked" if title in FACTORS else ""
        lines += ["", f"Best that fits: {winner.strategy}, {base.seconds / winner.seconds:.2f} times FSDP{said}.", ""]
    return "\n".join(lines)


def directions(groups):
    """What of the published study must hold here, as (claim, holds)."""
    by = dict(groups)
    for title in ("DLRM-A, pre-training", "DLRM-A, inference", "DLRM-A-MoE, pre-training", "DLRM-A-MoE, inference"):
        yield f"{title}: the best plan that fits beats FSDP", best(by[title]).seconds < baseline(by[title]).seconds
    gain = {title: baseline(rows).seconds / best(rows).seconds for title, rows in groups}
    for workload in ("pre-training", "inference"):
        yield f"{workload}: experts gain more than dense layers", gain[f"DLRM-A-MoE, {workload}"] > gain[f"DLRM-A, {workload}"]
    dense = {r.strategy: r.seconds for r in by["DLRM-A, pre-training"]}
    for strategy in ("DDP", "(TP 8, DDP)"):
        yield f"DLRM-A, pre-training: {strategy} before FSDP", dense[strategy] < dense["FSDP"]
    yield "DLRM-A, pre-training: (FSDP 8, DDP) beats FSDP", dense["(FSDP 8, DDP)"] < dense["FSDP"]
    yield "DLRM-A: DDP wins in inference", best(by["DLRM-A, inference"]).strategy == "DDP"
    # A card that is taken by the all-to-all reduces no gradients: what reduces an eighth over it comes before DDP.
    yield "DLRM-A, pre-training: (FSDP 8, DDP) wins", best(by["DLRM-A, pre-training"]).strategy == "(FSDP 8, DDP)"
    yield "DLRM-A-MoE, pre-training: DDP does not fit", not next(r for r in by["DLRM-A-MoE, pre-training"] if r.strategy == "DDP").fits
    yield "DLRM-A-MoE, pre-training: the winner places experts", "EP" in best(by["DLRM-A-MoE, pre-training"]).strategy
    for title, rows in groups:
        if title.startswith(("LLaMA", "GPT-3")):
            yield f"{title}: DDP does not fit", not next(r for r in rows if r.strategy == "DDP").fits


def main():
    args = pages.arguments()
    groups, errors, plans = price(args.planc)
    text = table(groups, plans)
    failed = list(errors)
    for claim, holds in directions(groups):
        print(f"{'holds' if holds else 'FAILS'}: {claim}", file=sys.stderr)
        if not holds:
            failed.append(claim)
    return pages.finish(args, MARK, text, failed)


if __name__ == "__main__":
    sys.exit(main())
