# Library models that hold several layers in one body, under FSDP: how many layers are gathered in a forward pass, and how far they are off the same model
# with each layer in a repeat of one: wrapped_models.py PLANC STDLIB FOLDER.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import subprocess
import sys

planc, stdlib, folder = sys.argv[1:]
# Model, and the calls of its bodies that are layers; without any, its layers are repeats or what a body holds beside them.
MODELS = {"gpt_oss.gpt_oss_20b": ["local", "global"], "gemma.gemma2_9b": ["local", "global"], "llama4.llama4_scout": ["first", "second", "third", "fourth"],
          "jamba.jamba_v0_1": ["sixth", "after"], "nemotron_h.nemotron_h_8b": ["mixer", "attn", "mlp"], "nemotron3.nemotron3_nano_30b_a3b": ["turn"],
          "gemma.gemma3_12b": ["global"], "gemma4.gemma4_31b": ["global"], "qwen_next.qwen3_5_27b": []}
PLAN = """import std.models.{module} as library
import "wrapped.plan" as wrapped
import std.clusters.hgx
import std.stacks.fsdp
import std.optimizers
plan library_ {{
  model    = library.{model}
  cluster  = hgx.hgx_h200(nodes = 32)
  software = fsdp.torchtitan
  train {{ seq = 4096; global_batch = 256; micro_batch = 1; optimizer = optimizers.adamw }}
  precision {{ compute = bf16; params = fp32 }}
  mesh {{ dp = 256 }}
  place {{ batch -> dp }}
  states {{ params -> dp }}
  {more}
}}
plan wrapped_ extends library_ {{ override model = wrapped.{model} }}
"""


def wrap(text, calls):
    """Calls in the body of the repeat `decoder` as repeats of one."""
    lines, inside = text.split("\n"), False
    for i, line in enumerate(lines):
        inside = inside and not line.startswith("  }") or line.startswith("  decoder * ")
        call = re.fullmatch(r"    (\w+) *= (\w+)\((\w+), (.*)\)", line)
        if inside and call and call[1] in calls:
            lines[i] = f"    {call[1]} * 1 with stream = {call[3]} {{\n      out {call[2]}(stream, {call[4]})\n    }}"
    return "\n".join(lines)


def run(*arguments):
    done = subprocess.run([planc, *arguments], capture_output=True, text=True, cwd=folder)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def difference(plans):
    """The largest relative one of totals and memory."""
    first, other = ({**p["totals"], **p["memory"]} for p in plans)
    numbers = [(first[k], other[k]) for k in first if isinstance(first[k], (int, float))]
    return max(abs(a - b) / max(abs(a), 1e-12) for a, b in numbers)


os.makedirs(folder, exist_ok=True)
for name, calls in MODELS.items():
    module, model = name.split(".")
    with open(f"{stdlib}/models/{module}.plan") as file, open(f"{folder}/wrapped.plan", "w") as out:
        out.write(wrap(file.read(), calls))
    worst = 0
    for more in ("", "recompute *", "recompute *\n  keep * = host"):
        with open(f"{folder}/p.plan", "w") as out:
            out.write(PLAN.format(module=module, model=model, more=more))
        worst = max(worst, difference(json.loads(run("estimate", "p.plan", "--format", "json", "--no-fixes", "--allow-oom"))["plans"]))
    counts = re.findall(r"all_gather @.* class=state phase=forward count=(\d+)", run("compile", "p.plan", "--plan", "library_", "--emit=comm"))
    print(f"{model}: {sum(map(int, counts))} gathered, {'same' if worst < 1e-9 else f'{worst:.1e} off'}")
