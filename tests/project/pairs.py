#!/usr/bin/env python3
"""Single changes of the examples: the first line of `planc diff` names the changed thing, and what it attributes adds up.

Usage: pairs.py PLANC ROOT
"""
# SPDX-License-Identifier: Apache-2.0
import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# (file that changes, text, its replacement, what the first line must say[, file that is compared, if another])
CHANGES = [
    ("gpt3_175b", "micro_batch  = 1", "micro_batch  = 2", "train.micro_batch 1 → 2"),
    ("gpt3_175b", "global_batch = 64", "global_batch = 128", "train.global_batch 64 → 128"),
    ("gpt3_175b", "seq          = 2048", "seq          = 1024", "train.seq 2048 → 1024"),
    ("gpt3_175b", "(chunks = 3)", "(chunks = 2)", "pipeline.schedule.chunks 3 → 2"),
    ("gpt3_175b", "compute   = fp16", "compute   = bf16", "precision.compute fp16 → bf16"),
    ("gpt3_175b", "recompute decoder.attn.core\n", "recompute decoder.attn\n", "+ recompute decoder.attn"),
    ("gpt3_175b", "pp = 8 across nodes", "pp = 8", "mesh.pp 8 across nodes → 8"),
    ("gpt3_175b", "embed, head, loss { vocab -> tp }", "embed, head, loss { vocab -> replicate }", "vocab -> tp → replicate"),
    ("gpt3_175b", "attention = unfused", "attention = flash", "model gpt.gpt3_175b(attention = unfused → flash)"),
    ("gpt3_175b", "states { optimizer -> dp }", "states { optimizer -> replicate }", "states.optimizer -> dp → replicate"),
    ("gpt3_175b", "optimizers.adam\n", "optimizers.sgd\n", "train.optimizer adam"),
    ("gpt3_175b", "megatron.megatron_2022", "megatron.megatron_2020", "software megatron_2022 → megatron_2020"),
    ("gemma2_27b", "tp = 8 within node", "tp = 8", "mesh.tp 8 within node → 8"),
    ("gemma2_27b", "compute = bf16", "compute = fp16", "precision.compute bf16 → fp16"),
    ("gemma2_27b", "gemma.gemma2_27b(window = 0)", "gemma.gemma2_27b(window = 2048)", "gemma.gemma2_27b(window = 0 → 2048)"),
    ("gemma2_27b", "micro_batch  = 1", "micro_batch  = 2", "train.micro_batch 1 → 2"),
    ("deepseek_v2_lite_megatron", "micro_batch  = 2", "micro_batch  = 1", "train.micro_batch 2 → 1"),
    ("deepseek_v2_lite_megatron", "recompute decoder.moe.act { outputs = true }", "", "- recompute decoder.moe.act"),
    ("deepseek_v2_lite_megatron", "te.te_2606", "te.te", "software te_2606 → te"),
    ("deepseek_v2_lite_megatron", "grads     = fp32", "grads     = bf16", "precision.grads fp32 → bf16"),
    ("deepseek_v3", "schedule = dualpipe", "schedule = one_f_one_b", "pipeline.schedule dualpipe → one_f_one_b"),
    ("deepseek_v3", "tokens = 14.8e12tokens", "tokens = 20e12tokens", "run.tokens"),
    ("deepseek_v3", "combine_sum.grad = fp8_block", "combine_sum.grad = bf16", "precision.combine_sum.grad fp8_block → bf16"),
    ("fabrics", "jitter = 1%", "jitter = 2%", "cluster.jitter 0.01 → 0.02"),
    ("fabrics", "oversubscription = 4", "oversubscription = 2", "fat_tree(oversubscription = 4 → 2)"),
    ("fabrics", "bandwidth = 450GB/s", "bandwidth = 400GB/s", "cluster.node.bandwidth 450 → 400 GB/s"),
    ("fabrics", "latency   = 5us", "latency   = 9us", "latency 5 → 9 us"),
    ("finetune_lora", "rank    = 16", "rank    = 32", "finetune.lora rank 16 → rank 32"),
    ("finetune_lora", "frozen = nf4", "frozen = fp8", "precision.frozen nf4 → fp8"),
    ("llama3_405b", "optimizer = fp32", "optimizer = bf16", "precision.optimizer fp32 → bf16"),
    ("llama3_405b", "seq = 8192, batch = 2048", "seq = 8192, batch = 4096", "train.global_batch 2048 → 4096"),
    ("llama3_405b", "recompute decoder.mlp.act { outputs = true }", "", "- recompute decoder.mlp.act"),
    ("llama3_70b_fsdp", "global_batch = 8 * nodes", "global_batch = 16 * nodes", "train.global_batch"),
    ("llama3_8b_torchtitan", "save = [attn.q, attn.v, attn.core, mlp.gate]", "save = [attn.q, attn.v, attn.core]", "+ recompute decoder { save = [attn.q, attn.v, attn.core] }"),
    ("llama3_8b_torchtitan", "devices.h100_96gb_500w", "devices.h100_sxm5_80gb", "generic.cluster(gpu = h100_96gb_500w → h100_sxm5_80gb)"),
    ("llama3_8b_ways", "mtbf       = 50000h", "mtbf       = 90000h", "run.mtbf"),
    ("llama3_8b_ways", "params = fp32", "params = bf16", "precision.params fp32 → bf16"),
    ("plans", "overlap { state = 20% }", "overlap { state = 60% }", "overlap.state 0.2 → 0.6"),
    ("plans", "keep decoder.norm1 = gathered", "", "- keep decoder.norm1"),
    ("clusters", "price = 3.99USD/h", "price = 4.99USD/h", "cluster.device.price 3.99 → 4.99 USD/h", "plans"),
    ("t5_11b", "source       = 512", "source       = 256", "source 512 → 256"),
    ("search_recommendation", "optimizers.rowwise_adagrad", "optimizers.adagrad", "train.table_optimizer"),
]


def planc(binary, folder, *arguments):
    done = subprocess.run([binary, "diff", *arguments], cwd=folder, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def near(a, b, scale):
    return abs(a - b) <= 1e-9 * max(abs(scale), 1e-30)


def sums(plan):
    """What of a plan's accounts does not add up."""
    metrics = plan["metrics"]["totals.step_time_s"]
    before, after = metrics["before"], metrics["after"]
    scale = max(before, after)
    found = []
    for what, got, wanted in [("parts before", sum(p["before_s"] for p in plan["parts"]), before),
                              ("parts after", sum(p["after_s"] for p in plan["parts"]), after),
                              ("differences of parts", sum(p["difference_s"] for p in plan["parts"]), after - before),
                              ("what owners changed", sum(c["step_time_s"] for c in plan["changes"]), after - before)]:
        if not near(got, wanted, scale):
            found.append(f"{plan['id']}: {what}: {got!r}, not {wanted!r}")
    return found


def compare(binary, root, change):
    changed, old, new, wanted, *other = change
    name = f"{other[0] if other else changed}.plan"
    with tempfile.TemporaryDirectory() as folder:
        for side in "before", "after":
            shutil.copytree(root / "examples", Path(folder) / side)
        path = Path(folder) / "after" / f"{changed}.plan"
        text = path.read_text(encoding="utf-8")
        if old not in text:
            return [f"{changed}: `{old}` is not there"]
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        sides = [f"before/{name}", f"after/{name}"]
        code, text, errors = planc(binary, folder, *sides)
        first = text.split("\n", 1)[0]
        found = []
        if code != 0 or wanted not in first:
            found.append(f"{changed}: `{old.strip()}` to `{new.strip()}`: exit {code}, `{first}` does not say `{wanted}`\n{errors}")
        code, text, errors = planc(binary, folder, *sides, "--format", "json")
        plans = json.loads(text)["plans"] if code == 0 else []
        if not plans:
            found.append(f"{changed}: `{old.strip()}` to `{new.strip()}` changes no plan\n{errors}")
        for plan in plans:
            if plan["fate"] == "changed":
                found += sums(plan)
                owners = [c["whose"] for c in plan["changes"]]
                if owners != ["libraries" if other else "plan"]:
                    found.append(f"{plan['id']}: it is the change of {owners}")
        return found


def main():
    binary, root = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda change: compare(str(binary), root, change), CHANGES))
    for found in results:
        for line in found:
            print(line)
    good = sum(not found for found in results)
    print(f"{good} of {len(CHANGES)} single changes are named on the first line, and add up")
    return 0 if good == len(CHANGES) else 1


if __name__ == "__main__":
    sys.exit(main())
