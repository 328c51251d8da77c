#!/usr/bin/env python3
"""A search as an array of Slurm: one task is cancelled, `merge` names its shard, it is run again, and the answer is that of one machine.

Usage: slurm.py PLANC

Starts munged, slurmctld and slurmd as processes of this machine on loopback; skipped where they are not installed, or not as root.
"""
# SPDX-License-Identifier: Apache-2.0
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from stores import Bench  # noqa: E402

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "squeue", "scontrol")
SKIPPED = 77
CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/ctld
SlurmdSpoolDir={folder}/slurmd
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmctldPort={controller}
SlurmdPort={daemon}
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
SPACE = ["small.plan", "--vary", "mesh.tp in [1, 2, 4, 8]", "--vary", "mesh.pp in [1, 2, 4]", "--vary", "recompute in [none, decoder.attn.core, decoder]",
         "--vary", "train.micro_batch in [%s]" % ", ".join(map(str, range(1, 65))), "--fill", "mesh.dp",
         "--vary", "cluster.device.memory in [40GB, 60GB, 80GB]", "--exhaustive", "--top", "3"]


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


class Slurm:
    """The processes of one machine; ends with them."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.started = []
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def start(self, *words):
        log = (self.folder / f"{words[0]}.out").open("w")
        self.started.append(subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.environment, cwd=self.folder))

    def run(self, *words, **more):
        return subprocess.run(words, env=self.environment, cwd=self.folder, text=True, capture_output=True, timeout=60, **more)

    def until(self, what, holds, seconds=60):
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                logs = "\n".join(f"{log}:\n{log.read_text()[-1500:]}" for log in self.folder.glob("*.log"))
                raise TimeoutError(f"{what}: not within {seconds} s\n{logs}")
            time.sleep(0.1)

    def __enter__(self):
        for name in ("munge", "ctld", "slurmd"):
            (self.folder / name).mkdir(mode=0o755)
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(64))
        key.chmod(0o400)
        host = socket.gethostname().split(".")[0]
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(host=host, folder=self.folder, controller=free_port(), daemon=free_port(),
                                                                     cpus=max(1, os.cpu_count() or 1)))
        munge = self.folder / "munge"
        try:
            self.start("munged", "--foreground", "--force", f"--socket={munge}/socket", f"--key-file={key}", f"--pid-file={munge}/pid", f"--seed-file={munge}/seed",
                       f"--log-file={munge}/log", "--num-threads=1")
            self.until("munge", (munge / "socket").exists)
            self.start("slurmctld", "-D", "-c")
            self.start("slurmd", "-D", "-N", host)
            self.until("an idle node", lambda: "idle" in self.run("sinfo", "-h", "-o", "%t").stdout)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.started):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def submit(self, *words):
        done = self.run("sbatch", "--parsable", *words)
        if done.returncode != 0:
            sys.exit(f"sbatch: {done.stderr}")
        return done.stdout.strip()

    def wait(self, job):
        self.until(f"the end of job {job}", lambda: not self.run("squeue", "-h", "-j", job).stdout.strip(), 180)


def search(planc, folder):
    with Slurm(folder) as slurm:
        bench = Bench(planc, folder)
        slurm.environment["PATH"] = f"{planc.parent}:{os.environ['PATH']}"
        whole = bench.good(*SPACE)
        script = bench.good(*SPACE, "--store", "all.db", "--emit-sbatch", "4")
        (slurm.folder / "job.sh").write_text(script)
        job = slurm.submit("--hold", "job.sh")
        slurm.run("scancel", f"{job}_2", check=True)
        slurm.run("scontrol", "release", job, check=True)
        slurm.wait(job)
        stores = sorted(path.name for path in slurm.folder.glob("all.*.db"))
        if stores != ["all.0.db", "all.1.db", "all.3.db"]:
            sys.exit(f"{stores} after the array\n" + "\n".join(p.read_text() for p in slurm.folder.glob("slurm-*.out")))
        bench.refused(1, "shard 2/4 is missing", "merge", "all.db", *stores)
        slurm.wait(slurm.submit("--array=2", "job.sh"))
        # The line of the script that waits for the job, as it stands there.
        line = next(line for line in script.splitlines() if "afterany:JOB" in line).split("waits: sbatch ")[1]
        merge = slurm.submit("--dependency=afterany:" + job, "--output=merge.out", "--wrap", shlex.split(line)[-1])
        slurm.wait(merge)
        printed = (slurm.folder / "merge.out").read_text()
        if not printed.endswith(whole) or bench.good("report", "all.db") != whole:
            sys.exit(f"another answer:\n{printed}\n{whole}")
        print(f"array {job} of 4 tasks, one cancelled and run again; merged by job {merge}: the answer of one machine")


def main(planc):
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing or os.getuid() != 0:
        print(f"skipped: {', '.join(missing) + ' not installed' if missing else 'not root'}")
        sys.exit(SKIPPED)
    folder = tempfile.mkdtemp(prefix="planc-slurm-")
    try:
        search(planc, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
