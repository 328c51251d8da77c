#!/usr/bin/env python3
"""What `planc init` writes passes as it is, overwrites nothing, and is a library that others can depend on.

Usage: init.py PLANC
"""
# SPDX-License-Identifier: Apache-2.0
import sys
import tempfile
from pathlib import Path

from repositories import World


def passes(world, folder):
    for words in (["fmt", "--check"], ["check"], ["lib", "fetch", "--locked"], ["lib", "verify"], ["test"]):
        world.planc(folder, *words)
    for path in (world.root / folder).rglob("*"):
        assert not path.is_file() or "@" not in path.read_text().replace("actions/checkout@v4", ""), path


def main(planc):
    with tempfile.TemporaryDirectory() as folder:
        world = World(planc, Path(folder).resolve())
        written = world.planc(".", "init", "House-Plans").splitlines()
        assert "House-Plans/.github/workflows/plans.yml" in written and "House-Plans/clusters/ours.plan" in written, written
        passes(world, "House-Plans")
        world.planc("House-Plans", "estimate", says="step time")
        assert "# house_plans" in (world.root / "House-Plans/README.md").read_text()
        world.planc(".", "init", "House-Plans", code=2, says=("already exists, so nothing was written"))
        world.planc(".", "init", "lib", "--library", "--name", "acme")
        passes(world, "lib")
        world.planc(".", "init", "x", "--name", "No Name", code=2, says="`No Name`")
        assert not (world.root / "x").exists()
        # Nothing is written through a link, nor half of it where a file is in the way.
        (world.root / "x").mkdir()
        (world.root / "x/plans").symlink_to(world.root / "House-Plans")
        world.planc(".", "init", "x", code=2, says="x/plans already exists")
        (world.root / "x/plans").unlink()
        (world.root / "x/clusters").write_text("mine\n")
        world.planc(".", "init", "x", code=2, says="x/clusters already exists")
        assert [p.name for p in (world.root / "x").iterdir()] == ["clusters"]
        # The project takes the library: its own cluster gives way to that of the library.
        world.planc("House-Plans", "lib", "add", "acme", "--path", "../lib", says="acme in ../lib new")
        plan = world.root / "House-Plans/plans/train.plan"
        plan.write_text(plan.read_text().replace('import "../clusters/ours.plan" as ours', "import acme.clusters.pod as ours"))
        passes(world, "House-Plans")
    print("a project, a library, and both together")


if __name__ == "__main__":
    main(sys.argv[1])
