#!/usr/bin/env python3
"""Imports configurations of published models and compares the parameters with the published counts.

Usage: published.py PLANC TABLE
"""
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TOLERANCE = 0.005
PLAN = """
plan counted extends recipes.forward(m = imported.{name}, c = hgx.hgx_h100(nodes = 1)) {{}}
"""


def config_of(row):
    """The configuration; `repeat` writes a pattern of layers out."""
    config = dict(row["config"])
    times = row.get("repeat", 1)
    if times > 1:
        config["num_hidden_layers"] *= times
        config["layer_types"] = config["layer_types"] * times
    return config


def counted(planc, row, folder):
    source, plan = folder / f"{row['name']}.json", folder / "imported.plan"
    source.write_text(json.dumps(config_of(row)))
    plan.unlink(missing_ok=True)
    run = subprocess.run([planc, "import", "hf", source, "-o", plan], capture_output=True, text=True)
    if run.returncode:
        return run.stderr
    name = re.search(r"export model (\w+)", plan.read_text())[1]
    (folder / "count.plan").write_text('import "imported.plan"\nimport std.clusters.hgx\nimport std.recipes\n' + PLAN.format(name=name))
    run = subprocess.run([planc, "estimate", folder / "count.plan", "--format", "json", "--allow-oom"], capture_output=True, text=True)
    return json.loads(run.stdout)["plans"][0]["totals"]["params"] if run.stdout else run.stderr


def main(planc, table):
    rows = json.loads(pathlib.Path(table).read_text())
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            count = counted(planc, row, pathlib.Path(folder))
            if isinstance(count, str) or abs(count / row["params"] - 1) > TOLERANCE:
                wrong += 1
                print(f"{row['name']}: {count}, published {row['params']} ({row['source']})")
    print(f"{len(rows)} published models, {wrong} wrong")
    return 1 if wrong or len(rows) < 25 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
