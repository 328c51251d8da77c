#!/usr/bin/env python3
# A generated file of one megabyte checks clean; the time is printed, not asserted (timed assertions lie on shared machines).
# SPDX-License-Identifier: Apache-2.0
import pathlib
import subprocess
import sys
import tempfile
import time

PLAN = """
/// Plan {n}: a data-parallel run of the same model with its own sizes.
plan generated_{n} {{
  model   = small(layers = {layers}, hidden = {hidden})
  cluster = dgx_a100.superpod(nodes = 1)
  train     {{ seq = 1024; global_batch = {batch}; micro_batch = 1; optimizer = optimizers.adam }}
  precision {{ compute = bf16; grads = fp32 }}
  mesh {{
    tp = 2 within node
    dp = 4
  }}
  place {{
    batch -> dp
    decoder.mlp {{ ffn -> tp }}
  }}
  states {{ optimizer -> dp }}
  assert step_time < {seconds}s : "budget {n}"
}}
"""
HEADER = """// Generated.
import std.blocks
import std.ops
import std.clusters.dgx_a100
import std.optimizers

model small(layers: int, hidden: int) {
  in tokens: [batch, seq] int32 counts seq
  embed = blocks.embedding(tokens, 1024, hidden)
  decoder * layers with x = embed {
    norm = blocks.rms_norm(x)
    mlp  = blocks.swiglu(norm, 4 * hidden)
    out x + mlp
  }
  head = blocks.lm_head(decoder, 1024)
  loss = ops.cross_entropy(head, tokens)
}
"""


def generate():
    parts, size, n = [HEADER], len(HEADER), 0
    while size < 1_000_000:
        text = PLAN.format(n=n, layers=2 + n % 30, hidden=256 * (1 + n % 8), batch=4 * (1 + n % 16), seconds=1000 + n)
        parts.append(text)
        size += len(text)
        n += 1
    return "".join(parts), n


def main():
    planc = sys.argv[1]
    text, plans = generate()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "large.plan"
        path.write_text(text)
        begin = time.monotonic()
        run = subprocess.run([planc, "check", str(path)], capture_output=True, text=True)
        seconds = time.monotonic() - begin
    errors = [line for line in run.stderr.splitlines() if line.startswith("error")]
    print(f"{len(text)} bytes, {plans} plans: exit {run.returncode} in {seconds:.2f} s")
    print("\n".join(errors[:5]))
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
