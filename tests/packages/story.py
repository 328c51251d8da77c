#!/usr/bin/env python3
"""A library and those who depend on it, from the first version to one that moves their plans, in temporary git repositories.

Usage: story.py PLANC
"""
# SPDX-License-Identifier: Apache-2.0
import json
import shutil
import sys
import tempfile
from pathlib import Path

from repositories import CLUSTER, PLAN, SETTINGS, World


def step_time(world, folder):
    return json.loads(world.planc(folder, "estimate", "plans", "--format", "json"))["plans"][0]["totals"]["step_time_s"]


def first_version(world):
    """A project takes version 1.0.0 of a library from a remote; every command works on it."""
    world.library("pods", "1.0.0", {"clusters/pod.plan": CLUSTER.format(bandwidth="50GB/s"), "plans/known.plan": PLAN.format(cluster="pods"), "README.md": "Our machines.\n", "tool.py": "print(1)\n"})
    world.planc(".", "init", "app", says="app/plans/train.plan")
    for words in ("check", "test"):
        world.planc("app", words)
    shutil.rmtree(world.root / "app/clusters")
    (world.root / "app/plans/train.plan").unlink()
    world.write({"planc.toml": SETTINGS, "plans/house.plan": PLAN.format(cluster="pods")}, "app")
    world.git("app", "init", "-q", "-b", "main")
    world.planc("app", "check", code=1, says=("PLAN0101", "pods"))
    world.planc("app", "lib", "add", "pods", "--git", world.address("pods"), says="pods 1.0.0 new")
    toml = (world.root / "app/planc.toml").read_text()
    assert world.line("pods", "1.0.0") in toml, toml
    world.planc("app", "check")
    world.planc("app", "test", says="1 passed")
    world.planc("app", "lib", "verify", says="pods 1.0.0  cached")
    world.planc("app", "lib", "tree", says=("planc.toml", f"└── pods 1.0.0  {world.address('pods')} v1.0.0"))
    world.git("app", "add", "-A")
    world.git("app", "commit", "-q", "-m", "the first")
    return step_time(world, "app")


def second_version(world, before):
    """Version 1.1.0 has a slower room: an upgrade says what it moves, and whose doing that is."""
    world.library("pods", "1.1.0", {"clusters/pod.plan": CLUSTER.format(bandwidth="25GB/s")})
    # Whoever keeps the library hears that this is more than a patch, before or after the tag.
    moved = ("plans/known.plan#house_8b", "step_time 4.993 s → 5.226 s", "fact `room.bandwidth` of `pod` has changed")
    world.planc("remotes/pods", "lib", "breaking", "--against", "v1.0.0", says=moved, silent="PLAN0150")
    toml, pod = world.root / "remotes/pods/planc.toml", world.root / "remotes/pods/clusters/pod.plan"
    texts = toml.read_text(), pod.read_text()
    toml.write_text(texts[0].replace("1.1.0", "1.0.1"))
    world.planc("remotes/pods", "lib", "breaking", "--against", "v1.0.0", code=1, says=("PLAN0150", "require version 1.1.0", *moved))
    toml.write_text(texts[0])
    pod.write_text(texts[1].replace("cluster pod(nodes", "cluster pod2(nodes"))
    world.planc("remotes/pods", "lib", "breaking", "--against", "v1.0.0", code=1, says=("PLAN0150", "require version 2.0.0", "`pod` is not exported any more"))
    pod.write_text(texts[1])
    world.planc("remotes/pods", "lib", "breaking", "--against", "HEAD", says="0 breaking, 0 worth knowing; 1 plans priced in both")
    world.planc("remotes/pods", "lib", "breaking", "--against", "v0.0.1", code=1, says="PLAN1122")
    world.git("remotes/pods", "checkout", "-q", "--orphan", "before")
    world.git("remotes/pods", "rm", "-q", "--cached", "planc.toml")
    world.git("remotes/pods", "commit", "-q", "-m", "no package yet")
    world.git("remotes/pods", "tag", "early")
    world.git("remotes/pods", "checkout", "-q", "-f", "main")
    world.planc("remotes/pods", "lib", "breaking", "--against", "early", code=1, says="PLAN0151")
    result = json.loads(world.planc("remotes/pods", "lib", "breaking", "--against", "v1.0.0", "--format", "json"))
    assert [c["change"] for c in result["changes"] if c["severity"] == "breaking"] == ["estimate"], result
    world.planc("remotes/pods", "lib", "docs", "--output", "pages", says="pages/pods.clusters.pod.md")
    assert "| `room.bandwidth` | 25 | GB/s |" in (world.root / "remotes/pods/pages/pods.clusters.pod.md").read_text()
    world.planc("remotes/pods", "lib", "docs", "--output", "pages", "--check")
    world.write({"pages/pods.clusters.gone.md": "x\n", "pages/notes.md": "ours\n"}, "remotes/pods")
    world.planc("remotes/pods", "lib", "docs", "--output", "pages", "--check", code=1, says=("pages/pods.clusters.gone.md", "out of date"))
    world.planc("remotes/pods", "lib", "docs", "--output", "pages", says="pages/pods.clusters.gone.md")
    assert sorted(p.name for p in (world.root / "remotes/pods/pages").iterdir()) == ["index.md", "notes.md", "pods.clusters.pod.md"]
    (world.root / "remotes/pods/pages/index.md").unlink()
    (world.root / "remotes/pods/pages/index.md").symlink_to(world.root / "bashrc")
    world.planc("remotes/pods", "lib", "docs", "--output", "pages", code=2, says="pages/index.md is not a file")
    assert not (world.root / "bashrc").exists()
    shutil.rmtree(world.root / "remotes/pods/pages")
    world.planc("app", "check")
    assert step_time(world, "app") == before, "a new tag of a library moves nobody who did not ask for it"
    world.planc("app", "lib", "update", says="pods 1.0.0 → 1.1.0")
    after = step_time(world, "app")
    assert after > before * 1.01, (before, after)
    says = ("house_8b", "dependencies.pods", "v1.0.0", "v1.1.0", "libraries +232.4 ms: cluster.room.bandwidth 50 → 25 GB/s")
    world.planc("app", "diff", "--against", "HEAD", says=says)
    # In CI the cache has what is locked now. What was locked before is fetched for the comparison, and is not called broken.
    shutil.rmtree(world.root / "home/cache")
    world.planc("app", "lib", "fetch", "--locked")
    world.planc("app", "diff", "--against", "HEAD", code=1, says=("PLAN1125", "planc lib fetch --against HEAD"))
    world.planc("app", "lib", "fetch", "--against", "HEAD", says="pods 1.0.0 fetched")
    world.planc("app", "diff", "--against", "HEAD", says=says)
    # A tag that is lowered lowers the lock.
    toml = world.root / "app/planc.toml"
    text = toml.read_text()
    toml.write_text(text.replace("v1.1.0", "v1.0.0"))
    world.planc("app", "lib", "fetch", "--locked", code=1, says=("PLAN0135", "pods 1.1.0 → 1.0.0"))
    world.planc("app", "lib", "fetch", says="pods 1.1.0 → 1.0.0")
    toml.write_text(text)
    world.planc("app", "lib", "fetch", says="pods 1.0.0 → 1.1.0")


def changed_bytes(world):
    """A byte of a copy that is another is found by every command; `verify` says which."""
    world.planc("app", "lib", "vendor", says="pods 1.1.0 in vendor/pods")
    vendored = world.root / "app/vendor/pods"
    assert sorted(p.name for p in vendored.rglob("*") if p.is_file()) == ["README.md", "known.plan", "planc.toml", "pod.plan"], "what is no text of a package stays behind"
    path = vendored / "clusters/pod.plan"
    text = path.read_text()
    path.write_text(text.replace("25GB/s", "26GB/s"))
    at = text.index("25GB/s") + 2  # counted from 1, as cmp does
    world.planc("app", "check", code=1, says=("PLAN0121", "vendor/pods", "`clusters/pod.plan` differs"))
    world.planc("app", "estimate", "plans", code=1, says="PLAN0121")
    world.planc("app", "lib", "verify", code=1, says=("PLAN0137", f"byte {at} is `6`, but `5` is locked", "vendor/pods/clusters/pod.plan:16:"))
    (vendored / "clusters/more.plan").write_text("let a = 1\n")
    path.write_text(text)
    world.planc("app", "check", code=1, says="`clusters/more.plan` differs")
    world.planc("app", "lib", "vendor", says="pods 1.1.0 in vendor/pods")
    world.planc("app", "check")
    # A copy of another version is no byte that somebody changed; an update says that the copy is behind.
    toml = world.root / "app/planc.toml"
    text = toml.read_text()
    toml.write_text(text.replace("v1.1.0", "v1.0.0"))
    world.planc("app", "lib", "fetch", says=("pods 1.1.0 → 1.0.0", "run `planc lib vendor` next"))
    world.planc("app", "lib", "verify", code=1, says=("PLAN0119", "has version 1.1.0 of `pods`, but 1.0.0 is locked"), silent="PLAN0137")
    toml.write_text(text)
    world.planc("app", "lib", "fetch", silent="planc: next")
    world.planc("app", "check")


def without_network(world):
    """With everything in `vendor/` neither the remote nor the cache is needed."""
    shutil.rmtree(world.root / "remotes/pods")
    shutil.rmtree(world.root / "home/cache")
    world.planc("app", "check")
    world.planc("app", "test")
    world.planc("app", "lib", "fetch", "--locked")
    world.planc("app", "lib", "verify", says="vendored")
    shutil.rmtree(world.root / "app/vendor")
    world.planc("app", "check", code=1, says=("PLAN0130", "planc lib fetch"))
    world.planc("app", "lib", "fetch", code=1, says="PLAN0127")


def diamond(world):
    """Two libraries ask for two versions of a third: the least that serves both; two majors are refused with both ways."""
    world.library("base", "1.0.0", {"clusters/pod.plan": CLUSTER.format(bandwidth="10GB/s")})
    world.library("base", "1.2.0", {"clusters/pod.plan": CLUSTER.format(bandwidth="20GB/s")})
    world.library("base", "1.9.0", {"clusters/pod.plan": CLUSTER.format(bandwidth="90GB/s")})
    world.library("base", "2.0.0", {"clusters/pod.plan": CLUSTER.format(bandwidth="20GB/s")})
    use = "import base.clusters.pod as below\n\nexport let four = below.pod(nodes = 4)\n"
    world.library("left", "1.0.0", {"clusters/own.plan": use}, world.line("base", "1.0.0"))
    world.library("right", "1.0.0", {"clusters/own.plan": use}, world.line("base", "1.2.0"))
    world.library("right", "1.1.0", {"clusters/own.plan": use}, world.line("base", "2.0.0"))
    plan = PLAN.format(cluster="left").replace("clusters.pod as pods", "clusters.own as pods\nimport right.clusters.own as others").replace("pods.pod(nodes = nodes)", "pods.four")
    dependencies = "\n[dependencies]\n" + world.line("left", "1.0.0") + world.line("right", "1.0.0")
    world.write({"planc.toml": SETTINGS + dependencies, "plans/house.plan": plan.replace("import right.clusters.own as others\n", "")}, "wide")
    world.planc("wide", "check", code=1, says=("PLAN0133", "planc lib fetch"))
    world.planc("wide", "lib", "fetch", says=("base 1.2.0 new", "left 1.0.0 new", "right 1.0.0 new"))
    world.planc("wide", "check")
    world.planc("wide", "lib", "tree", says=("├── left 1.0.0", "│   └── base 1.2.0", "required: 1.0.0", "└── right 1.0.0"))
    world.write({"planc.toml": SETTINGS + dependencies.replace(world.line("right", "1.0.0"), world.line("right", "1.1.0"))}, "wide")
    world.planc("wide", "check", code=1, says=("PLAN0119", "`right` is locked at 1.0.0, but 1.1.0 is required"))
    world.planc("wide", "lib", "fetch", "--locked", code=1, says="PLAN0115")
    world.planc("wide", "lib", "tree", code=1, says=("PLAN0119", "└── right 1.1.0", "    └── base 2.0.0"))
    world.planc("wide", "lib", "fetch", code=1, says=("PLAN0115", "1.0.0", "2.0.0", "planc.toml -> left v1.0.0 -> base v1.0.0", "planc.toml -> right v1.1.0 -> base v2.0.0"))


def newest(world):
    """`add` and `update` take releases, `update` of one major, and neither goes back; `vendor` removes what is not locked."""
    for version in ("1.0.0", "1.9.0", "1.10.0", "1.11.0-rc.1"):
        world.library("tags", version, {"clusters/pod.plan": CLUSTER.format(bandwidth="10GB/s")})
    world.write({"planc.toml": SETTINGS, "plans/a.plan": "let a = 1\n"}, "takes")
    world.planc("takes", "lib", "add", "tags", "--git", world.address("tags"), says="tags 1.10.0 new")
    world.library("tags", "2.0.0", {"clusters/pod.plan": CLUSTER.format(bandwidth="10GB/s")})
    world.planc("takes", "lib", "update", says="tags 2.0.0 exists", silent="tags 1.10.0 →")
    world.write({"planc.toml": SETTINGS + "\n[dependencies]\n" + world.line("tags", "1.11.0-rc.1")}, "takes")
    world.planc("takes", "lib", "fetch", says="tags 1.10.0 → 1.11.0-rc.1")
    world.planc("takes", "lib", "update", silent="tags 1.11.0-rc.1 →")
    assert world.line("tags", "1.11.0-rc.1") in (world.root / "takes/planc.toml").read_text()
    world.planc("takes", "lib", "vendor", says="tags 1.11.0-rc.1 in vendor/tags")
    world.write({"planc.toml": SETTINGS}, "takes")
    (world.root / "takes/vendor/kept").symlink_to(world.root / "takes/vendor/tags")
    world.planc("takes", "lib", "vendor", says="vendor/tags removed", silent="vendor/kept")
    assert not (world.root / "takes/vendor/tags").exists() and (world.root / "takes/vendor/kept").is_symlink()


def thresholds(world):
    """A plan of the library breaks where it moves by more than 1 %, either way, and not before; of 0.x the second number says so."""
    def files(bandwidth):
        return {"clusters/pod.plan": CLUSTER.format(bandwidth=f"{bandwidth}GB/s"), "plans/known.plan": PLAN.format(cluster="edge")}
    world.library("edge", "0.1.0", files(26))
    before, near = step_time(world, "remotes/edge"), set()
    for bandwidth in (20, 22, 24, 25, 25.5, 25.8, 26.2, 26.5, 27, 28, 30, 35):
        world.write(files(bandwidth), "remotes/edge")
        move = step_time(world, "remotes/edge") / before - 1
        plan = "known.plan#house_8b"
        far = abs(move) > 0.01
        world.planc("remotes/edge", "lib", "breaking", "--against", "v0.1.0", code=1, says=(plan, "require version 0.2.0") if far else "require version 0.1.1", silent=() if far else plan)
        near.add((move > 0, abs(move) > 0.01))
    assert len(near) == 4, near
    pod = world.root / "remotes/edge/clusters/pod.plan"
    pod.write_text(files(26)["clusters/pod.plan"].replace("cluster pod(", "cluster pod2("))
    world.planc("remotes/edge", "lib", "breaking", "--against", "v0.1.0", code=1, says="require version 0.2.0")


def main(planc):
    with tempfile.TemporaryDirectory() as folder:
        world = World(planc, Path(folder).resolve())
        before = first_version(world)
        second_version(world, before)
        changed_bytes(world)
        without_network(world)
        diamond(world)
        newest(world)
        thresholds(world)
    print("a library, its two versions, a changed byte, no network, a diamond, newer tags, moves of 1 %")


if __name__ == "__main__":
    main(sys.argv[1])
