#!/usr/bin/env python3
# Thousands of plans in a file take no more memory in any format than their text: each is freed when it is reported.
# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import sys
import tempfile

FEW, MANY = 150, 600
BYTES_A_PLAN = 20e3  # of the file itself, its tree, and what tells whether a plan fits; JSON held 1 MB a plan, CSV 0.4 MB
COMMANDS = [["estimate", "--format", form] for form in ("text", "json", "csv")]
COMMANDS += [["compile", "--format", form] for form in ("text", "json")] + [["explain", "mfu"]]
PLAN = """import std.models.gpt
import std.clusters.dgx_a100
import std.stacks.megatron
import std.optimizers
plan base {
  model    = gpt.gpt3_175b
  cluster  = dgx_a100.superpod(nodes = 8)
  software = megatron.megatron_2022
  train { seq = 2048; global_batch = 64; micro_batch = 1; optimizer = optimizers.adam }
  mesh  { tp = 8 within node; pp = 8 across nodes }
  place { decoder { seq -> tp; attn { heads -> tp }; mlp { ffn -> tp } } }
  pipeline pp { schedule = one_f_one_b }
  recompute decoder
}
"""


def peak(planc, path, command):
    """Bytes that a run takes at most."""
    words = [planc, command[0], str(path), *command[1:]]
    with open(os.devnull, "w") as nothing:
        silent = [(os.POSIX_SPAWN_DUP2, nothing.fileno(), stream) for stream in (1, 2)]
        child = os.posix_spawn(planc, words, os.environ, file_actions=silent)
        _, status, usage = os.wait4(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, words
    return usage.ru_maxrss * 1024


def main():
    planc, sanitized = sys.argv[1], len(sys.argv) > 2 and sys.argv[2] == "ON"
    if sanitized:  # they keep what is freed
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for count in (FEW, MANY):
            files[count] = pathlib.Path(folder) / f"{count}.plan"
            files[count].write_text(PLAN + "".join(f"plan p{i} extends base {{}}\n" for i in range(count)))
        for command in COMMANDS:
            grown = (peak(planc, files[MANY], command) - peak(planc, files[FEW], command)) / (MANY - FEW)
            failed += grown > BYTES_A_PLAN
            print(f"{' '.join(command):24}  {grown / 1e3:6.1f} kB a plan{'  too much' if grown > BYTES_A_PLAN else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
