#!/usr/bin/env python3
"""Manual pages and completions against the tables of commands, as `planc help` prints them.

Usage: help.py PLANC

Every command, option and choice has to be in the manual page of its command and in the completion of each shell. bash and fish complete words for
real. mandoc, zsh and fish are left out where they are missing.
"""
# SPDX-License-Identifier: Apache-2.0
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROW = re.compile(r"^  (?:-h, )?(-[\w-]+)(?:=(\S+)| (\S.*?))?(?:  |$)", re.M)
BASH = r"""
source "$1"
while read -ra COMP_WORDS; do
  [[ ${COMP_WORDS[-1]} == '""' ]] && COMP_WORDS[-1]=
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _planc
  echo "${COMPREPLY[*]}"
done
"""


def run(*words, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=120, **more)


def output(*words, **more):
    done = run(*words, **more)
    if done.returncode or done.stderr:
        sys.exit(f"{words}: exit {done.returncode}\n{done.stdout[-1000:]}{done.stderr[-3000:]}")
    return done.stdout


class Tables:
    """What `planc help` prints: {command: {option: choices}}, and what a command's argument may be."""

    def __init__(self, planc):
        listed = re.search(r"^commands:\n((?:  .*\n)+)", output(planc, "help"), re.M)[1]
        self.options, self.valued = {}, {}
        for command in re.findall(r"^  (\w+)", listed, re.M):
            rows = ROW.findall(output(planc, "help", command).split("\noptions:\n")[1].split("\nexample:")[0])
            self.options[command] = {name: choices.split("|") if choices else [] for name, choices, _ in rows}
            self.valued[command] = {name for name, choices, value in rows if choices or value}


def problems_of_page(name, page, words, mandoc):
    text = re.sub(r"\\f[BRI]", "", page).replace("\\-", "-")
    for word in words:
        if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text):
            yield f"{name}: no `{word}`"
    if re.search(r"[^\x00-\x7f]", page):
        yield f"{name}: not ASCII"
    if mandoc:
        done = run(mandoc, "-T", "lint", input=page)
        if done.returncode or done.stdout:
            yield f"{name}: mandoc: {done.stdout}"


def man(planc, tables, mandoc):
    """Problems of the manual pages: the date is given, as builds give it."""
    dated = {"SOURCE_DATE_EPOCH": "1700000000"}
    page = output(planc, "help", "--format", "man", env=dated)
    if "2023-11-14" not in page:
        yield "planc.1: the date is not that of SOURCE_DATE_EPOCH"
    if output(planc, "help", "--format", "man", env={}) != page.replace("2023-11-14", ""):
        yield "planc.1: another page without SOURCE_DATE_EPOCH"
    yield from problems_of_page("planc.1", page, [*tables.options, *[f"planc-{c}" for c in tables.options], "--version"], mandoc)
    for command, options in tables.options.items():
        page = output(planc, "help", command, "--format", "man", env=dated)
        words = [w for name, choices in options.items() for w in (name, *choices)]
        yield from problems_of_page(f"planc-{command}.1", page, words, mandoc)


def lines(tables):
    """(words of a line, what completes the last one), as every shell should: a line of each option with choices, in both ways to write it."""
    commands = list(tables.options)
    yield ["est"], ["estimate"]
    yield [""], commands
    yield ["help", ""], commands
    yield ["--color", "never", "help", "--format", "man", "esti"], ["estimate"]
    yield ["estimate", "--for"], ["--format"]
    yield ["estimate", "--set", "train.micro_batch", "=", "2", "--for"], ["--format"]
    for command, options in tables.options.items():
        yield [command, "--"], [name for name in options if name.startswith("--")]
        for name, choices in options.items():
            if choices:
                yield [command, name, ""], choices
                yield [command, name, "=", ""], choices


def bash(file, tables):
    wanted = list(lines(tables))
    text = "".join("planc " + " ".join(word or '""' for word in words) + "\n" for words, _ in wanted)
    printed = output("bash", "--norc", "-c", BASH, "bash", file, input=text).splitlines()
    for (words, expected), got in zip(wanted, printed, strict=True):
        if sorted(got.split()) != sorted(expected):
            yield f"bash: `planc {' '.join(words)}` completes to `{got}`, not `{' '.join(expected)}`"
    if output("bash", "--norc", "-c", BASH, "bash", file, input="planc estimate --set \"\"\n").strip():
        yield "bash: the value of --set has no choices"


def fish(program, file, tables, home):
    wanted = [(words, expected) for words, expected in lines(tables) if "=" not in words]
    script = "source $argv[1]\nfor line in $argv[2..-1]\ncomplete -C $line\necho @end\nend\n"
    printed = output(program, "--no-config", "-c", script, file, *("planc " + " ".join(words) for words, _ in wanted), env={"HOME": str(home), "PATH": ""}, cwd=home)
    for (words, expected), got in zip(wanted, re.split(r"^@end\n", printed, flags=re.M)[:-1], strict=True):
        found = {line.split("\t")[0] for line in got.splitlines()}
        if missing := set(expected) - found:
            yield f"fish: `planc {' '.join(words)}` does not complete to {sorted(missing)}"


def zsh(program, file, tables):
    output(program, "-n", file)
    cases = dict(re.findall(r"^      (\w+)\)\n(.*?);;", file.read_text(), re.M | re.S))
    common = re.search(r"common=\((.*?)\n  \)", file.read_text(), re.S)[1]
    for command, options in tables.options.items():
        text = cases.get(command, "") + common
        for name, choices in options.items():
            if not re.search(rf"'[*]?(?:\(.*?\))?{name}[=\[]", text) or (choices and f"({' '.join(choices)})'" not in text):
                yield f"zsh: {command} {name} {choices} is missing"


def main(planc):
    tables = Tables(planc)
    tools = {tool: shutil.which(tool) for tool in ("mandoc", "zsh", "fish")}
    found = list(man(planc, tables, tools["mandoc"]))
    with tempfile.TemporaryDirectory() as folder:
        files = {shell: Path(folder) / shell for shell in ("bash", "zsh", "fish")}
        for shell, file in files.items():
            file.write_text(output(planc, "help", "--format", shell))
        found += bash(files["bash"], tables)
        if tools["zsh"]:
            found += zsh(tools["zsh"], files["zsh"], tables)
        if tools["fish"]:
            found += fish(tools["fish"], files["fish"], tables, folder)
    for problem in found:
        print(problem)
    print(f"{len(tables.options)} commands, {sum(map(len, tables.options.values()))} options, {len(found)} problems; "
          f"missing programs: {', '.join(tool for tool, path in tools.items() if not path) or 'none'}")
    return 1 if found or len(tables.options) < 10 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
