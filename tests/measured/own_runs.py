#!/usr/bin/env python3
# What three runs of one's own are worth: a source that no constant knows, whose other runs are priced after `planc calibrate --steps` saw three.
# SPDX-License-Identifier: Apache-2.0
"""Every publisher is left out in turn: the library has the constants that were fitted without it (left_out_constants.csv). Its runs on one stack and one
device are what somebody with a machine of their own has; of such a group of at least LEAST, in the order of its table, those in the middle of the first,
the second and the last third are given to `planc calibrate --steps` as plans with their measured times, and the others are priced with the
stack that it writes. They are judged; the three are not."""
import argparse
import dataclasses
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # no caches in the tree
import left_out
import library
import page
import runs
from bench import Bench
from fitted import CONSTANTS
from grounds import Ground, figures
from pricing import checked, pairs_of
from sources.common import file_text

LEAST = 5  # runs: with fewer, two at most would be judged
TARGETS = {"median": 3.5, "mean": 5}  # percent


def chosen(found):
    """Three of the runs, spread over them."""
    return [found[len(found) * part // 6] for part in (1, 3, 5)]


def groups(bench, publisher):
    """{(source, stack, device): runs whose step was measured} of a publisher, large enough."""
    out = {}
    for source in (s for s, p in bench.publisher.items() if p == publisher):
        for run in bench.runs[source]:
            if not run.measured:
                out.setdefault((source, *bench.uses[source][run.name]), []).append(run)
    return {key: found for key, found in out.items() if len(found) >= LEAST}


def plain(found):
    """Runs under the stacks of the library: measured steps are of the release that they ran."""
    return [dataclasses.replace(run, installed="") for run in found]


def calibrated(planc, folder, bench, source, given, rest):
    """{run: (predicted, measured)} of the rest, priced with what three given runs make of their stack."""
    title, preamble = bench.titles[source]
    paths = [os.path.join(folder, name) for name in ("given.plan", "scaled.plan", "rest.plan")]
    with open(paths[0], "w") as f:
        f.write(library.imports(file_text(title, plain(given), preamble)))
    done = subprocess.run([planc, "calibrate", "--steps", paths[0], "-o", paths[1]], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{source}: three runs of {given[0].software} cannot be used\n{done.stderr[:2000]}")
    stack = given[0].software.rpartition(".")[2]
    text = library.imports(file_text(title, plain(rest), preamble))
    text = text.replace(f"software = {given[0].software}\n", f"software = own.{stack}_scaled\n")
    first, _, others = text.partition("\n")
    with open(paths[2], "w") as f:
        f.write("\n".join([first, 'import "scaled.plan" as own', others]))
    found = pairs_of(checked(planc, paths[2]))
    return {run: next((p, m) for metric, p, m in measured if metric == "step_time") for run, measured in found.items()}


def rows(bench, ground, held, without):
    """One row per judged run."""
    known = {r["run"]: r for r in held if r["metric"] == "step_time"}
    for publisher in ground.publishers():
        changed = library.Library()
        for c in CONSTANTS:
            c.apply(changed, without[publisher][c.name])
        for (source, stack, device), found in groups(bench, publisher).items():
            given = chosen(found)
            rest = [run for run in found if run not in given]
            with tempfile.TemporaryDirectory(prefix="own-") as folder:
                changed.write(folder)
                priced = calibrated(bench.planc, folder, bench, source, given, rest)
            for run in rest:
                predicted, measured = priced[run.name]
                yield known[run.name] | {"own": predicted / measured, "group": (stack.partition(".")[2], device.partition(".")[2])}


def line(name, found, alike=False):
    by = [r["publisher"] for r in found] if alike else None
    held, own = (figures(left_out.errors(found, column), by) for column in ("left_out", "own"))
    cells = [name, str(len(found)), f"{held['median']:.1f} %", f"{held['mean']:.1f} %", f"{own['median']:.1f} %", f"{own['mean']:.1f} %", f"{own['p90']:.1f} %"]
    return "| " + " | ".join(cells) + " |"


def reached(found):
    """The errors of dense runs with three given, sources alike."""
    mine = [r for r in found if r["kind"] == "dense"]
    return figures(left_out.errors(mine, "own"), [r["publisher"] for r in mine])


def table(found):
    """The errors without and with three runs, per group and pooled, and the targets."""
    out = ["| source | stack | device | judged | left out, median | mean | with three runs, median | mean | p90 |", "|---|---|---|" + "--:|" * 6]
    for key in dict.fromkeys((r["publisher"], *r["group"]) for r in found):
        out.append(line(" | ".join(key), [r for r in found if (r["publisher"], *r["group"]) == key]))
    for name, kinds in (("dense runs", ("dense",)), ("experts", ("moe",)), ("all runs", ("dense", "moe"))):
        mine = [r for r in found if r["kind"] in kinds]
        out += [line(f"{name}, {'sources' if alike else 'rows'} alike | | ", mine, alike) for alike in (False, True)]
    now = reached(found)
    return out + [""] + [f"* dense runs, sources alike, {k}: {now[k]:.1f} %, at most {bar:g} %: {'met' if now[k] <= bar else 'missed'}" for k, bar in TARGETS.items()]


def main():
    parser = argparse.ArgumentParser()
    runs.add_arguments(parser)
    parser.add_argument("--bar", nargs=2, type=float, metavar=("MEDIAN", "MEAN"), help="fail above these percents of dense runs, sources alike")
    parser.add_argument("--write", help="renew the section of own runs in the pages of this folder")
    a = parser.parse_args()
    if reason := runs.absent(a.truth):
        print(reason)
        return 77
    bench = Bench(a.planc, a.truth)
    found = list(rows(bench, Ground(bench), left_out.read(), left_out.constants()))
    lines = table(found)
    print("\n".join(lines))
    if a.write:
        page.renew(a.write, "own runs", lines)
    now = reached(found)
    if a.bar and (now["median"] > a.bar[0] or now["mean"] > a.bar[1]):
        print(f"median and mean must be at most {a.bar[0]:g} and {a.bar[1]:g} %")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
