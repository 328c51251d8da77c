# Where published runs come from: a folder with the tables of runs, and per source the plans that its rows become.
# SPDX-License-Identifier: Apache-2.0
import csv
import os
import sys

sys.dont_write_bytecode = True  # no caches in the tree
import sources
from sources.common import Incomplete, file_text

FIRST, SECOND, THIRD = "training.csv", "training_2.csv", "training_3.csv"  # each later table has other machines, types, scales and publishers
CARDS = "cards.csv"  # runs that show that recipes work; its columns are fewer
H200, H200_SMALL = "h200.csv", "h200_small.csv"  # one H200, measured for this project
TABLES = (FIRST, SECOND, THIRD, CARDS, H200, H200_SMALL)
FITTED = (FIRST, SECOND)  # the tables that the fit and the figures derived from it see
# Behind the name of a line of statistics: the table of its runs.
MARKS = {SECOND: " (2)", THIRD: " (3)", CARDS: " (cards)", H200: " (H200)", H200_SMALL: " (H200, small)"}
# The source of all rows of a table without that column.
ONE_SOURCE = {CARDS: "Megatron Bridge verification cards", H200: "one H200", H200_SMALL: "one H200, tools/train_small.py"}
SUBSET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "subset")


def add_arguments(parser, planc_needed=True):
    """The arguments that every command on published runs shares."""
    parser.add_argument("--planc", required=planc_needed)
    parser.add_argument("--truth", default=SUBSET, help="the folder of training.csv; default: the subset in this repository")


def absent(truth):
    """Why the runs cannot be priced, or none."""
    return None if os.path.exists(os.path.join(truth, FIRST)) else f"skipped: no {FIRST} in {truth}"


def has(truth, table):
    return os.path.exists(os.path.join(truth, table))


def unread(truth):
    """The ends of the names of lines whose runs a folder does not have."""
    return tuple(mark for table, mark in MARKS.items() if not has(truth, table))


def mark_of(line):
    """The mark at the end of the name of a line of statistics; empty for the first table."""
    return next((mark for mark in MARKS.values() if line.endswith(mark)), "")


def name_of(source):
    return source.__name__.rpartition(".")[2]


def selected(only):
    """The sources whose modules are named; all without names."""
    known = {name_of(s): s for s in sources.ALL}
    unknown = [name for name in only or () if name not in known]
    if unknown:
        raise SystemExit(f"no source `{unknown[0]}`; there are {', '.join(known)}")
    return [s for name, s in known.items() if not only or name in only]


def rows_of(truth, source, table=FIRST):
    """The rows of a source in the order of a table; none if a folder does not have a later table."""
    if table != FIRST and not has(truth, table):
        return []
    with open(os.path.join(truth, table), newline="") as f:
        rows = [{"source": ONE_SOURCE.get(table), **r} for r in csv.DictReader(line for line in f if not line.startswith("#"))]
    return [r for r in rows if r["source"] in source.SOURCES]


def runs_of(truth, source, tables=TABLES):
    """(complete rows as runs, [(id, what is missing)]) of tables."""
    complete, incomplete = [], []
    for table in tables:
        for row in rows_of(truth, source, table):
            try:
                run = source.run(row)
            except Incomplete as e:
                incomplete.append((row["id"], str(e)))
                continue
            run.group += MARKS.get(table, "")
            complete.append(run)
    extra = getattr(source, "extra_runs", None)
    return complete + (extra(truth) if extra and FIRST in tables else []), incomplete


def write_plans(source, runs, folder, edit=lambda text: text):
    """The path of one file with the plans of a source's runs; `edit` changes its text."""
    path = os.path.join(folder, name_of(source) + ".plan")
    with open(path, "w") as out:
        out.write(edit(file_text(source.TITLE, runs, getattr(source, "PREAMBLE", ""))))
    return path
