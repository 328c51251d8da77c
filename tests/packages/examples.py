#!/usr/bin/env python3
"""The two libraries among the examples: they pass as packages, one depends on the other, and what was calibrated is what planc calibrates.

Usage: examples.py PLANC ROOT
"""
# SPDX-License-Identifier: Apache-2.0
import re
import shutil
import sys
import tempfile
from pathlib import Path

from repositories import PLAN, SETTINGS, World

LIBRARIES = ("library-cluster", "library-models")


def calibrated(world, root):
    """All but the version of planc, which is that of the day it was written."""
    shutil.copy(root / "examples/h100_samples.csv", world.root / "h100_samples.csv")
    world.planc(".", "calibrate", "h100_samples.csv", "--device", "h100_sxm5_80gb", "--stack", "fsdp.fms", "--date", "2026-11-28", "-o", "again.plan")
    texts = [re.sub(r'planc +=.*', "", path.read_text()) for path in (world.root / "again.plan", root / "examples/library-cluster/calibrated/h100.plan")]
    assert texts[0] == texts[1], "examples/library-cluster/calibrated/h100.plan is not what its README says it is"


def main(planc, root):
    with tempfile.TemporaryDirectory() as folder:
        world = World(planc, Path(folder).resolve())
        for name in LIBRARIES:
            shutil.copytree(root / "examples" / name, world.root / name)
        for name in LIBRARIES:
            for words in (["fmt", "--check"], ["check"], ["test"], ["snapshot", "--check"], ["lib", "verify"], ["lib", "fetch", "--locked"]):
                world.planc(name, *words)
        world.planc("library-models", "lib", "tree", says="└── machines 1.1.0  ../library-cluster")
        # A plan of somebody else's that still names what is deprecated is told so, and check --fix writes the new name.
        world.write({"planc.toml": SETTINGS, "plans/house.plan": PLAN.format(cluster="machines").replace("clusters.pod as pods", "clusters.pods as pods").replace("pods.pod(", "pods.first_pod(")}, "app")
        world.planc("app", "lib", "add", "machines", "--path", "../library-cluster")
        world.planc("app", "check", code=1, says=("first_pod", "use pod", "../library-cluster/clusters/pods.plan:"))
        world.planc("app", "check", "--fix")
        assert "pods.pod(nodes = nodes)" in (world.root / "app/plans/house.plan").read_text()
        world.planc("app", "check")
        calibrated(world, root)
    print(f"{len(LIBRARIES)} libraries, and a plan that moves with one")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).resolve())
