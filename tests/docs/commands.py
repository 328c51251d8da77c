#!/usr/bin/env python3
"""Runs every command that README.md and docs/*.md print, and checks every plan that they show.

Usage: commands.py [--update] PLANC ROOT [PAGE…]

`--update` writes what was printed into the pages, where only numbers differ; what is elided stays elided. Figures in prose that follow a number which
moved are written, too; those that follow none, or several, are reported by the next run.

Blocks are told apart by what stands after the fence:

    ```sh            commands, one per line; each must succeed; output is not compared
    ```sh ci         commands that .ci/run runs, so they are not run here: they must stand in .ci/run or .ci/test
    ```console       `$ command` lines, each followed by what it prints (stdout and stderr); each must succeed
    ```console fails the same, and the last command must fail
    ```plan          a whole file: `planc check` must be silent
    ```plan FILE     the same, and the file is there for the commands after it
    ```plan FILE fails   a whole file that `planc check` must refuse
    ```plan fragment not a file
    ```yaml          a pipeline, or hooks of pre-commit: pipelines.py looks it through
    ```groovy        a pipeline of Jenkins: planc knows the commands and options in it
    ```shell         commands that need what a test has not (a registry, root, an hour): they are not run

Figures in the prose beside a run are held against what it prints (figures.py).

In printed output a line `…` stands for any lines, and `…` within a line for any text. Every page runs in a folder of its
own that holds the examples, the library and some files to import.
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
import figures  # noqa: E402
import markdown  # noqa: E402
import pipelines  # noqa: E402

COPIED = ("examples", "stdlib", "tools", "tests/import/small", "README.md", "LICENSE")


def pattern(line):
    """A regular expression for one shown line: `…` is any text, a run of blanks is any run (columns move with numbers)."""
    pieces = [re.sub(r"(\\ ){2,}", "[ ]+", re.escape(piece)) for piece in line.rstrip().split("…")]
    return r"[^\n]*?".join(pieces) + r"[ ]*\n"


def matches(shown, printed):
    """Does the printed text agree with the shown one?"""
    whole = "".join(r"(?:.*\n)*?" if line == "…" else pattern(line) for line in shown.splitlines())
    return re.fullmatch(whole, printed.rstrip("\n") + "\n" if printed.strip() else "") is not None


def difference(shown, printed):
    """The first shown line that is not printed where it should be, and what is printed there."""
    lines, at, skipping = printed.splitlines(), 0, False
    for line in shown.splitlines():
        if line == "…":
            skipping = True
            continue
        end = len(lines) if skipping else at + 1
        found = next((i for i in range(at, min(end, len(lines))) if re.fullmatch(pattern(line), lines[i] + "\n")), None)
        if found is None:
            near = difflib.get_close_matches(line, lines[at:], 1, 0) if skipping else lines[at:at + 1]
            return f"  shown:   {line}\n  printed: {near[0] if near else '(nothing)'}"
        at, skipping = found + 1, False
    return f"  printed: {lines[at]}" if at < len(lines) else "  …"


def updated(shown, printed):
    """The shown text with the numbers that were printed, or nothing if more than numbers differ."""
    def words(line):
        return re.sub(r"[\d.]+(e[-+]?\d+)?", "#", " ".join(line.split()))
    lines, at, result = printed.splitlines(), 0, []
    for line in shown.splitlines():
        if line == "…":
            result.append(line)
            continue
        head = words(line.split("…")[0])
        found = next((i for i in range(at, len(lines)) if words(lines[i]).startswith(head)), None)
        if found is None:
            return None
        result.append(lines[found] if "…" not in line else line)
        at = found + 1
    text = "".join(line + "\n" for line in result)
    return text if matches(text, printed) else None


class Page:
    def __init__(self, path, root, planc):
        self.path, self.root, self.planc = path, root, planc
        self.name = str(path.relative_to(root))
        self.problems = []
        self.updates = []  # (shown, printed)
        self.printed = {}  # by the line of a block: all that its commands print
        self.ran = 0

    def problem(self, block, text):
        self.problems.append(f"{self.name}:{block.line}: {text}")

    @staticmethod
    def own(folder):
        """A home, a cache and settings of git that are the page's, not those of whoever runs it."""
        who = {f"GIT_{role}_{word}": value for role in ("AUTHOR", "COMMITTER") for word, value in (("NAME", "you"), ("EMAIL", "you@example.com"))}
        return {"HOME": str(folder), "PLANC_CACHE": str(Path(folder) / ".cache"), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, **who}

    def shell(self, command, folder):
        env = {**os.environ, "PATH": f"{self.planc.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TERM": "dumb", **self.own(folder)}
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
            self.printed[block.line] = self.printed.get(block.line, "") + output
            last = command == steps[-1][0]
            if (code != 0) != (last and block.words == ["fails"]):
                self.problem(block, f"`{command}`: exit code {code}\n{output}")
            elif not matches(shown, output):
                new = updated(shown, output)
                if new:
                    self.updates.append((shown, new))
                self.problem(block, f"`{command}` prints something else\n{difference(shown, output)}")

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

    def yaml(self, block, folder):
        for problem in pipelines.problems(block.text, self.planc):
            self.problem(block, problem)

    def groovy(self, block, folder):
        for problem in pipelines.unknown(block.text, self.planc):
            self.problem(block, problem)

    def run(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            for item in COPIED:
                source = self.root / item
                if source.is_dir():
                    shutil.copytree(source, folder / item)
                elif source.exists():
                    shutil.copy(source, folder / item)
            text = self.path.read_text()
            blocks = markdown.blocks(text)
            for block in blocks:
                run = {"sh": self.sh, "console": self.console, "plan": self.plan, "yaml": self.yaml, "groovy": self.groovy}.get(block.kind)
                if run:
                    run(block, folder)
        for line, what in figures.problems(text, blocks, self.printed, lambda page: (self.path.parent / page).read_text()):
            self.problems.append(f"{self.name}:{line}: {what}")


def update(page):
    text = page.path.read_text()
    text = figures.renewed(text, markdown.blocks(text), page.updates)
    for shown, new in page.updates:
        text = text.replace(shown, new, 1)
    page.path.write_text(text)


def main(planc, root, wanted, updating):
    folders = ("docs", "docs/evidence", "docs/studies")
    paths = [root / "README.md", root / "CONTRIBUTING.md", *(p for f in folders for p in sorted((root / f).glob("*.md"))), *sorted(root.glob("*/README.md"))]
    pages = [Page(p, root, planc) for p in dict.fromkeys(paths) if p.exists() and (not wanted or p.name in wanted)]
    for page in pages:
        page.run()
        for problem in page.problems:
            print(problem)
        if updating and page.updates:
            update(page)
            print(f"{page.name}: {len(page.updates)} outputs updated")
    ran, bad = sum(p.ran for p in pages), sum(len(p.problems) for p in pages)
    print(f"{len(pages)} pages, {ran} commands, {bad} problems")
    return 1 if bad or ran == 0 else 0


if __name__ == "__main__":
    updating = sys.argv[1:2] == ["--update"]
    planc_path, root_path, *names = sys.argv[2 if updating else 1:]
    sys.exit(main(Path(planc_path).resolve(), Path(root_path).resolve(), set(names), updating))
