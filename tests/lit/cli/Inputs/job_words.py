"""Runs the job of `planc search --emit-sbatch` by a shell that finds another `planc`: one that prints its words.

Usage: job_words.py PLANC PLAN FOLDER
"""
# SPDX-License-Identifier: Apache-2.0
import os
import shutil
import subprocess
import sys
from pathlib import Path

planc, plan, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
shutil.copy(plan, folder / "-a$(id)`id`'.plan")
other = folder / "planc"
other.write_text(f"#!{sys.executable}\nimport sys\nprint(sys.argv[1:])\n")
other.chmod(0o755)


def emitted(store):
    words = [planc, "search", f"--store={store}", "--emit-sbatch", "2", "--", "-a$(id)`id`'.plan"]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True)


def ran(script):
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "SLURM_ARRAY_TASK_ID": "1"}
    return subprocess.run(["sh", "-c", script], env=environment, capture_output=True, text=True, check=True).stdout


job = emitted("-s $(id)`id`\"'.db").stdout
print("job", ran(job), end="")
wrapped = next(line for line in job.splitlines() if "--wrap" in line).split("--wrap ")[1]
for line in ran(ran(f"printf %s {wrapped}")).splitlines():
    print("wrap", line)
broken = emitted("a\n#SBATCH --wrap=id")
print("broken", broken.returncode, len(broken.stdout), f"bytes, {broken.stderr}", end="")
