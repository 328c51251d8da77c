#!/usr/bin/env python3
"""The wheel: `pip wheel` packs what a build folder has, and a fresh virtual environment that it is installed into passes module.py.

Usage: wheel.py BUILD ROOT

Nothing is compiled and nothing downloaded. Skipped where no Python of the module's version has pip, setuptools and wheel.
"""
# SPDX-License-Identifier: Apache-2.0
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SKIPPED = 77
# What every Linux has that runs this Python; anything else that is loaded must lie in the wheel.
EVERYWHERE = re.compile(r"(libc|libm|libstdc\+\+|libgcc_s|libz|ld-linux-[\w-]+)\.so\.\d+")


def run(*words, exit_code=0, **more):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **more)
    if done.returncode != exit_code:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def check(what, good):
    if not good:
        sys.exit(f"{what}: no")


def packer(build):
    """A Python that can pack the module of this build; the one of Debian's packages, where that of the build lacks some."""
    asks = "import setuptools, wheel, pip, venv, sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
    for python in sys.executable, "/usr/bin/python3":
        try:
            done = subprocess.run([python, "-c", asks], capture_output=True, text=True)
        except FileNotFoundError:
            continue
        if done.returncode == 0 and (build / f"python/planc/_planc{done.stdout.strip()}").exists():
            return python
    print("skipped: no Python of the module's version has pip, setuptools and wheel (python3-pip, python3-setuptools, python3-wheel)")
    sys.exit(SKIPPED)


def loads_what_is_there(package):
    """The compiled files find all their libraries in the package or in the system, wherever the package lies."""
    inside = {file.name for file in (package / "lib").iterdir()}
    for file in package / "bin/planc", *package.glob("_planc*.so"):
        dynamic = run("readelf", "-d", file)
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
        check(f"libraries of {file.name}", all(name in inside or EVERYWHERE.fullmatch(name) for name in needed))
        paths = re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", dynamic)
        check(f"paths of {file.name}", all(path.startswith("$ORIGIN") for each in paths for path in each.split(":")))
        missing = [name for name in needed & inside if (file.parent / paths[0].replace("$ORIGIN", ".") / name).resolve().parent != package / "lib"]
        check(f"{file.name} leads to its libraries", not missing)


def the_program(python, planc, folder):
    """`python -m planc` and the command beside it are the program, with its exit codes."""
    version = run(planc, "version")
    wrong = folder / "wrong.plan"
    wrong.write_text("plan nothing {}\n")
    for words in [python, "-m", "planc"], [python.parent / "planc"]:
        check("its version", run(*words, "version") == version)
        run(*words, "check", wrong, exit_code=1)
        run(*words, "check", folder / "nowhere.plan", exit_code=2)


def main(build, root):
    python, planc = packer(build), build / "bin/planc"
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder).resolve()
        offline = {**os.environ, "PLANC_BUILD": str(build), "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_CACHE_DIR": "1",
                   "PIP_ROOT_USER_ACTION": "ignore", "HOME": str(folder)}
        offline.pop("PYTHONPATH", None)
        run(python, "-m", "pip", "wheel", root, "--no-build-isolation", "--no-deps", "-w", folder, env=offline)
        wheels = list(folder.glob("*.whl"))
        version = run(planc, "version").split()[1]
        check("one wheel of this version and machine", [re.sub(r"cp3\d+", "cp3x", w.name) for w in wheels] ==
              [f"planc-{version}-cp3x-cp3x-linux_{os.uname().machine}.whl"])
        names = set(zipfile.ZipFile(wheels[0]).namelist())
        check("its files", {f"planc/{file.name}" for file in (root / "python/planc").iterdir() if file.suffix in (".py", ".pyi", ".typed")} <= names)
        check("no file outside of the package", all(name.startswith(("planc/", f"planc-{version}.dist-info/")) for name in names))
        run(python, "-m", "venv", "--without-pip", folder / "fresh")
        fresh = folder / "fresh/bin/python"
        run(python, "-m", "pip", "--python", fresh, "install", "--no-deps", wheels[0], env=offline)
        environment = {name: value for name, value in offline.items() if name != "PLANC_BUILD"}
        package = Path(run(fresh, "-c", "import planc; print(planc.__file__)", env=environment, cwd=folder).strip()).parent
        check("the package of the environment", (folder / "fresh") in package.parents)
        loads_what_is_there(package)
        the_program(fresh, planc, folder)
        print(wheels[0].name, run(fresh, "-B", root / "tests/python/module.py", planc, root, env=environment).strip(), sep=", ")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
