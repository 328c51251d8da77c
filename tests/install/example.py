#!/usr/bin/env python3
"""Installs a build folder into an empty prefix, moves the prefix, and builds examples/cpp, the C++ of docs/library.md and the CMake of docs/install.md
on it.

Usage: example.py BUILD ROOT CMAKE COMPILER

The example prices three changes of a plan; each must say what the installed program says of the same change.
"""
# SPDX-License-Identifier: Apache-2.0
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PLAN = "examples/gpt3_175b.plan"
# As the example makes them, in the words of the command line.
EDITS = ([], ["mesh.tp=4", "mesh.dp=2"], ["train.micro_batch=2"], ["cluster.node.bandwidth=100GB/s"])


def run(*words, may_fail=False, **more):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **more)
    if done.returncode != 0 and not may_fail:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def estimated(planc, root, facts):
    """What the program says of the plan with these facts set, as the example prints it."""
    words = [word for fact in facts for word in ("--set", fact)]
    text = run(planc, "estimate", PLAN, "--plan", "gpt3_175b", "--format", "json", "--allow-oom", "--no-fixes", *words, cwd=root,
               may_fail=True)  # the plan's own assertions are of the plan as it is
    plan = json.loads(text)["plans"][0]
    return f"{plan['totals']['step_time_s']:.3f} s, {plan['memory']['peak_bytes'] / 1e9:.1f} GB"


def generator_of(build_folder):
    """What the build was made with: a bare machine has no other."""
    return re.search(r"^CMAKE_GENERATOR:INTERNAL=(.*)$", (Path(build_folder) / "CMakeCache.txt").read_text(), re.M)[1]


def build(cmake, generator, compiler, source, into, prefix):
    run(cmake, "-G", generator, "-S", source, "-B", into, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Debug")
    run(cmake, "--build", into)


def page_programs(page):
    """The blocks of C++ of a page that are whole programs."""
    return [b for b in re.findall(r"```cpp\n(.*?)```", page.read_text(), re.S) if "int main" in b]


def checked_plans(cmake, generator, root, prefix, folder):
    """Runs the CMakeLists.txt of docs/install.md on plans that are right, and on one that is not."""
    page = root / "docs/install.md"
    if not page.exists():
        return 0
    (folder / "plans").mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(re.search(r"```cmake\n(.*?)```", page.read_text(), re.S)[1])
    plan = folder / "plans/one.plan"
    plan.write_text((root / PLAN).read_text())
    run(cmake, "-G", generator, "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    ctest = Path(cmake).with_name("ctest")
    for target in ("planc-check", "clusters"):
        run(cmake, "--build", folder / "build", "--target", target)
    listed = run(ctest, "--test-dir", folder / "build")
    plan.write_text(plan.read_text().replace("ffn -> tp", "fnn -> tp"))
    broken = run(ctest, "--test-dir", folder / "build", may_fail=True)
    for name in ("planc-check", "clusters", "clusters-test"):
        if not re.search(rf" {name} \.+ +Passed", listed) or not re.search(rf" {name} \.+\**Failed", broken):
            sys.exit(f"planc_check: {name} should pass, and fail for a plan that is wrong\n{listed}{broken}")
    return 3


def installed(cmake, build_folder, folder):
    """The prefix, after it was moved. It has a manual page and completions, and no file in it names where it was."""
    first, prefix = folder / "installed", folder / "moved"
    run(cmake, "--install", build_folder, "--prefix", first)
    first.rename(prefix)
    for file in ("man/man1/planc.1", "man/man1/planc-estimate.1", "bash-completion/completions/planc", "zsh/site-functions/_planc",
                 "fish/vendor_completions.d/planc.fish", "doc/planc/copyright", "doc/planc/planc.spdx.json"):
        if not (prefix / "share" / file).stat().st_size:
            sys.exit(f"share/{file} is empty")
    named = [file for file in prefix.rglob("*") if file.is_file() and str(first).encode() in file.read_bytes()]
    if named:
        sys.exit(f"the prefix is named in {named}")
    return prefix


def main(build_folder, root, cmake, compiler):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        prefix = installed(cmake, build_folder, folder)
        generator = generator_of(build_folder)
        planc = prefix / "bin/planc"
        build(cmake, generator, compiler, root / "examples/cpp", folder / "example", prefix)
        lines = run(folder / "example/price_edits", PLAN, "gpt3_175b", cwd=root).splitlines()
        wanted = [estimated(planc, root, facts) for facts in EDITS]
        if lines != wanted:
            sys.exit(f"the example says {lines}, the program {wanted}")
        page = root / "docs/library.md"
        programs = page_programs(page) if page.exists() else []
        for i, text in enumerate(programs):
            source = folder / f"page{i}"
            source.mkdir()
            lists = (root / "examples/cpp/CMakeLists.txt").read_text()
            (source / "CMakeLists.txt").write_text(lists)
            (source / "price_edits.cpp").write_text(text)
            build(cmake, generator, compiler, source, source / "build", prefix)
            run(source / "build/price_edits", cwd=root)
        checks = checked_plans(cmake, generator, root, prefix, folder / "checked")
        print(f"{len(lines)} prices, {len(programs)} programs of {page.name}, {checks} tests of planc_check")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3], sys.argv[4])
