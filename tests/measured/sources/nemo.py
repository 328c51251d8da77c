"""NeMo, performance summaries of 24.07, 25.02, 25.04 and 25.07. The rules are those of nvidia.py.

Fine-tuning rows train packed sequences of unprinted lengths: incomplete.
"""
# SPDX-License-Identifier: Apache-2.0
from . import nvidia
from .common import Incomplete

TITLE = "NeMo: performance summaries of releases 24.07 to 25.07."
PUBLISHER = "nvidia"
SOURCES = ("NeMo 24.07 perf summary", "NeMo 25.02 perf summary (doc page)", "NeMo 25.04 perf summary (doc page)", "NeMo 25.07 perf summary (doc page)")


def run(row):
    if "packed sequences" in row["notes"]:
        raise Incomplete("the lengths of their packed sequences")
    return nvidia.run(row, "NeMo/Bridge")
