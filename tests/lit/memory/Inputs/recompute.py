# Reads an estimate of plans called SELECTOR_SCHEDULE on standard input and says how the selectors compare under each schedule.
# SPDX-License-Identifier: Apache-2.0
import json
import sys

plans = {p["name"]: p for p in json.load(sys.stdin)["plans"]}


def kept(selector, schedule):
    """Bytes kept for backward on the first stage at its fullest moment."""
    return next(l["bytes"] for l in plans[f"{selector}_{schedule}"]["memory"]["stages"][0]["live"] if l["what"] == "activations kept for backward")


def again(selector, schedule):
    return sum(r["count"] * r["recompute_s"] for r in plans[f"{selector}_{schedule}"]["layers"])


def relation(a, b, name, other):
    return f"{name} {'<' if a < b else '>' if a > b else '='} {other}"


for schedule in ("one_f_one_b", "gpipe", "interleaved"):
    k = {s: kept(s, schedule) for s in ("none", "core", "block", "second", "layer")}
    r = {s: again(s, schedule) for s in k}
    parts = [relation(k[s], k["none"], s, "none") for s in ("core", "block", "second")] + [relation(k["layer"], k["second"], "layer", "second")]
    times = f"{relation(0, r['core'], '0', 'core')} {relation(r['core'], r['layer'], '', 'layer').strip()}, {relation(0, r['block'], '0', 'block')}"
    half = "second is half of layer" if abs(r["second"] / r["layer"] - 0.5) < 0.01 else f"second is {r['second'] / r['layer']:.3f} of layer"
    print(f"{schedule}: {', '.join(parts)}, recomputed: {times}, {half}")
print(f"kept by 16 and 4 micro-batches: {kept('none', 'gpipe') / kept('none', 'one_f_one_b'):.1f}")
