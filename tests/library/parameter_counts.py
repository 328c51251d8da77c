#!/usr/bin/env python3
# Elaborates every model of parameter_counts.csv and compares its parameters with the published count (README.md says the format).
# SPDX-License-Identifier: Apache-2.0
import csv
import pathlib
import sys

sys.dont_write_bytecode = True  # no caches in the tree
from rows import totals_of


def main():
    planc, table = sys.argv[1], pathlib.Path(sys.argv[2])
    rows = [r for r in csv.DictReader(line for line in table.read_text().splitlines() if not line.startswith("#"))]
    wrong = 0
    for r, totals in zip(rows, totals_of(planc, [(r["model"], r["extents"]) for r in rows])):
        count = totals and totals["params_active" if r["metric"] == "params.active" else "params"]
        published, tolerance = float(r["published"]), float(r["tolerance"])
        if not totals or abs(count - published) > tolerance * published + 0.5:
            wrong += 1
            print(f"{r['model']} {r['metric']}: {count}, published {r['published']} (tolerance {tolerance}) — {r['source']}")
    print(f"{len(rows)} published parameter counts, {wrong} wrong")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
