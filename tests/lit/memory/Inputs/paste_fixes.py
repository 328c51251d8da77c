# Pastes every proposed change behind its plan, prices it and compares with what was claimed.
# SPDX-License-Identifier: Apache-2.0
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

planc, path, report = sys.argv[1:]
text = Path(path).read_text()


def estimate(file, *arguments):
    run = subprocess.run([planc, "estimate", file, "--format", "json", "--allow-oom", *arguments], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)["plans"]


def check(plan, chosen):
    fixes = plan["memory"]["fixes"]
    for fix in fixes:
        name = re.match(r"plan (\w+)", fix["plan"])[1]
        with tempfile.NamedTemporaryFile("w", suffix=".plan") as f:
            f.write(text + "\n" + fix["plan"])
            f.flush()
            (pasted,) = estimate(f.name, "--plan", name, "--no-fixes")
        assert pasted["memory"]["peak_bytes"] == fix["peak_bytes"], fix
        assert pasted["memory"]["fits"] == fix["fits"], fix
        assert pasted["totals"]["step_time_s"] == fix["step_time_s"], fix
        assert abs(plan["memory"]["peak_bytes"] - fix["peak_bytes"] - fix["saved_bytes"]) < 1, fix
        assert abs(fix["step_time_s"] / plan["totals"]["step_time_s"] - 1 - fix["slowdown"]) < 1e-9, fix
    fit = [f["step_time_s"] for f in fixes if f["fits"]]
    rest = [f["peak_bytes"] for f in fixes if not f["fits"]]
    ordered = [f["fits"] for f in fixes] == [True] * len(fit) + [False] * len(rest) and fit == sorted(fit) and rest == sorted(rest)
    print(f"{chosen}: {len(fixes)} changes, {len(fit)} fit, claims hold, {'order holds' if ordered else 'out of order'}")


for plan in json.load(open(report))["plans"]:
    check(plan, plan["name"])
(plan,) = estimate(path, "--plan", "bound(nodes = 2)")
check(plan, "bound(nodes = 2)")
