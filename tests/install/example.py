#!/usr/bin/env python3
"""Installs a build folder into an empty prefix and builds examples/cpp and the C++ of docs/library.md on it.

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


def main(build_folder, root, cmake, compiler):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        prefix = folder / "prefix"
        generator = generator_of(build_folder)
        run(cmake, "--install", build_folder, "--prefix", prefix)
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
        print(f"{len(lines)} prices, {len(programs)} programs of {page.name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3], sys.argv[4])
