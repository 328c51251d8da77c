#!/usr/bin/env python3
# Elaborates every model of parameter_counts.csv and compares its parameters with the published count (README.md says the format).
# SPDX-License-Identifier: Apache-2.0
import csv
import json
import pathlib
import re
import subprocess
import sys
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


def main():
    planc, table = sys.argv[1], pathlib.Path(sys.argv[2])
    rows = [r for r in csv.DictReader(line for line in table.read_text().splitlines() if not line.startswith("#"))]
    modules = sorted({module for r in rows for module in re.findall(r"\b([a-z]\w*)\.", r["model"])})
    text = "".join(f"import std.models.{m}\n" for m in modules)
    text += "import std.clusters.dgx_h100\nimport std.stacks.te\nimport std.optimizers\n"
    text += "".join(PLAN.format(n=n, model=r["model"], extents=r["extents"]) for n, r in enumerate(rows))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "counts.plan"
        path.write_text(text)
        run = subprocess.run([planc, "estimate", str(path), "--format", "json", "--allow-oom"], capture_output=True, text=True)
    report = json.loads(run.stdout)
    plans = {p["name"]: p for p in report["plans"]}
    wrong = 0
    for n, r in enumerate(rows):
        plan = plans.get(f"row_{n}")
        count = plan and plan["totals"]["params_active" if r["metric"] == "params.active" else "params"]
        published, tolerance = float(r["published"]), float(r["tolerance"])
        if not plan or abs(count - published) > tolerance * published + 0.5:
            wrong += 1
            print(f"{r['model']} {r['metric']}: {count}, published {r['published']} (tolerance {tolerance}) — {r['source']}")
    for d in report["diagnostics"]:
        if d["severity"] == "error":
            print(f"{d['code']}: {d['message']} ({d['file']}:{d['line']})")
    print(f"{len(rows)} published parameter counts, {wrong} wrong")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
