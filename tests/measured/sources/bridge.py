"""Megatron Bridge, NVIDIA-NeMo/Megatron-Bridge at 067f987df0, docs/performance-summary.md and its archive. The rules are those of nvidia.py."""
# SPDX-License-Identifier: Apache-2.0
from . import nvidia

TITLE = "Megatron Bridge: performance summaries of releases 25.09 to 26.08."
PUBLISHER = "nvidia"
RULES = nvidia.__doc__
SOURCES = ("NVIDIA Megatron-Bridge perf summary",)


def run(row):
    return nvidia.run(row, "NeMo/Bridge")
