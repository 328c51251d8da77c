#!/usr/bin/env python3
"""Many processes fill one cache at once, and one of them is killed: no package is ever half there.

Usage: together.py PLANC
PLANC_KILLED_FETCHES=50 does it fifty times.
"""
# SPDX-License-Identifier: Apache-2.0
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from repositories import CLUSTER, World

PROCESSES = 20
ROUNDS = int(os.environ.get("PLANC_KILLED_FETCHES", "4"))
USE = "import pods.clusters.pod as pods\n\nexport let four = pods.pod(nodes = 4)\n"


def start(world, folder, *words):
    return subprocess.Popen([world.planc_path, *words], cwd=world.root / folder, env=world.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, start_new_session=True)


def one_round(world, rng):
    shutil.rmtree(world.root / "home/cache", ignore_errors=True)
    folders = [f"user{i}" for i in range(PROCESSES)]
    running = [start(world, folder, "lib", "fetch") for folder in folders]
    victim = rng.randrange(PROCESSES)
    time.sleep(rng.uniform(0, 0.4))
    running[victim].kill()
    # While they write, whoever reads finds all of a package or none of it.
    reading = start(world, folders[0], "check", "a.plan")
    said = reading.communicate()[0]
    assert reading.returncode == 0 or "PLAN0130" in said, said
    for i, process in enumerate(running):
        said = process.communicate()[0]
        assert i == victim or process.returncode == 0, f"a fetch fails beside others: {said}"
    for folder in folders:
        world.planc(folder, "check", "a.plan")
    world.planc(folders[victim], "lib", "verify", says="cached")
    packages = [p for p in (world.root / "home/cache/packages").iterdir() if not p.name.startswith(".planc-")]
    assert len(packages) == 1, packages


def main(planc):
    rng = random.Random(42)
    with tempfile.TemporaryDirectory() as folder:
        world = World(planc, Path(folder).resolve())
        files = {f"clusters/more{i}.plan": f"export let a{i} = {i}\n" for i in range(60)}
        world.library("pods", "1.0.0", {"clusters/pod.plan": CLUSTER.format(bandwidth="50GB/s"), **files})
        world.write({"planc.toml": "[dependencies]\n" + world.line("pods", "1.0.0"), "a.plan": USE}, "user0")
        world.planc("user0", "lib", "fetch")
        for i in range(1, PROCESSES):
            shutil.copytree(world.root / "user0", world.root / f"user{i}")
        for _ in range(ROUNDS):
            one_round(world, rng)
        # What was left by a process that was killed long ago goes with the next one that writes.
        old = world.root / "home/cache/packages/.planc-killed"
        (old / "new").mkdir(parents=True, exist_ok=True)
        long_ago = time.time() - 3 * 24 * 3600
        os.utime(old, (long_ago, long_ago))
        for package in (world.root / "home/cache/packages").glob("[0-9a-f]*"):
            (package / "clusters/pod.plan").write_text("changed\n")
        world.planc("user0", "check", "a.plan", code=1, says=("PLAN0121", "planc lib fetch"))
        world.planc("user0", "lib", "fetch")
        world.planc("user0", "check", "a.plan")
        assert not old.exists()
    print(f"{ROUNDS} times {PROCESSES} processes, one of them killed")


if __name__ == "__main__":
    main(sys.argv[1])
