#!/usr/bin/env python3
# Nothing grows faster than its work: `planc estimate` of plans of n and of n/4 parts, in instructions that valgrind counts. What a small plan takes is
# subtracted from both; the rest must grow with an exponent of at most LIMIT. No time is measured.
#
# Usage: growth.py PLANC [CASE…]
# SPDX-License-Identifier: Apache-2.0
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77  # for ctest
LIMIT = 1.15  # 1.05 is the aim; maps and sorting add a logarithm. Loops over pairs had 1.3 to 1.9
SMALL = 4
HEAD = """import std.blocks
import std.ops
import std.clusters.dgx_a100
import std.stacks.megatron
import std.optimizers
model small(layers: int, hidden: int = 1024) {
  in tokens: [batch, seq] int32 counts seq
  embed = blocks.embedding(tokens, 1024, hidden)
  decoder * layers with x = embed {
    %s
  }
  head = blocks.lm_head(decoder, 1024)
  loss = ops.cross_entropy(head, tokens)
}
plan p {
  model    = small(layers = %d)
  cluster  = dgx_a100.superpod(nodes = %d)
  software = megatron.megatron_2022
  train     { seq = 1024; global_batch = %d; micro_batch = 1; optimizer = optimizers.adam }
  precision { compute = bf16; grads = fp32 }
  mesh { tp = 8 within node; pp = %d }
  %s
}
"""
LAYER = "norm = blocks.rms_norm(x); mlp = blocks.swiglu(norm, 4096); out x + mlp"
PLACE = "place { decoder.mlp { ffn -> tp } }\n  "


def plan(layers, statements, body=LAYER, stages=1, batch=64):
    return HEAD % (body, layers, stages, batch, stages, statements)


def chain(n, call):
    """n calls in a layer, each of the result of the one before."""
    steps = [f"a{i} = {call % (f'a{i - 1}' if i else 'x')}" for i in range(n)]
    return "\n    ".join(steps + [f"out x + a{n - 1}"])


def pipeline(n, schedule, lines=(), batch=64):
    text = "\n    ".join([f"schedule = {schedule}", *lines])
    return plan(n, f"{PLACE}pipeline pp {{\n    {text}\n  }}", stages=n, batch=batch)


def slices(n):
    """Rules for single instances, which together are one rule."""
    return plan(n, "place { %s }" % "; ".join(f"decoder[{i}].mlp {{ ffn -> tp }}" for i in range(n)))


def checkpoints(n):
    return plan(n, PLACE + "recompute " + ", ".join(f"decoder[{i}].mlp" for i in range(n)))


def kept(n):
    return plan(n, PLACE + "\n  ".join(f"keep decoder[{i}].mlp = host" for i in range(n)))


def operators(n):
    return plan(4, "place { decoder { seq -> tp } }", chain(n, "ops.gelu(%s)"))


def products(n):
    return plan(4, "place { decoder { ffn -> tp } }", chain(n, "blocks.swiglu(%s, 4096)"))


def rules(n):
    text = "; ".join(f"decoder.a{i} {{ ffn -> tp }}" for i in range(n))
    return plan(4, "place { %s }" % text, chain(n, "blocks.swiglu(%s, 4096)"))


def stages(n):
    return pipeline(n, "one_f_one_b")


def stage_lines(n):
    return pipeline(n, "one_f_one_b", [f"stage {i} = {'embed, ' if i == 0 else ''}decoder[{i}]" for i in range(n)])


def micro_batches(n):
    """n for each of 16 stages."""
    return pipeline(16, "zero_bubble", batch=16 * n)


# The number of parts.
CASES = {slices: 512, checkpoints: 512, kept: 512, operators: 512, products: 128, rules: 128, stages: 256, stage_lines: 256, micro_batches: 64}


def instructions(planc, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "growth.plan")
        path.write_text(text)
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", planc, "estimate", str(path)]
        run = subprocess.run(command, capture_output=True, text=True)
    counted = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or not counted:
        sys.exit(f"{' '.join(command)}: exit code {run.returncode}\n{run.stderr[-2000:]}")
    return int(counted[1])


def main():
    if not shutil.which("valgrind"):
        print("valgrind is missing")
        return SKIPPED
    planc, names = sys.argv[1], sys.argv[2:]
    failed = 0
    for case, most in CASES.items():
        if names and case.__name__ not in names:
            continue
        fixed, few, many = (instructions(planc, case(n)) for n in (SMALL, most // 4, most))
        exponent = math.log((many - fixed) / max(1, few - fixed), 4)
        failed += exponent > LIMIT
        print(f"{case.__name__:14} {SMALL}: {fixed / 1e6:4.0f} M, {most // 4}: {few / 1e6:4.0f} M, {most}: {many / 1e6:4.0f} M, exponent {exponent:.2f}"
              f"{'  too much' if exponent > LIMIT else ''}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
