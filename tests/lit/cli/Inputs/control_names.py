"""What is said of files whose names and texts hold control characters or are no UTF-8: no byte of them reaches a terminal, and results can be read.

Usage: control_names.py PLANC FOLDER PLAN
"""
# SPDX-License-Identifier: Apache-2.0
import json
import subprocess
import sys
import xml.dom.minidom
from pathlib import Path

planc, folder, plan = sys.argv[1].encode(), sys.argv[2].encode(), Path(sys.argv[3]).read_bytes()
failing = plan.replace(b"assert memory.fits", b"assert memory.peak < 1GB")
for name in b"a\x1b[31m.plan", b"b\xff.plan", b"c\n.plan", "d\ufffe\x85.plan".encode():
    with open(folder + b"/" + name, "wb") as file:
        file.write(failing.replace(b"{", b"{ ", 1))
with open(folder + b"/e.plan", "wb") as file:
    file.write(b"plan e { model = \x1b\xff }\n")


def ran(*words):
    done = subprocess.run([planc, *words], cwd=folder, capture_output=True)
    return done.returncode, done.stdout, done.stderr


for words in [b"check"], [b"test"], [b"fmt", b"--check"], [b"snapshot", b"--check"], [b"snapshot"], [b"snapshot"]:
    if words == [b"snapshot"]:
        Path((folder + b"/orphan\x1b.snap").decode()).write_text("mine\n")
    code, out, err = ran(*words)
    text = out.decode() + err.decode()
    shown = all(c == "\n" or c.isprintable() for c in text)
    print(b" ".join(words).decode(), code, "shown" if shown else f"not shown: {text!r}", sum("\ufffd" in line for line in out.decode().splitlines()))
    print(next((line for line in out.decode().splitlines() if "\ufffd[31m" in line), "-"))
for command in b"check", b"test":
    for form in b"json", b"sarif", b"gitlab", b"github", b"junit":
        code, out, _ = ran(command, b"--format", form)
        text = out.decode()
        assert all(c == "\n" or ord(c) >= 32 for c in text), (form, text)
        if form == b"junit":
            cases = xml.dom.minidom.parseString(out).getElementsByTagName("testcase")
            print("junit", code, len(cases), sum("\ufffd" in case.getAttribute("classname") for case in cases))
        elif form == b"github":
            assert all(c == "\n" or c.isprintable() for c in text), text
            print("github", code, text.count("::error"))
        else:
            print(form.decode(), code, "read" if json.loads(text) else "empty")
