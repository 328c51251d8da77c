#!/usr/bin/env python3
"""Runs every command that README.md and docs/*.md print, and checks every plan that they show.

Usage: commands.py PLANC ROOT [PAGE…]

Blocks are told apart by what stands after the fence:

    ```sh            commands, one per line; each must succeed; output is not compared
    ```sh ci         commands that .ci/run runs, so they are not run here: they must stand in .ci/run or .ci/test
    ```console       `$ command` lines, each followed by what it prints (stdout and stderr); each must succeed
    ```console fails the same, and the last command must fail
    ```plan          a whole file: `planc check` must be silent
    ```plan FILE     the same, and the file is there for the commands after it
    ```plan FILE fails   a whole file that `planc check` must refuse
    ```plan fragment not a file

In printed output a line `…` stands for any lines, and `…` within a line for any text. Every page runs in a folder of its
own that holds the examples and the library.
"""
# SPDX-License-Identifier: Apache-2.0
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "coverage"))
import markdown  # noqa: E402

COPIED = ("examples", "stdlib", "README.md", "LICENSE")


def matches(shown, printed):
    """Does the printed text agree with the shown one?"""
    pattern = ""
    for line in shown.rstrip("\n").splitlines():
        line = line.rstrip()
        if line == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += r"[^\n]*?".join(re.escape(piece) for piece in line.split("…")) + r"[ ]*\n"
    return re.fullmatch(pattern, printed.rstrip("\n") + "\n" if printed.strip() else "") is not None


class Page:
    def __init__(self, path, root, planc):
        self.path, self.root, self.planc = path, root, planc
        self.name = str(path.relative_to(root))
        self.problems = []
        self.ran = 0

    def problem(self, block, text):
        self.problems.append(f"{self.name}:{block.line}: {text}")

    def shell(self, command, folder):
        env = {**os.environ, "PATH": f"{self.planc.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TERM": "dumb"}
        self.ran += 1
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        return done.stdout, done.returncode

    def sh(self, block, folder):
        if block.words == ["ci"]:
            scripts = (self.root / ".ci/run").read_text() + (self.root / ".ci/test").read_text()
            for line in block.text.splitlines():
                if line.strip() and line not in scripts:
                    self.problem(block, f"`{line}` does not stand in .ci/run")
            return
        output, code = self.shell("set -e\n" + block.text, folder)
        if code != 0:
            self.problem(block, f"exit code {code}\n{output}")

    def console(self, block, folder):
        steps = []
        for line in block.text.splitlines(keepends=True):
            if line.startswith("$ "):
                steps.append([line[2:].strip(), ""])
            elif not steps:
                self.problem(block, "a console block begins with `$ `")
                return
            else:
                steps[-1][1] += line
        for command, shown in steps:
            output, code = self.shell(command, folder)
            last = command == steps[-1][0]
            if (code != 0) != (last and block.words == ["fails"]):
                self.problem(block, f"`{command}`: exit code {code}\n{output}")
            elif not matches(shown, output):
                diff = "\n".join(difflib.unified_diff(shown.splitlines(), output.splitlines(), "shown", "printed", lineterm="", n=1))
                self.problem(block, f"`{command}` prints something else\n{diff}")

    def plan(self, block, folder):
        if block.words == ["fragment"]:
            return
        name = block.words[0] if block.words else "example.plan"
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(block.text)
        output, code = self.shell(f"planc check {name}", folder)
        if block.words[1:] == ["fails"]:
            if code != 1:
                self.problem(block, f"{name}: exit code {code}, not 1\n{output}")
        elif code != 0 or output:
            self.problem(block, f"{name}: exit code {code}\n{output}")

    def run(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            for item in COPIED:
                source = self.root / item
                if source.is_dir():
                    shutil.copytree(source, folder / item)
                elif source.exists():
                    shutil.copy(source, folder / item)
            for block in markdown.blocks(self.path.read_text()):
                run = {"sh": self.sh, "console": self.console, "plan": self.plan}.get(block.kind)
                if run:
                    run(block, folder)


def main(planc, root, wanted):
    paths = [root / "README.md", *sorted((root / "docs").glob("*.md")), *sorted(root.glob("*/README.md"))]
    pages = [Page(p, root, planc) for p in dict.fromkeys(paths) if p.exists() and (not wanted or p.name in wanted)]
    for page in pages:
        page.run()
        for problem in page.problems:
            print(problem)
    ran, bad = sum(p.ran for p in pages), sum(len(p.problems) for p in pages)
    print(f"{len(pages)} pages, {ran} commands, {bad} problems")
    return 1 if bad or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), set(sys.argv[3:])))
