# Where published runs come from: a folder with the table of runs, and per source the plans that its rows become.
# SPDX-License-Identifier: Apache-2.0
import csv
import os
import sys

sys.dont_write_bytecode = True  # no caches in the tree
import sources
from sources.common import Incomplete, file_text

SUBSET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "subset")


def add_arguments(parser, planc_needed=True):
    """The arguments that every command on published runs shares."""
    parser.add_argument("--planc", required=planc_needed)
    parser.add_argument("--truth", default=SUBSET, help="the folder of training.csv; default: the subset in this repository")


def absent(truth):
    """Why the runs cannot be priced, or none."""
    return None if os.path.exists(os.path.join(truth, "training.csv")) else f"skipped: no training.csv in {truth}"


def name_of(source):
    return source.__name__.rpartition(".")[2]


def selected(only):
    """The sources whose modules are named; all without names."""
    known = {name_of(s): s for s in sources.ALL}
    unknown = [name for name in only or () if name not in known]
    if unknown:
        raise SystemExit(f"no source `{unknown[0]}`; there are {', '.join(known)}")
    return [s for name, s in known.items() if not only or name in only]


def rows_of(truth, source):
    """The rows of a source in the order of the table."""
    with open(os.path.join(truth, "training.csv"), newline="") as table:
        return [r for r in csv.DictReader(table) if r["source"] in source.SOURCES]


def runs_of(truth, source):
    """(complete rows as runs, [(id, what is missing)])."""
    complete, incomplete = [], []
    for row in rows_of(truth, source):
        try:
            complete.append(source.run(row))
        except Incomplete as e:
            incomplete.append((row["id"], str(e)))
    extra = getattr(source, "extra_runs", None)
    return complete + (extra(truth) if extra else []), incomplete


def write_plans(source, runs, folder):
    """The path of one file with the plans of a source's runs."""
    path = os.path.join(folder, name_of(source) + ".plan")
    with open(path, "w") as out:
        out.write(file_text(source.TITLE, runs, getattr(source, "PREAMBLE", "")))
    return path
