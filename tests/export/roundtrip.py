#!/usr/bin/env python3
"""Exports plans as arguments of Megatron-LM and imports these again: both plans have the same estimate, to the byte of its totals.

Usage: roundtrip.py PLANC FOLDER

FOLDER has files written by hand (tests/import/small). 20 more sets of arguments vary the layout.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import subprocess
import sys
import tempfile

DENSE = ("--num-layers 16 --hidden-size 2048 --num-attention-heads 16 --ffn-hidden-size 5632 --seq-length 4096 --position-embedding-type rope "
         "--normalization RMSNorm --swiglu --disable-bias-linear --untie-embeddings-and-output-weights --vocab-size 32000 --hidden-dropout 0.0")
GROUPED = DENSE + " --group-query-attention --num-query-groups 4 --kv-channels 128 --qk-layernorm"
LEARNED = "--num-layers 16 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 --vocab-size 50257"
SPARSE = GROUPED + " --num-experts 16 --moe-router-topk 2 --moe-ffn-hidden-size 1408"
LATENT = (SPARSE + " --multi-latent-attention --kv-lora-rank 512 --qk-head-dim 128 --qk-pos-emb-head-dim 64 --v-head-dim 128 "
          "--moe-shared-expert-intermediate-size 2816 --moe-layer-freq ([0]*1+[1]*15)")
ROWS = [
    (DENSE, "--bf16 --micro-batch-size 1 --global-batch-size 64 --use-distributed-optimizer"),
    (DENSE, "--bf16 --tensor-model-parallel-size 2 --sequence-parallel --micro-batch-size 2 --global-batch-size 64 --use-distributed-optimizer"),
    (DENSE, "--bf16 --tensor-model-parallel-size 4 --micro-batch-size 1 --global-batch-size 32"),
    (DENSE, "--fp16 --tensor-model-parallel-size 8 --sequence-parallel --micro-batch-size 4 --global-batch-size 64 --recompute-activations"),
    (DENSE, "--bf16 --pipeline-model-parallel-size 4 --micro-batch-size 1 --global-batch-size 64 --use-distributed-optimizer"),
    (DENSE, "--bf16 --pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 2 --micro-batch-size 1 --global-batch-size 64"),
    (DENSE, "--bf16 --pipeline-model-parallel-size 2 --decoder-first-pipeline-num-layers 7 --micro-batch-size 1 --global-batch-size 64"),
    (DENSE, "--bf16 --context-parallel-size 2 --micro-batch-size 1 --global-batch-size 32 --grad-reduce-in-bf16 --use-distributed-optimizer"),
    (DENSE, "--bf16 --fp8-format hybrid --tensor-model-parallel-size 2 --sequence-parallel --micro-batch-size 1 --global-batch-size 32"),
    (DENSE, "--bf16 --fp8-format e4m3 --fp8-recipe blockwise --micro-batch-size 1 --global-batch-size 32 --use-distributed-optimizer"),
    (GROUPED, "--bf16 --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --sequence-parallel --micro-batch-size 1 --global-batch-size 64"),
    (GROUPED, "--bf16 --micro-batch-size 1 --global-batch-size 64 --use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params"),
    (GROUPED, "--bf16 --micro-batch-size 2 --global-batch-size 64 --use-distributed-optimizer --recompute-granularity full --recompute-method uniform "
     "--recompute-num-layers 1"),
    (GROUPED, "--bf16 --micro-batch-size 2 --global-batch-size 64 --use-distributed-optimizer --recompute-granularity full --recompute-method block "
     "--recompute-num-layers 5"),
    (GROUPED, "--bf16 --micro-batch-size 2 --global-batch-size 64 --use-distributed-optimizer --recompute-granularity selective --recompute-modules mlp layernorm"),
    (LEARNED, "--fp16 --tensor-model-parallel-size 2 --micro-batch-size 1 --global-batch-size 64"),
    (SPARSE, "--bf16 --expert-model-parallel-size 8 --micro-batch-size 1 --global-batch-size 64 --use-distributed-optimizer"),
    (SPARSE, "--bf16 --tensor-model-parallel-size 2 --expert-model-parallel-size 8 --expert-tensor-parallel-size 1 --sequence-parallel --micro-batch-size 1 "
     "--global-batch-size 64"),
    (SPARSE, "--bf16 --tensor-model-parallel-size 2 --expert-model-parallel-size 4 --sequence-parallel --micro-batch-size 1 --global-batch-size 64"),
    (LATENT, "--bf16 --expert-model-parallel-size 8 --micro-batch-size 1 --global-batch-size 64 --use-distributed-optimizer"),
]


def totals(planc, plan):
    done = subprocess.run([planc, "estimate", plan, "--format", "json"], capture_output=True, text=True, timeout=300)
    estimate = json.loads(done.stdout)["plans"][0]
    return json.dumps(estimate["totals"])


def trip(planc, words, folder):
    """What differs after an export and an import; empty: nothing."""
    for old in folder.glob("*.plan"):
        old.unlink()
    first, arguments, second = folder / "first.plan", folder / "back.sh", folder / "second.plan"
    for command in (["import", "megatron", *words, "-o", first], ["export", "megatron", first, "-o", arguments], ["import", "megatron", arguments, "-o", second]):
        done = subprocess.run([planc, *command], capture_output=True, text=True, timeout=300)
        if done.returncode:
            return f"planc {command[0]}: {done.stderr}"
    one, other = totals(planc, first), totals(planc, second)
    return "" if one == other else f"{first.read_text()}\n{arguments.read_text()}\n{second.read_text()}\n{one}\n{other}"


def main():
    planc, small = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        wanted = [[small / "launch.sh"], [small / "mixture.yaml", "--set", "devices=16"]]
        for at, (model, layout) in enumerate(ROWS):
            path = folder / f"row_{at}.sh"
            quoted = (model + " " + layout).replace("([0]*1+[1]*15)", '"([0]*1+[1]*15)"')
            path.write_text(f"torchrun pretrain_gpt.py {quoted} --world-size 16\n")
            wanted.append([path])
        for words in wanted:
            difference = trip(planc, words, folder)
            wrong += bool(difference)
            if difference:
                print(f"{' '.join(map(str, words))}: {difference}")
    print(f"{len(wanted)} round trips, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
