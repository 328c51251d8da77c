#!/usr/bin/env python3
"""Calibration from the raw tables of estimate-train-time: fast, near where it was held out, and with every known defect found.

Usage: published_tables.py PLANC FOLDER. Exits with 77 where the folder is absent.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

A100, GH200 = "NVIDIAA100-SXM4-80GB", "NVIDIAGH200120GB"
# What is known to be wrong with these tables, as code, series and device; the page of the code says what it means.
DEFECTS = [
    ("PLAN1021", "flash_atten", GH200),         # backward takes a tenth of forward
    ("PLAN1022", "allgather_large 8x1", GH200),  # 117 us whatever the size
    ("PLAN1024", "allreduce_large 2x1", A100),   # 1.2 GB/s between nodes
    ("PLAN1024", "allgather_large 8x1", A100),
    ("PLAN1023", "linear2", A100),               # tensor parallelism of 1 only
    ("PLAN1027", "res_add", A100),               # backward is a copy of forward
    ("PLAN1020", "middleStage_optimizer", GH200),  # Adam faster than memory
]
CONVENTIONS = ["`shape` is read as fp16 elements of one rank's part, `dur(us)` as microseconds",
               "sizes as elements of 2 bytes and times as us give"]
SECONDS = 60
# Operators whose time follows what the equation does not know (PLAN1030 says so): the rows of a table that tokens hit.
MISSED = {"lookup"}
LIMIT, FITS, WITHIN = 0.10, 75, 74


def problems(planc, folder):
    with tempfile.TemporaryDirectory() as scratch:
        library = str(Path(scratch, "calibrated.plan"))
        began = time.monotonic()
        done = subprocess.run([planc, "calibrate", folder, "--stack", "megatron.megatron_2020", "--fabric", "ndr", "-o", library,
                               "--format", "json", "--diagnostics=json"], capture_output=True, text=True)
        took = time.monotonic() - began
        if done.returncode != 0:
            return [f"exit code {done.returncode}: {done.stderr[-2000:]}"]
        found, result = [], json.loads(done.stdout)
        for check in (["check"], ["fmt", "--check"]):
            again = subprocess.run([planc, *check, library], capture_output=True, text=True)
            if again.returncode != 0 or again.stdout or again.stderr:
                found.append(f"planc {' '.join(check)} of the library: {again.stdout}{again.stderr[-1000:]}")
    if took > SECONDS:
        found.append(f"took {took:.0f} s")
    messages = [(d["code"], d["message"]) for d in result["diagnostics"]]
    for code, series, device in DEFECTS:
        if not any(c == code and f"`{series}` of {device}" in m for c, m in messages):
            found.append(f"{code} is not reported for {series} of {device}")
    notes = result["notes"] + [n for d in result["devices"] for n in d["notes"]]
    found += [f"not said: {text}" for text in CONVENTIONS if not any(text in n for n in notes)]
    if [d["label"] for d in result["devices"]] != [A100, GH200]:
        found.append("the two devices are not kept apart")
    medians = []
    for device in result["devices"]:
        for fit in device["fits"]:
            if fit["median_error"] is None:
                continue
            medians.append(fit["median_error"])
            if fit["median_error"] > LIMIT and fit["what"] not in MISSED:
                found.append(f"{fit['what']} {fit['direction']} of {device['label']}: held-out error {fit['median_error']:.1%}")
    print(f"{len(medians)} fits in {took:.1f} s, held-out error {statistics.median(medians):.1%} in the median, "
          f"{sum(m <= LIMIT for m in medians)} within {LIMIT:.0%}")
    if len(medians) < FITS or sum(m <= LIMIT for m in medians) < WITHIN:
        found.append(f"fewer than {WITHIN} of {FITS} fits are within {LIMIT:.0%}")
    return found


def main(planc, folder):
    if not Path(folder).is_dir():
        print(f"skipped: {folder} is not there")
        return 77
    found = problems(planc, folder)
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
