#!/usr/bin/env python3
# Calculon's search for the best execution of a 530B model, as a `search` block: how many candidates, what becomes of them, which are best. Prints the
# tables of docs/studies/calculon.md; `--write PAGE` puts them there, `--check PAGE` compares them.
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
sys.dont_write_bytecode = True  # no caches in the tree
import pages

MARK = "tests/studies/calculon/study.py"
CANDIDATES = 8112


def search(planc, *words):
    done = subprocess.run([planc, "search", str(FOLDER / "mtnlg_530b.plan"), *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def sent(choices):
    """What tensor parallelism sends in a layer, and between stages."""
    if choices["decoder.seq ->"] == "tp":
        return "reduce-scatter, all-gather"
    return "all-reduce" + (", slices" if choices["pipeline.scatter"] == "tp" else "")


def cells(row, first):
    c = row["choices"]
    chunks = c["pipeline.schedule"].partition("chunks = ")[2].rstrip(")")
    return [f"{row['step_time_s']:.2f} s", f"{row['step_time_s'] / first - 1:+.1%}", f"{row['mfu']:.1%}", f"{row['memory_peak_bytes'] / 1e9:.1f} GB",
            f"{c['mesh.tp']} x {c['mesh.pp']} x {c['mesh.dp']}", chunks, c["train.micro_batch"], f"`{c['recompute']}`", sent(c),
            "hidden" if c["overlap.activation"] == "0%" else "seen", "sharded" if c["states.optimizer ->"] == "dp" else "copied"]


def report(found):
    fates, first = found["fates"], found["best"][0]["step_time_s"]
    lines = ["**Fates**", ""] + pages.table([f"of {found['candidates']:,} candidates", ""], [
        *[[f"break {u['code']}", f"{u['count']:,}"] for u in fates["unlawful"]], ["do not fit in memory", f"{fates['do_not_fit']:,}"],
        ["are answers", f"{fates['answers']:,}"]])
    heads = [":step", "beside the best", "MFU", "memory", "tp x pp x dp", "chunks", "micro-batch", ":recomputed", ":sent by tensor parallelism", ":and that is", ":optimizer"]
    lines += ["", "**The best five**", ""] + pages.table(heads, [cells(row, first) for row in found["best"]])
    rows = {}
    for v in found["values"]:
        what = f"{v['best']['step_time_s'] / first - 1:+.1%}" if v.get("best") else "no answer"
        rows.setdefault(v["choice"], []).append(f"{v['value'].replace('interleaved_1f1b', '')} {what}")
    lines += ["", "**The best with each value, beside the best of all**", ""] + pages.table(["choice", ":values"], [[k, ", ".join(v)] for k, v in rows.items()])
    return "\n".join(lines)


def main():
    args = pages.arguments()
    one, two = (search(args.planc, "--exhaustive", "--format", "json", "--threads", n) for n in ("1", "2"))
    found = json.loads(one)["search"]
    listed = search(args.planc, "--count")
    failed = [] if one == two else ["two threads answer otherwise than one"]
    if found["candidates"] != CANDIDATES or not listed.startswith(f"{CANDIDATES:,} candidates"):
        failed.append(f"{found['candidates']} candidates, counted {listed.strip()}; Calculon's are {CANDIDATES}")
    if sum([*(u["count"] for u in found["fates"]["unlawful"]), found["fates"]["do_not_fit"], found["fates"]["answers"]]) != CANDIDATES:
        failed.append("the fates do not add up")
    text = report(found)
    return pages.finish(args, MARK, text, failed)


if __name__ == "__main__":
    sys.exit(main())
