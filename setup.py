"""Builds the Python package: the module, its stubs and the program, which CMake makes and installs.

PLANC_BUILD names a build folder with PLANC_PYTHON=ON that has all of it already: the wheel packs that. Otherwise the package
is built in build/wheel, where a second run compiles what changed. CMAKE_ARGS are more arguments for CMake.
"""
# SPDX-License-Identifier: Apache-2.0
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
GIVEN = os.environ.get("PLANC_BUILD")
OWN = Path(GIVEN or ROOT / "build").resolve() / "wheel"  # what this script makes, setuptools' own files too


def version():
    return re.search(r"^project\(planc VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


def cmake(*words):
    program = shutil.which("cmake")
    if not program:
        sys.exit("planc is built with CMake, which is not installed: on Debian `.ci/install tests` installs what is needed")
    if subprocess.run([program, *words]).returncode != 0:
        sys.exit(f"`cmake {words[0]}` failed: what it said stands above")


def compiled():
    """A build folder with the module and the program."""
    build = OWN / "cmake"
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    cmake("-S", ROOT, "-B", build, *generator, "-DPLANC_TESTS=OFF", "-DPLANC_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}",
          *shlex.split(os.environ.get("CMAKE_ARGS", "")))
    cmake("--build", build, "--target", "planc", "planc_python", "--parallel", str(os.cpu_count()))
    return build


class Package(build_ext):
    def run(self):
        if self.inplace:
            sys.exit("planc cannot be installed as editable: build it with -DPLANC_PYTHON=ON, and PYTHONPATH=build/python has what was built last")
        into = Path(self.build_lib).resolve()
        shutil.rmtree(into, ignore_errors=True)
        cmake("--install", GIVEN or compiled(), "--component", "wheel", "--prefix", into, "--strip")
        module = into / ("planc/_planc" + sysconfig.get_config_var("EXT_SUFFIX"))
        if not module.exists():
            sys.exit(f"{GIVEN or OWN} has no module for this Python, {sys.executable}: it would be {module.name}")
        for link in (into / "planc/lib").glob("*"):  # a wheel has no links: a library is there by the name that it is loaded by
            if link.is_symlink():
                link.resolve().rename(link)


if GIVEN and not Path(GIVEN, "CMakeCache.txt").exists():
    sys.exit(f"PLANC_BUILD={GIVEN}: no build folder of CMake")
OWN.mkdir(parents=True, exist_ok=True)
setup(version=version(), packages=[], ext_modules=[Extension("planc._planc", [])], cmdclass={"build_ext": Package},
      options={"build": {"build_base": str(OWN / "setuptools")}, "egg_info": {"egg_base": str(OWN)}, "bdist_wheel": {"bdist_dir": str(OWN / "packed")}})
