#!/usr/bin/env python3
# Writes the subset of the published runs that is part of this repository, or checks that it still is what the rule says.
# SPDX-License-Identifier: Apache-2.0
"""The rule: of every source the first row of its table, the fourth, the seventh and so on, complete or not, whatever its error. Kept are the
figures and the citation; of a row's notes only what a rule of its source reads (READ). `--check` also makes sure that a row of the subset
becomes the plan that the full row becomes; only its citation is shorter."""
import argparse
import csv
import dataclasses
import os
import re
import sys

sys.dont_write_bytecode = True  # no caches in the tree
import runs
import sources

STEP = 3
TABLES = (runs.FIRST, runs.SECOND, runs.THIRD)
COLUMNS = ("id", "source", "provenance", "model_family", "params_B", "layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "seq", "moe_experts",
           "moe_topk", "gpu", "gpus", "precision", "dp", "tp", "pp", "cp", "ep", "vp", "sharding", "seq_parallel", "recompute", "mbs", "gbs",
           "measured_metric", "value", "notes")
LAYER_COLUMNS = ("id", "source", "provenance", "model", "layer_kind", "hidden", "heads", "ffn", "seq", "mbs", "tp", "ep", "precision", "gpu", "variant",
                 "fwd_ms", "bwd_ms")
# What the rules of tests/measured/sources look for in notes.
READ = re.compile(r"^(OneFlow-GPT|Megatron-LM)\b|\brelease [\d.]+|\bcase \w+|\b(?:schedule|hfu|mfu|mem_GiB)=[^\s;,]+|\bPURE\b|\bAsyncTP\b|\bcompile\b|\bpacked sequences\b"
                  r"|\bFSDP=\d|\btoken-drop(?:less)?\b|\btokendrop\b|\blocal batch \d+|\b\d+ slice\(s\) x \d+|\bw/o MTP\b"
                  r"|\(tp\*pp\)=\d+|\breal peak alloc GiB=[\d.]+|\bmem=\d+GB|\bpeak mem GB=[\d.]+|^LoRA(?=; also tflops_per_gpu=\d+ tokens)|(?<=\bLBS=\d )GA=\d+"
                  r"|\bzero1 group=-?\d+|\bdcn_fsdp=\w+")


def notes(text):
    """The parts of a note that rules read, in their order."""
    return "; ".join(m.group(0) for m in READ.finditer(text))


def citation(text):
    """Where a row was published, without what was said about it."""
    cut = text.split(" (")[0].split(" release")[0].split(" line ")[0]
    return cut.replace('"', "") if cut.count('"') % 2 else cut


def chosen(path, keep):
    """Every third row per source of a table."""
    count, out = {}, []
    with open(path, newline="") as table:
        for row in csv.DictReader(table):
            if not keep(row):
                continue
            at = count[row["source"]] = count.get(row["source"], -1) + 1
            if at % STEP == 0:
                out.append(row)
    return out


def tables(truth):
    """{file: (columns, rows)} of the subset."""
    known = {name for source in sources.ALL for name in source.SOURCES}
    training = {name: (COLUMNS, [{**r, "notes": notes(r["notes"]), "provenance": citation(r["provenance"])}
                                 for r in chosen(os.path.join(truth, name), lambda r: r["source"] in known)])
                for name in TABLES if name == runs.FIRST or runs.has(truth, name)}
    layers = [{**r, "provenance": citation(r["provenance"])} for r in chosen(os.path.join(truth, "layers.csv"), lambda r: r["layer_kind"] == "MoE layer")]
    return {**training, "layers.csv": (LAYER_COLUMNS, layers)}


def write(truth, folder):
    os.makedirs(folder, exist_ok=True)
    for name, (columns, rows) in tables(truth).items():
        with open(os.path.join(folder, name), "w", newline="") as f:
            out = csv.DictWriter(f, columns, extrasaction="ignore", lineterminator="\n")
            out.writeheader()
            out.writerows(rows)
        print(f"{name}: {len(rows)} rows")


def differences(truth, folder):
    """Where the subset is not what the rule makes of the full table, as lines."""
    wrong = []
    for name, (columns, rows) in tables(truth).items():
        with open(os.path.join(folder, name), newline="") as f:
            have = list(csv.DictReader(f))
        if have != [{k: r[k] for k in columns} for r in rows]:
            wrong.append(f"{name} is not every {STEP}rd row of the table")
    for source in sources.ALL:
        full = {run.name: run for run in runs.runs_of(truth, source, TABLES)[0]}
        for run in runs.runs_of(folder, source, TABLES)[0]:
            if run.name not in full or dataclasses.replace(full[run.name], citation=run.citation) != run:
                wrong.append(f"{run.name}: the row of the subset becomes another plan than the full row; a rule reads what the subset drops")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--truth", required=True, help="the folder of the full tables")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the subset is another one")
    a = parser.parse_args()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    if not a.check:
        write(a.truth, runs.SUBSET)
    wrong = differences(a.truth, runs.SUBSET)
    print("\n".join(wrong + ["write it anew: python3 tests/measured/subset.py --truth FOLDER"] if wrong else ["the subset is what the rule says"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
