# What the tests of schemas share: planc with a record of its JSON, and validators made of `planc schema`.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import shlex
import subprocess
import sys

SKIPPED = 77
SECONDS = 300  # for one command; far above what it takes


def needed(name):
    """A module of Debian; without it a test skips itself."""
    try:
        return __import__(name)
    except ImportError:
        print(f"skipped: there is no {name} (package python3-{name})")
        sys.exit(SKIPPED)


# Stands for planc, and keeps what it says where that is asked for as JSON: a file with the words, one with stdout, one with stderr.
RECORDER = """#!/bin/sh
case "$*" in *json*|*sarif*|*junit*|*gitlab*) ;; *) exec {planc} "$@" ;; esac
record=$(mktemp {folder}/XXXXXXXX)
printf '%s\\n' "$@" >"$record"
{planc} "$@" >"$record.out" 2>"$record.err"
code=$?
cat "$record.out"
cat "$record.err" >&2
exit $code
"""


def recorder(planc, folder):
    """A program that is planc and leaves records in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder.parent / "recorded-planc"
    path.write_text(RECORDER.format(planc=shlex.quote(str(planc)), folder=shlex.quote(str(folder))))
    path.chmod(0o755)
    return path


def word_of(words, option):
    """The value of an option, or nothing."""
    for i, word in enumerate(words):
        if word.startswith(option + "="):
            return word[len(option) + 1:]
        if word == option and i + 1 < len(words):
            return words[i + 1]
    return None


def results(folder):
    """What records hold: the name of the schema, its words, and the JSON."""
    for record in sorted(p for p in folder.iterdir() if not p.suffix):
        words = record.read_text().splitlines()
        out, err = (record.with_suffix(s).read_text(errors="replace") for s in (".out", ".err"))
        if word_of(words, "--format") == "json" and out.startswith("{"):
            yield words[0], words, json.loads(out)
        if word_of(words, "--diagnostics") == "json":
            for line in err.splitlines():
                if line.startswith("{"):
                    yield "diagnostics", words, json.loads(line)


class Schemas:
    """Validators by the names that `planc schema` lists."""

    def __init__(self, planc):
        jsonschema = needed("jsonschema")
        self.of = {}
        for line in self.printed(planc).splitlines():
            name = line.split()[0]
            schema = json.loads(self.printed(planc, name))
            jsonschema.Draft202012Validator.check_schema(schema)
            self.of[name] = jsonschema.Draft202012Validator(schema)

    @staticmethod
    def printed(planc, *names):
        return subprocess.run([planc, "schema", *names], capture_output=True, check=True, text=True, timeout=SECONDS).stdout

    def problem(self, name, found):
        """The first thing that the schema says against it, or nothing."""
        return problem(self.of[name], found)


def problem(validator, found):
    error = next(validator.iter_errors(found), None)
    while error and error.context:  # of several forms the one that comes nearest
        error = max(error.context, key=lambda e: len(e.absolute_path))
    return f"/{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}" if error else None


def run(planc, words, where, text=None):
    """The exit code; what crashes or takes too long ends the test."""
    done = subprocess.run([planc, *map(str, words)], capture_output=True, cwd=where, timeout=SECONDS, text=True, input=text)
    if done.returncode not in (0, 1, 2):
        sys.exit(f"planc {shlex.join(map(str, words))}: exit code {done.returncode}: {done.stderr[-2000:]}")
    return done


def workers():
    return min(8, os.cpu_count() or 1)


def paths():
    """PLANC and ROOT of the command line."""
    return pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
