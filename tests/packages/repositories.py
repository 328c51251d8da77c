"""Temporary libraries in git repositories, and planc run on what depends on them: shared by the tests of packages."""
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
from pathlib import Path

CLUSTER = """import std.devices
import std.fabrics

/// Nodes of eight, one switch between them.
export cluster pod(nodes: int = 4) {{
  device = devices.h100_sxm5_80gb

  level node * 8 {{
    link      = fabrics.nvlink4
    bandwidth = 450GB/s
    latency   = 2us
    topology  = switch
  }}
  level room * nodes {{
    link      = fabrics.ndr
    bandwidth = {bandwidth}
    latency   = 5us
    topology  = switch
  }}
}}
"""
PLAN = """import std.models.llama
import std.optimizers
import std.stacks.fsdp
import {cluster}.clusters.pod as pods

/// The house model, as it is trained every week.
export plan house_8b(nodes: int = 4) {{
  model    = llama.llama3_8b
  cluster  = pods.pod(nodes = nodes)
  software = fsdp.torchtitan

  train {{
    seq          = 8192
    global_batch = 32 * nodes
    micro_batch  = 1
    optimizer    = optimizers.adamw
  }}

  precision {{ compute = bf16; params = fp32 }}

  mesh {{
    dp = 8 * nodes
  }}

  place {{
    batch -> dp
  }}
  states {{ params, grads, optimizer -> dp }}
  recompute decoder

  assert memory.fits : "budget"
}}
"""
MANIFEST = '[package]\nname = "{name}"\nversion = "{version}"\nedition = "2026"\nexports = ["clusters"]\n'
SETTINGS = '[project]\nplans = ["plans"]\n\n[check]\ndeny = ["warnings"]\n'


def environment(home):
    """Nothing of this machine's user: no settings of git, a home and a cache of the test's own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "XDG_", "PLANC_CACHE"))}
    return {**kept, "HOME": str(home), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.com",
            "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.com", "PLANC_CACHE": str(Path(home) / "cache"), "NO_COLOR": "1"}


class World:
    """A folder with repositories in it, and a program that is run there."""

    def __init__(self, planc, root):
        self.planc_path, self.root = str(Path(planc).resolve()), Path(root)
        self.environment = environment(self.root / "home")
        (self.root / "home").mkdir(parents=True)

    def write(self, files, folder=""):
        for path, text in files.items():
            path = self.root / folder / path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def git(self, folder, *words):
        done = subprocess.run(["git", "-C", str(self.root / folder), *words], capture_output=True, text=True, env=self.environment)
        if done.returncode:
            sys.exit(f"git {' '.join(words)}: {done.stderr}")
        return done.stdout

    def library(self, name, version, files, dependencies="", exports=None):
        """Commits these files as a version of a library, and tags it."""
        folder = f"remotes/{name}"
        if not (self.root / folder / ".git").exists():
            (self.root / folder).mkdir(parents=True, exist_ok=True)
            self.git(folder, "init", "-q", "-b", "main")
        manifest = MANIFEST.format(name=name, version=version)
        if exports is not None:
            manifest = manifest.replace('["clusters"]', exports)
        self.write({"planc.toml": manifest + (f"\n[dependencies]\n{dependencies}" if dependencies else ""), **files}, folder)
        self.git(folder, "add", "-A")
        self.git(folder, "commit", "-q", "-m", f"version {version}")
        self.git(folder, "tag", f"v{version}")

    def address(self, name):
        return f"file://{self.root}/remotes/{name}"

    def line(self, name, version):
        return f'{name} = {{ git = "{self.address(name)}", tag = "v{version}" }}\n'

    def planc(self, folder, *words, code=0, says=(), silent=()):
        """Runs it, and demands an exit code and what it says on either stream."""
        done = subprocess.run([self.planc_path, *words], capture_output=True, text=True, cwd=self.root / folder, env=self.environment, stdin=subprocess.DEVNULL, timeout=120)
        said = done.stdout + done.stderr
        problems = [f"exit code {done.returncode} for {code}"] if done.returncode != code else []
        problems += [f"does not say `{text}`" for text in ([says] if isinstance(says, str) else says) if text not in said]
        problems += [f"says `{text}`" for text in ([silent] if isinstance(silent, str) else silent) if text in said]
        if problems:
            raise AssertionError(f"planc {' '.join(words)} in {folder}: {'; '.join(problems)}\n{said}")
        return done.stdout
