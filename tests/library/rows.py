# Prices models of the library, each as a plan of its own on eight devices, in one process.
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import re
import subprocess
import tempfile

PLAN = """
plan row_{n} {{
  model    = {model}
  cluster  = dgx_h100.eos(nodes = 1)
  software = te.te
  train     {{ {extents}; global_batch = 8; micro_batch = 1; optimizer = optimizers.adam }}
  precision {{ compute = bf16 }}
  mesh {{ dp = 8 }}
  place {{ batch -> dp }}
}}
"""


def totals_of(planc, models):
    """The totals of each (model, extents), none for one that has no price; errors are printed."""
    modules = sorted({module for model, _ in models for module in re.findall(r"\b([a-z]\w*)\.", model)})
    text = "".join(f"import std.models.{m}\n" for m in modules)
    text += "import std.clusters.dgx_h100\nimport std.stacks.te\nimport std.optimizers\n"
    text += "".join(PLAN.format(n=n, model=model, extents=extents) for n, (model, extents) in enumerate(models))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.plan"
        path.write_text(text)
        run = subprocess.run([planc, "estimate", str(path), "--format", "json", "--allow-oom"], capture_output=True, text=True)
    report = json.loads(run.stdout)
    for d in report["diagnostics"]:
        if d["severity"] == "error":
            print(f"{d['code']}: {d['message']} ({d['file']}:{d['line']})")
    plans = {p["name"]: p["totals"] for p in report["plans"]}
    return [plans.get(f"row_{n}") for n in range(len(models))]
