#!/usr/bin/env python3
"""A pull request, from the first check to a library that moves: what a repository of plans does all day, in temporary git repositories.

Usage: story.py [--update] PLANC GOLDEN
`--update` writes the comment of the pull request to GOLDEN instead of holding it against that.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ENVIRONMENT = {**{name: value for name, value in os.environ.items() if not name.startswith("GIT_")}, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
               "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.com", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.com"}

CLUSTER = """import std.devices
import std.fabrics

/// Nodes of eight, one switch between them.
export cluster pod(nodes: int = 4) {
  device = devices.h100_sxm5_80gb

  level node * 8 {
    link      = fabrics.nvlink4
    bandwidth = 450GB/s
    latency   = 2us
    topology  = switch
  }
  level room * nodes {
    link      = fabrics.ndr
    bandwidth = 50GB/s
    latency   = 5us
    topology  = switch
  }
}
"""
PLAN = """import std.models.llama
import std.optimizers
import std.stacks.fsdp
import "../libs/clusters.plan" as ours

/// The house model, as it is trained every week.
export plan house_8b(nodes: int = 4) {
  model    = llama.llama3_8b
  cluster  = ours.pod(nodes = nodes)
  software = fsdp.torchtitan

  train {
    seq          = 8192
    global_batch = 32 * nodes
    micro_batch  = 1
    optimizer    = optimizers.adamw
  }

  precision { compute = bf16; params = fp32 }

  mesh {
    tp = 1 within node
    dp = 8 * nodes
  }

  place {
    batch -> dp
    decoder {
      attn { heads -> tp }
      mlp  { ffn -> tp }
    }
    embed, head, loss { vocab -> tp }
  }
  states { params, grads, optimizer -> dp }
  recompute decoder

  assert memory.fits and step_time < 20s : "budget"
}

test sizes(nodes: int in [2, 4]) of house_8b(nodes = nodes) {
  assert mfu > 20%
}
"""
SETTINGS = """[project]
plans = ["plans"]

[check]
deny = ["warnings"]

[gates]
step_time = "+3%"
"""


def git(folder, *arguments):
    done = subprocess.run(["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments], cwd=folder, check=True, capture_output=True, text=True,
                          env=ENVIRONMENT)
    return done.stdout.strip()


def commit(folder, message):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


def repository(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "init", "-q")
    commit(folder, "first")


class Story:
    def __init__(self, planc, root):
        self.planc, self.root, self.failures = planc, root, []

    def run(self, code, *arguments):
        done = subprocess.run([self.planc, *arguments], cwd=self.root, capture_output=True, text=True, timeout=300, env=ENVIRONMENT)
        if done.returncode != code:
            self.failures.append(f"planc {' '.join(arguments)}: exit code {done.returncode}, not {code}\n{(done.stderr + done.stdout)[:1500]}")
        return done.stdout

    def differences(self, code, revision):
        return json.loads(self.run(code, "diff", "--against", revision, "--format", "json"))["plans"]

    def expect(self, ok, what):
        if not ok:
            self.failures.append(what)

    def change(self, name, *edits):
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        for old, new in edits:
            assert old in text, old
            text = text.replace(old, new, 1)
        path.write_text(text, encoding="utf-8")


def tell(story, golden, update):
    # The morning: all is well.
    story.run(0, "check")
    story.run(0, "fmt", "--check")
    story.run(0, "test")
    story.run(0, "snapshot")
    commit(story.root, "snapshots")
    story.run(0, "snapshot", "--check")
    story.run(0, "diff", "--against", "HEAD")
    # A pull request changes a line, and what follows from it.
    story.change("plans/run.plan", ("tp = 1 within node", "tp = 4 within node"), ("dp = 8 * nodes", "dp = 2 * nodes"))
    story.run(0, "check")
    story.run(1, "snapshot", "--check")
    comment = story.run(1, "diff", "--against", "HEAD", "--format", "md")
    if update:
        golden.write_text(comment, encoding="utf-8")
    story.expect(comment == golden.read_text(encoding="utf-8"), f"the comment is another one than {golden.name}:\n{comment}")
    story.run(0, "diff", "--against", "HEAD", "--fail-if", "step_time > +300%")
    git(story.root, "checkout", "-q", "plans")
    # A library in a submodule moves: it is not the plan's change.
    before = story.differences(0, "HEAD")
    story.expect(before == [], f"nothing has changed: {before}")
    (story.root / "libs" / "clusters.plan").write_text(CLUSTER.replace("= 50GB/s", "= 20GB/s"), encoding="utf-8")
    commit(story.root / "libs", "slower network")
    moved = story.differences(1, "HEAD")
    story.expect([[c["whose"] for c in p["changes"]] for p in moved] == [["libraries"]], f"it is the libraries' change: {moved}")
    story.expect([f["path"] for f in moved[0]["changes"][0]["facts"]] == ["cluster.room.bandwidth"], f"and this one: {moved[0]['changes']}")
    commit(story.root, "libs")
    again = story.differences(1, "HEAD~1")
    story.expect(again == moved, f"the revision before still has the old library: {again}")
    story.expect(story.differences(0, "HEAD") == [], "committed")


def main():
    update = sys.argv[1] == "--update"
    planc, golden = sys.argv[2 if update else 1:]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / "libs").mkdir()
        (root / "house").mkdir()
        repository(root / "libs", {"clusters.plan": CLUSTER})
        repository(root / "house", {"plans/run.plan": PLAN, "planc.toml": SETTINGS})
        git(root / "house", "submodule", "--quiet", "add", str(root / "libs"), "libs")
        commit(root / "house", "libraries")
        story = Story(str(Path(planc).resolve()), root / "house")
        tell(story, Path(golden), update)
    for failure in story.failures:
        print(failure)
    print("the story " + ("is told" if not story.failures else f"fails in {len(story.failures)} places"))
    return 1 if story.failures else 0


if __name__ == "__main__":
    sys.exit(main())
