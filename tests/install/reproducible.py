#!/usr/bin/env python3
"""Two builds of one commit, in folders of other names and depths, have the same bytes: program, libplanc.a, deb and tar.gz, usual and static.

Usage: reproducible.py BUILD SOURCE

Builds the commit of SOURCE with the release flags of BUILD, four times in all. Skips itself (exit code 77) unless PLANC_PACKAGES is set.
"""
# SPDX-License-Identifier: Apache-2.0
import filecmp
import os
import shutil
import sys
import tempfile
from pathlib import Path

import packages


def products(source, build, flags, *options):
    """What one build makes: {name: file}."""
    packages.built(source, build, flags, *options)
    made = {"bin/planc": build / "bin/planc", "libplanc.a": build / "libplanc.a"}
    for generator in ("DEB", "TGZ"):
        file = packages.package(build, generator, build / generator)
        made[file.name] = file
    return made


def main(build, source):
    os.environ["PATH"] = packages.SYSTEM_PATH
    if not os.environ.get("PLANC_PACKAGES") or not shutil.which("dpkg-shlibdeps"):
        print("skipped: PLANC_PACKAGES is not set, or there is no dpkg-shlibdeps")
        return packages.SKIPPED
    flags, differ = packages.release_flags(build), []
    with tempfile.TemporaryDirectory() as folder:
        clones = [Path(folder) / "one/planc", Path(folder) / "another/place/for/the/clone"]
        for clone in clones:
            packages.run("git", "clone", "-q", "--no-local", source, clone)
        for options in ([], ["-DPLANC_STATIC=ON"]):
            first, second = (products(clone, clone / f"build{len(options)}{i}", flags, *options) for i, clone in enumerate(clones))
            for name, file in first.items():
                same = filecmp.cmp(file, second[name], shallow=False)
                print(f"{name} {' '.join(options)}: {file.stat().st_size} bytes, {'the same' if same else 'DIFFERENT'}", flush=True)
                differ += [] if same else [name]
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
