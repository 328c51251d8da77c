"""JSON of commands over files whose names are no UTF-8: all of it can be read.

Usage: names_without_utf8.py PLANC FOLDER
"""
# SPDX-License-Identifier: Apache-2.0
import json
import subprocess
import sys

planc, folder = sys.argv[1].encode(), sys.argv[2].encode()


def named(name, text):
    with open(folder + b"/" + name, "wb") as file:
        file.write(text)


def ran(*words):
    done = subprocess.run([planc, *words], cwd=folder, capture_output=True)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


small, space = (open(folder + b"/" + name, "rb").read() for name in (b"small.plan", b"space.plan"))
named(b"wrong\xff.plan", small.replace(b"ffn -> tp", b"fnn -> tp"))
named(b"small\xff.plan", small)
named(b"space\xff.plan", space)
code, _, errors = ran(b"check", b"wrong\xff.plan", b"--diagnostics", b"json")
print("check", code, *(json.loads(line)["code"] for line in errors.splitlines()))
for words in ((b"estimate", b"small\xff.plan"), (b"search", b"space\xff.plan", b"--store", b"a\xff.db"),
              (b"search", b"report", b"a\xff.db", b"space\xff.plan"),
              (b"sweep", b"small\xff.plan", b"--vary", b"train.micro_batch in [1, 2]")):
    code, out, _ = ran(*words, b"--format", b"json")
    json.loads(out)
    print((words[1] if words[1] == b"report" else words[0]).decode(), code)
