#!/usr/bin/env python3
# Random models with windows, chunks and chosen keys: what the model needs, and what is executed, takes at least its time at the peak of its type.
# at_the_peak.py PLANC [--plans N] [--seed FIRST]
# SPDX-License-Identifier: Apache-2.0
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # no caches in the tree
PER_FILE = 50
MODULES = ("models.gemma", "models.gpt_oss", "models.llama4", "models.deepseek_sparse", "models.deepseek_v4", "models.glm5", "clusters.hgx",
           "clusters.nvl72", "stacks.te", "optimizers")
CLUSTERS = ("hgx.hgx_h100(nodes = {nodes})", "hgx.hgx_a100(nodes = {nodes})", "nvl72.gb200_nvl72(racks = 1, gpus = 8 * {nodes})")


def window(rng, seq):
    return rng.choice([w for w in (128, 512, 1024, 4096) if w <= seq])


def model(rng, seq):
    """A call of a model of the library, with sizes of its own."""
    heads, keys = rng.choice([16, 32, 64]), rng.choice([64, 256, 512, 2048])
    loss = rng.choice(["off", "chosen", "all"])
    return rng.choice([
        f"gemma.gemma2(layers = 4, hidden = 2048, heads = {heads}, kv_heads = 8, ffn = 8192, window = {window(rng, seq)})",
        f"gemma.gemma3(layers = 12, hidden = 1024, heads = {heads}, kv_heads = 4, head_dim = 128, ffn = 4096, window = {window(rng, seq)})",
        f"gpt_oss.gpt_oss(layers = 4, experts = 32, window = {window(rng, seq)})",
        f"llama4.llama4(periods = 1, hidden = 2048, heads = {heads}, experts = 16, alternating = {rng.choice(['true', 'false'])}, chunk = {window(rng, seq)})",
        f"deepseek_sparse.deepseek_v32(layers = 2, hidden = 2048, heads = {heads}, keys = {keys}, experts = 16, index_loss = {loss})",
        f"deepseek_v4.v4_flash(pairs = 2, heads = {heads}, keys = {keys}, experts = 16, index_loss = {loss}, "
        f"hyper = {rng.choice(['one_pass', 'separate'])})",
        f"glm5.glm5(layers = 7, heads = {heads}, keys = {keys}, experts = 16, period = {rng.choice([1, 2, 4])}, index_loss = {loss}, "
        f"scoring = {rng.choice(['written', 'fused'])})"])


def plan(rng, name):
    seq, nodes = 2 ** rng.randint(9, 15), rng.choice([1, 2, 4])
    return f"""plan {name} {{
  model    = {model(rng, seq)}
  cluster  = {rng.choice(CLUSTERS).format(nodes=nodes)}
  software = te.{rng.choice(['te', 'te_2602', 'te_2606'])}
  train {{ seq = {seq}; global_batch = {8 * nodes * rng.choice([1, 4])}; micro_batch = 1; optimizer = optimizers.adamw }}
  mesh {{ dp = {8 * nodes} }}
  place {{ batch -> dp }}
  states {{ optimizer -> dp }}
}}
"""


def estimates(planc, plans):
    text = "".join(f"import std.{m}\n" for m in MODULES) + "".join(plans)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "peak.plan"
        path.write_text(text)
        run = subprocess.run([planc, "estimate", str(path), "--format", "json", "--no-fixes", "--allow-oom"], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"exit {run.returncode}\n{run.stderr[:2000]}\n{text}")
    return json.loads(run.stdout)["plans"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("planc")
    parser.add_argument("--plans", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng, wrong, most = random.Random(arguments.seed), 0, {"mfu": 0, "mfu_causal": 0, "hfu": 0}
    for first in range(0, arguments.plans, PER_FILE):
        texts = [plan(rng, f"p{i}") for i in range(first, min(first + PER_FILE, arguments.plans))]
        for text, priced in zip(texts, estimates(arguments.planc, texts)):
            shares = {name: priced["totals"][name] for name in most}
            most = {name: max(most[name], share) for name, share in shares.items()}
            if any(not 0 < share <= 1 for share in shares.values()) or shares["mfu_causal"] > shares["mfu"] * (1 + 1e-12):
                wrong += 1
                print(f"{shares}\n{text}")
    print(f"{arguments.plans} plans, at most " + ", ".join(f"{name} {share:.1%}" for name, share in most.items()) + f": {wrong} against the law")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
