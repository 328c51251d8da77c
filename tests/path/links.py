#!/usr/bin/env python3
"""Makes the folder that is the whole PATH of lit and of the Python suites: links to the programs of the packages that .ci/install lists and of
Debian's essential set.

Usage: links.py FOLDER ROOT [PACKAGE:NAME=PROGRAM…]

PROGRAM is what CMake found for NAME. If PACKAGE is listed but dpkg has no program of that name in it (a Python of pyenv, a CMake of pip), NAME starts
PROGRAM. Exits with 3, without a folder, on a system without dpkg.
"""
# SPDX-License-Identifier: Apache-2.0
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

FOLDERS = ("/bin", "/sbin", "/usr/bin", "/usr/sbin")
ALTERNATIVES = "/etc/alternatives/"
NO_DPKG = 3


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def listed(root):
    """Names of the packages whose programs a test may run."""
    return set(output(f"{root}/.ci/install", "list").split())


def installed():
    """(name, name with architecture, essential) of every installed package."""
    for line in output("dpkg-query", "-W", "-f=${Package}\t${binary:Package}\t${Essential}\t${db:Status-Status}\n").splitlines():
        name, full, essential, status = line.split("\t")
        if status == "installed":
            yield name, full, essential == "yes"


def programs(packages):
    """{name: path} of the programs in these packages, and of the alternatives (`c++`, `which`) that lead to one."""
    found = {}
    for file in output("dpkg-query", "-L", *packages).splitlines():
        folder, name = os.path.split(file)
        if folder in FOLDERS and os.path.isfile(file) and os.access(file, os.X_OK):
            found.setdefault(name, file)
    for folder in FOLDERS:
        for link in (entry.path for entry in os.scandir(folder) if entry.is_symlink() and os.readlink(entry.path).startswith(ALTERNATIVES)):
            chosen = os.path.basename(os.readlink(os.readlink(link)))
            if chosen in found:
                found.setdefault(os.path.basename(link), found[chosen])
    return found


def make(folder, root, given):
    """Makes the folder anew and returns how many programs it has."""
    names = listed(root)
    links = programs([full for name, full, essential in installed() if essential or name in names])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, path in links.items():
        (folder / name).symlink_to(path)
    for word in given:
        owner, program = word.split("=", 1)
        package, name = owner.split(":")
        if package in names and name not in links and program:
            # Not a link: the Python of a virtual environment finds its packages from where it is started.
            (folder / name).write_text(f'#!/bin/sh\nexec {shlex.quote(program)} "$@"\n')
            (folder / name).chmod(0o755)
    return len(os.listdir(folder))


if __name__ == "__main__":
    if not shutil.which("dpkg-query"):
        sys.exit(NO_DPKG)
    print(make(Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
