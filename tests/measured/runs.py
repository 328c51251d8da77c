# Where published runs come from: a folder with the tables of runs, and per source the plans that its rows become.
# SPDX-License-Identifier: Apache-2.0
import csv
import os
import sys

sys.dont_write_bytecode = True  # no caches in the tree
import sources
from sources.common import Incomplete, file_text

FIRST, SECOND = "training.csv", "training_2.csv"  # the second came later: other machines, types, scales and publishers
TABLES = (FIRST, SECOND)
MARK = " (2)"  # behind the name of a line of statistics: its runs are of the second table
SUBSET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "subset")


def add_arguments(parser, planc_needed=True):
    """The arguments that every command on published runs shares."""
    parser.add_argument("--planc", required=planc_needed)
    parser.add_argument("--truth", default=SUBSET, help="the folder of training.csv; default: the subset in this repository")


def absent(truth):
    """Why the runs cannot be priced, or none."""
    return None if os.path.exists(os.path.join(truth, FIRST)) else f"skipped: no {FIRST} in {truth}"


def has_second(truth):
    return os.path.exists(os.path.join(truth, SECOND))


def unread(truth):
    """The ends of the names of lines whose runs a folder does not have."""
    return () if has_second(truth) else (MARK,)


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
    """The rows of a source in the order of a table; none where a folder does not have the second."""
    if table == SECOND and not has_second(truth):
        return []
    with open(os.path.join(truth, table), newline="") as f:
        return [r for r in csv.DictReader(f) if r["source"] in source.SOURCES]


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
            run.group += MARK if table == SECOND else ""
            complete.append(run)
    extra = getattr(source, "extra_runs", None)
    return complete + (extra(truth) if extra and FIRST in tables else []), incomplete


def write_plans(source, runs, folder, edit=lambda text: text):
    """The path of one file with the plans of a source's runs; `edit` changes its text."""
    path = os.path.join(folder, name_of(source) + ".plan")
    with open(path, "w") as out:
        out.write(edit(file_text(source.TITLE, runs, getattr(source, "PREAMBLE", ""))))
    return path
