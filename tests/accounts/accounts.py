"""Accounts that add up, from the JSON report alone: rows and totals of every plan of the given files.
SPDX-License-Identifier: Apache-2.0

accounts.py PLANC FILE… [--random FIRST COUNT]: what rows take on the critical path, with bubble, slowed, launches, optimizer, overhead and
straggler, is the step; no row and no total exposes more communication than there is.
"""
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import random_plans

TOLERANCE = 1e-9
PARTS = ("slowed_s", "launches_s", "bubble_s", "optimizer_s", "overhead_s")


def problems(plan):
    """What does not add up in the report of one plan."""
    t, layers, collectives = plan["totals"], plan["layers"], plan["collectives"]
    step, critical = t["step_time_s"], plan["critical"]["stage"]
    near = lambda a, b: abs(a - b) <= TOLERANCE * step
    computing = sum(r["on_path_s"] for r in layers)
    exposed = sum(r["on_path_s"] for r in collectives)
    rest = sum(t[part] for part in PARTS) + (t["straggler_s"] or 0)
    laws = [
        ("rows are the step", computing + exposed + rest, step),
        ("layers compute", computing, t["compute_s"]),
        ("collectives expose", exposed, t["exposed_comm_s"]),
        ("layers are slowed", sum(r["slowed_s"] for r in layers), t["slowed_s"]),
        ("layers are launched", sum(r["launches_s"] for r in layers), t["launches_s"]),
        ("parts of the bubble", t["bubble_even_s"] + t["bubble_imbalance_s"], t["bubble_s"]),
        ("collectives communicate", sum(r["count"] * r["time_s"] for r in collectives if r["stage"] == critical), t["comm_s"]),
    ]
    found = [f"{what}: {a!r} is not {b!r}" for what, a, b in laws if not near(a, b)]
    found += [f"{what}: negative" for what in PARTS + ("compute_s", "exposed_comm_s", "bubble_even_s", "bubble_imbalance_s")
              if t[what] < 0]
    if t["exposed_comm_s"] > t["comm_s"] * (1 + TOLERANCE):
        found.append(f"exposed {t['exposed_comm_s']!r} of {t['comm_s']!r}")
    for r in layers:
        if r["exposed_comm_s"] > r["comm_s"] * (1 + TOLERANCE):
            found.append(f"layer {r['path']}: exposed {r['exposed_comm_s']!r} of {r['comm_s']!r}")
        if r["stage"] != critical and any(r[k] for k in ("on_path_s", "slowed_s", "launches_s", "exposed_on_path_s")):
            found.append(f"layer {r['path']} of stage {r['stage']} is on the path of stage {critical}")
    for r in collectives:
        if r["exposed_s"] > r["time_s"] * (1 + TOLERANCE):
            found.append(f"{r['op']} of {r['layer']} on stage {r['stage']}: exposed {r['exposed_s']!r} of {r['time_s']!r}")
        if r["on_path_s"] and r["stage"] != critical:
            found.append(f"{r['op']} of stage {r['stage']} is on the path of stage {critical}")
        if r["stage"] == critical and not near(r["on_path_s"], r["count"] * r["exposed_s"]):
            found.append(f"{r['op']} of {r['layer']}: {r['on_path_s']!r} is not {r['count']} times {r['exposed_s']!r}")
    before = step - t["optimizer_s"] - t["overhead_s"] - (t["straggler_s"] or 0)
    for s in plan["stages"]:
        whole = sum(s[k] for k in ("computing_s", "slowed_s", "launches_s", "communicating_s", "idle_s"))
        if not near(whole, before):
            found.append(f"stage {s['stage']}: {whole!r} is not {before!r}")
        own = [("step_computing_s", "computing_s", layers), ("step_slowed_s", "slowed_s", layers), ("step_launches_s", "launches_s", layers),
               ("step_exposed_s", "communicating_s", collectives)]
        for field, of_stage, rows in own:
            total = sum(r[field] for r in rows if r["stage"] == s["stage"])
            if not near(total, s[of_stage]):
                found.append(f"stage {s['stage']}: {field} of its rows make {total!r}, not {s[of_stage]!r}")
        if min(s[k] for k in ("computing_s", "slowed_s", "launches_s", "communicating_s", "idle_s")) < 0:
            found.append(f"stage {s['stage']}: negative")
    return found


def price(planc, path):
    run = subprocess.run([planc, "estimate", path, "--format", "json", "--no-fixes"], capture_output=True, text=True)
    try:
        return json.loads(run.stdout)["plans"]
    except (json.JSONDecodeError, KeyError):
        return []


def refused(planc, path):
    """What a file is refused for: its plans would not all be priced, without a word."""
    run = subprocess.run([planc, "check", path, "--diagnostics=short"], capture_output=True, text=True)
    return next(iter(line for line in run.stderr.splitlines() if " error[" in line), "it does not check") if run.returncode else None


def draw(folder, first, count):
    """Writes a file per random plan."""
    for seed in range(first, first + count):
        with open(os.path.join(folder, f"p{seed}.plan"), "w", encoding="utf-8") as out:
            out.write(random_plans.HEAD + random_plans.plan(seed))


def main():
    arguments, drawn = sys.argv[1:], None
    if "--random" in arguments:
        at = arguments.index("--random")
        drawn = [int(n) for n in arguments[at + 1:at + 3]]
        del arguments[at:at + 3]
    with tempfile.TemporaryDirectory() as folder:
        if drawn:
            draw(folder, *drawn)
        return check(arguments[0], arguments[1:] + ([folder] if drawn else []), drawn[1] if drawn else 0)


def check(planc, files, least):
    """Nine of ten random plans are priced."""
    paths = []
    for path in files:
        names = os.listdir(path) if os.path.isdir(path) else [""]
        paths += [os.path.join(path, n) if n else path for n in sorted(names) if not n or n.endswith(".plan")]
    checked, failed = 0, 0
    with ThreadPoolExecutor(2) as pool:
        for path, why in zip(paths, pool.map(lambda p: refused(planc, p), paths)) if not least else ():  # of random plans some may be
            if why:
                failed += 1
                print(f"{path}: {why}")
        for path, plans in zip(paths, pool.map(lambda p: price(planc, p), paths)):
            for plan in plans:
                checked += 1
                for problem in problems(plan):
                    failed += 1
                    print(f"{path} {plan['name']}: {problem}")
    print(f"{checked} plans of {len(paths)} files, {failed} problems")
    return 1 if failed or checked < max(1, .9 * least) else 0


if __name__ == "__main__":
    sys.exit(main())
