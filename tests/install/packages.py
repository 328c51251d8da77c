#!/usr/bin/env python3
"""Packages on bare machines: the deb is installed in a fresh Debian 12, and the tar.gz of a static build is unpacked in another.

Usage: packages.py BUILD SOURCE [STATIC]

Makes the deb from the build folder BUILD. STATIC is a build folder with PLANC_STATIC=ON; without it one is built from SOURCE with the release flags of
BUILD. Each root is `mmdebstrap --variant=minbase bookworm`. In the first the deb is installed, planc prices a plan, and a program that uses libplanc is
built; in the second nothing is installed. Both have to print what the planc of BUILD prints.

Skips itself (exit code 77) unless PLANC_PACKAGES is set and mmdebstrap, root and Debian's mirror are there: it takes minutes.
"""
# SPDX-License-Identifier: Apache-2.0
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

SKIPPED = 77
MIRROR = "http://deb.debian.org/debian/dists/bookworm/InRelease"
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PLAN = "examples/gpt3_175b.plan"


def missing():
    """Why this cannot run here, or nothing."""
    if not os.environ.get("PLANC_PACKAGES"):
        return "PLANC_PACKAGES is not set"
    os.environ["PATH"] = SYSTEM_PATH  # ctest has a PATH of listed packages (tests/path); whoever asks for this test has others
    if os.geteuid() != 0:
        return "not root"
    for tool in ("mmdebstrap", "cpack", "dpkg-deb", "dpkg-shlibdeps", "file"):
        if not shutil.which(tool):
            return f"no {tool}"
    try:
        urllib.request.urlopen(MIRROR, timeout=20).close()
    except OSError as error:
        return f"no mirror: {error}"
    return None


def run(*words, **more):
    """The output of a command, which must succeed."""
    print("+", *words, flush=True)
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        sys.exit(f"exit {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def release_flags(build):
    return re.search(r"^CMAKE_CXX_FLAGS_RELEASE:STRING=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)[1]


def built(source, build, flags, *options):
    """Builds planc, without tests, in a folder of its own."""
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DPLANC_TESTS=OFF", f"-DCMAKE_CXX_FLAGS_RELEASE={flags}", *options)
    run("cmake", "--build", build)
    return build


def package(build, generator, folder):
    """The package that cpack makes of a build folder."""
    folder.mkdir()
    run("cpack", "--config", build / "CPackConfig.cmake", "-G", generator, "-B", folder)
    return next(p for p in folder.iterdir() if p.suffix in (".deb", ".gz"))


def inside(root, command):
    """The output of a shell command in a root."""
    return run("chroot", root, "/bin/sh", "-ec", command, env={"PATH": SYSTEM_PATH, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root"})


def deb_in(root, deb, source, estimate):
    """Installs the deb, prices a plan, and builds a program on libplanc."""
    shutil.copy(deb, root / "tmp/planc.deb")
    shutil.copytree(source / "examples", root / "examples", ignore=shutil.ignore_patterns("build*"))
    inside(root, "apt-get update && apt-get install -y --no-install-recommends /tmp/planc.deb")
    print(inside(root, "dpkg-query -W -f='${Package} ${Version}: ${Depends}\\n' planc"))
    if inside(root, f"cd / && planc estimate {PLAN}") != estimate:
        sys.exit("the planc of the deb prints another estimate")
    inside(root, "test -f /usr/share/man/man1/planc-estimate.1 && test -f /usr/share/bash-completion/completions/planc && planc version")
    inside(root, "apt-get install -y --no-install-recommends make $(dpkg-query -W -f='${Suggests}' planc | tr -d ,)")
    inside(root, "cmake -S /examples/cpp -B /tmp/client && cmake --build /tmp/client")
    print(inside(root, f"cd / && /tmp/client/price_edits {PLAN} gpt3_175b"))


def archive_in(root, archive, source, estimate):
    """Unpacks the tar.gz, prices a plan, moves the folder and prices it again."""
    shutil.copytree(source / "examples", root / "examples", ignore=shutil.ignore_patterns("build*"))
    (root / "opt/planc").mkdir()
    run("tar", "-xzf", archive, "-C", root / "opt/planc", "--strip-components=1")
    for place in ("/opt/planc", "/srv/moved"):
        if place != "/opt/planc":
            inside(root, f"mv /opt/planc {place}")
        if inside(root, f"cd / && {place}/bin/planc estimate {PLAN}") != estimate:
            sys.exit(f"the planc of the tar.gz in {place} prints another estimate")


def main(build, source, static):
    if reason := missing():
        print(f"skipped: {reason}")
        return SKIPPED
    estimate = run(build / "bin/planc", "estimate", PLAN, cwd=source)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        folder.chmod(0o755)
        deb = package(build, "DEB", folder / "deb")
        archive = package(static or built(source, folder / "static", release_flags(build), "-DPLANC_STATIC=ON"), "TGZ", folder / "tgz")
        run("mmdebstrap", "--variant=minbase", "bookworm", folder / "bare")
        run("cp", "-a", folder / "bare", folder / "other")
        archive_in(folder / "other", archive, source, estimate)
        deb_in(folder / "bare", deb, source, estimate)
        print(f"{deb.name}: {deb.stat().st_size / 1e6:.1f} MB, {archive.name}: {archive.stat().st_size / 1e6:.1f} MB; both print what the build prints")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None))
