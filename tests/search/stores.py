#!/usr/bin/env python3
"""Stores of searches: killed at any moment, resumed, shared by shards and merged, they give the bytes of an unbroken search; what is wrong with one is said.

Usage: stores.py PLANC killed|stopped|shards|front|refused [COUNT]

`killed` takes COUNT random searches (else PLANC_KILLED_SEARCHES, else 6), stops each with SIGKILL at random moments until it is done.
"""
# SPDX-License-Identifier: Apache-2.0
import os
import random
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PLAN = """import std.models.llama
import std.stacks.te
import std.optimizers
import "ours.plan" as ours

plan small {
  model    = llama.llama3_8b
  cluster  = ours.eight(nodes = 4)
  software = te.te
  train { seq = 4096; global_batch = 64; micro_batch = 1; optimizer = optimizers.adamw }
  mesh { tp = 4; dp = 4; pp = 2 }
  place {
    batch -> dp
    decoder { attn { heads -> tp }; mlp { ffn -> tp } }
  }
  states { optimizer -> dp }
  pipeline pp { schedule = one_f_one_b }
}
"""
CLUSTER = """import std.clusters.dgx_h100
import std.devices.h100

device ours extends h100.h100_sxm5_80gb { override memory = 79GB : "a constant of ours" }

export cluster eight(nodes: int) extends dgx_h100.eos(nodes = nodes) { override device = ours }
"""
# Lines of a random space; a few of them make one.
CHOICES = (
    "mesh.tp in [1, 2, 4, 8]", "mesh.pp in [1, 2, 3, 4, 8]", "train.micro_batch in [{batches}]",
    "pipeline.schedule in [one_f_one_b, gpipe, zb_h1]", "states.optimizer -> in [dp, replicate]",
    "recompute in [none, decoder.attn.core, decoder]", "cluster.device.memory in [{memories}]",
)
GOALS = ([], ["--minimize", "step_time", "--minimize", "memory.peak"], ["--maximize", "mfu"])
# Some 30,000 candidates.
LARGE = ("--fill", "mesh.dp", "--vary", "mesh.tp in [1, 2, 4, 8]", "--vary", "recompute in [none, decoder]",
         "--vary", "train.micro_batch in [%s]" % ", ".join(map(str, range(1, 65))), "--vary", "cluster.device.memory in [%s]" % ", ".join(f"{i}GB" for i in range(40, 100)))
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "JOB_COMPLETION", "PLANC_VERIFY"))}


class Bench:
    """A folder with a plan in it, and planc."""

    def __init__(self, planc, folder):
        self.planc, self.folder = planc, Path(folder)
        (self.folder / "small.plan").write_text(PLAN)
        (self.folder / "ours.plan").write_text(CLUSTER)
        self.ran = 0

    def start(self, *words, environment=(), **more):
        self.ran += 1
        return subprocess.Popen([self.planc, "search", *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env={**ENVIRONMENT, **dict(environment)}, **more)

    def run(self, *words, **more):
        process = self.start(*words, **more)
        out, errors = process.communicate(timeout=300)
        return out, errors, process.returncode

    def good(self, *words, **more):
        out, errors, code = self.run(*words, **more)
        if code != 0:
            sys.exit(f"planc search {' '.join(words)}: exit {code}\n{out}{errors}")
        return out

    def refused(self, code, says, *words, **more):
        out, errors, found = self.run(*words, **more)
        if found != code or says not in errors or out:
            sys.exit(f"planc search {' '.join(words)}: exit {found}, not {code} with `{says}`\n{out}{errors}")
        return errors


def random_space(rng):
    """Options that make a space of some thousand candidates, a goal, and a condition sometimes."""
    batches = ", ".join(map(str, range(1, rng.choice((8, 40, 65)))))
    memories = ", ".join(f"{40 + i}GB" for i in range(rng.choice((4, 30, 60))))
    lines = [line.format(batches=batches, memories=memories) for line in rng.sample(CHOICES, rng.randint(3, len(CHOICES)))]
    words = ["small.plan", "--fill", "mesh.dp", "--top", str(rng.choice((1, 3, 10))), *rng.choice(GOALS)]
    for line in lines:
        words += ["--vary", line]
    if rng.random() < 0.5:
        words += ["--where", rng.choice(("train.micro_batch <= 4", "memory.peak < 60GB", "mesh.dp >= 2"))]
    if rng.random() < 0.5:
        words += ["--exhaustive"]
    return words


def sized(bench, rng, least, most):
    """A random space with so many candidates."""
    while True:
        words = random_space(rng)
        space = [words[0]]  # the lines that `--count` has a use for
        for option, value in zip(words, words[1:]):
            space += [option, value] if option in ("--fill", "--vary", "--where") else []
        count = int(bench.good(*space, "--count").split()[0].replace(",", ""))
        if least <= count <= most:
            return words, count


def killed(bench, count):
    """Each search is killed at random moments, and goes on, until it ends by itself."""
    rng = random.Random(20261123)
    kills = partly = 0
    for number in range(count):
        words, size = sized(bench, rng, 2000, 16000)
        begin = time.monotonic()
        whole, errors, code = bench.run(*words)
        took = time.monotonic() - begin
        store = f"{number}.db"
        words += ["--store", store, "--resume", "--keep", rng.choice(("best", "all"))]
        for attempt in range(20):
            process = bench.start(*words, "--threads", str(rng.choice((1, 2))))
            try:
                out, _ = process.communicate(timeout=took * rng.uniform(0, 1.1) if attempt < 3 else 300)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                kills += 1
                if (bench.folder / store).exists() and (bench.folder / store).stat().st_size:
                    left = bench.run("report", store)[0]
                    partly += "of them were decided" in left
                continue
            break
        if (out, process.returncode) != (whole, code):
            sys.exit(f"search {number}, {' '.join(words)}:\n{whole}\nresumed:\n{out}")
        if bench.run("report", store)[0] != whole:
            sys.exit(f"search {number}, {' '.join(words)}: its report differs")
    print(f"{count} searches, {kills} kills, {partly} of them left a part")
    if kills == 0 or partly == 0:
        sys.exit("nothing was killed on the way")


def part_of(bench, words, stop, wait):
    """What a search says that is stopped after so many seconds, or after fewer where it had ended by then: how long it takes is the machine's affair."""
    store = bench.folder / "a.db"
    before = store.read_bytes() if store.exists() else None
    while True:
        process = bench.start(*words, "--progress", "plain", *(["--time", f"{wait:.3f}s"] if stop == "time" else []))
        if stop == "SIGINT":
            time.sleep(wait)
            process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=300)
        if "of them were decided" in out or wait < 0.02:
            return out, errors, process.returncode
        wait /= 2
        store.unlink()
        if before is not None:
            store.write_bytes(before)


def stopped(bench, _):
    """`--time` and Ctrl-C leave a part, say so, and are gone on from; progress counts what is left of the whole."""
    words = ["small.plan", *LARGE, "--exhaustive", "--threads", "1"]
    begin = time.monotonic()
    whole = bench.good(*words, "--progress", "plain")
    took = time.monotonic() - begin
    words += ["--store", "a.db", "--resume"]
    for stop in ("time", "SIGINT"):
        out, errors, code = part_of(bench, words, stop, 0.4 * took)
        if code != 0 or "of them were decided" not in out or "a.db has the results so far: `--resume` continues" not in errors:
            sys.exit(f"{stop}: exit {code}\n{out}{errors}")
        if bench.good("report", "a.db") != out:
            sys.exit(f"{stop}: the report of the part differs")
        for line in errors.splitlines()[:-1]:
            if not re.fullmatch(r"\d+\.\d % of the candidates, \d+ priced per second and core(, [^,]+)*", line):
                sys.exit(f"progress: {line}")
    if bench.good(*words) != whole:
        sys.exit("another answer, resumed")
    # Of a space that no set of blocks holds the store is small, and so is the memory.
    lists = {"cluster.device.memory": [f"{n}GB" for n in range(100, 2100)], "cluster.node.bandwidth": [f"{n}GB/s" for n in range(100, 2100)],
             "train.seq": range(1024, 3024), "mesh.tp": (1, 2, 4), "train.micro_batch": (1, 2, 4), "train.global_batch": range(64, 128001, 64)}
    huge = ["small.plan", *[word for path, values in lists.items() for word in ("--vary", f"{path} in [{', '.join(map(str, values))}]")],
            "--fill", "mesh.dp", "--time", "2s", "--store", "huge.db", "--resume"]
    for _ in range(2):
        bench.good(*huge, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)))


def shards(bench, _):
    """The answer of 1, 3 and 16 shards is that of one machine; what is missing is named."""
    rng = random.Random(7)
    for _ in range(2):
        words, size = sized(bench, rng, 16000, 40000)
        for form in ("text", "json"):
            whole = bench.good(*words, "--format", form)
            for count in (1, 3, 16) if form == "text" else (3,):
                stores = [f"{form}{size}.{i}of{count}.db" for i in range(count)]
                for i, store in enumerate(stores):
                    bench.run(*words, "--store", store, "--shard", f"{i}/{count}", "--keep", "all" if count == 3 else "best")
                out = f"{form}{size}.{count}.db"
                bench.good("merge", out, *stores)
                if bench.good("report", out, "--format", form) != whole:
                    sys.exit(f"{count} shards of {' '.join(words)}: another answer")
                if count == 3:
                    rows = bench.good("report", out, "--rows").splitlines()
                    one = [row for store in stores for row in bench.good("report", store, "--rows").splitlines()[1:]]
                    if sorted(rows[1:]) != sorted(one) or len(rows) < 10:
                        sys.exit(f"{len(rows)} rows, {len(one)} in the shards")
                if count == 16:
                    bench.refused(1, "shards 2/16, 5/16 are missing", "merge", "no.db", *[s for i, s in enumerate(stores) if i not in (2, 5)])
                    (bench.folder / stores[2]).unlink()
                    bench.refused(1, f"shard 2/16 is missing; {stores[2]} does not exist", "merge", "no.db", *stores)
    for name, environment in (("auto", {"SLURM_ARRAY_TASK_ID": "6", "SLURM_ARRAY_TASK_MIN": "2", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_STEP": "2"}),
                              ("auto/3", {"JOB_COMPLETION_INDEX": "2"})):
        store = f"{name[:4]}{len(name)}.db"
        bench.good("small.plan", "--vary", "mesh.tp in [1, 2, 4]", "--fill", "mesh.dp", "--store", store, "--resume", "--shard", name, environment=environment.items())
        bench.refused(1, "is the store of another shard, 2/3, but 1/3 is given now", "small.plan", "--vary", "mesh.tp in [1, 2, 4]", "--fill", "mesh.dp",
                      "--store", store, "--resume", "--shard", "1/3")


def front(bench, _):
    """A front that nothing bounds: its rows are, and the store has all."""
    words = ["small.plan", "--fill", "mesh.dp", "--vary", "mesh.tp in [1, 2, 4, 8]", "--vary", "recompute in [none, decoder.attn.core, decoder]",
             "--vary", "cluster.node.bandwidth in [%s]" % ", ".join(f"{i}GB/s" for i in range(300, 900)), "--minimize", "step_time", "--minimize", "tokens_per_second"]
    out, errors, code = bench.run(*words, "--store", "a.db", "--format", "csv")
    found = re.search(r"the front has ([\d,]+) candidates; the first 1,000 are shown", errors)
    if code != 0 or not found or out.count("\n") != 1001:
        sys.exit(f"exit {code}, {out.count(chr(10))} lines\n{errors}")
    size = int(found[1].replace(",", ""))
    if bench.good("report", "a.db", "--rows").count(",met,") < size:
        sys.exit(f"less than {size} rows of the front are stored")
    if bench.good("report", "a.db", "--format", "csv") != out:
        sys.exit("another front from the store")
    print(f"a front of {size}")


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (49152, 49152))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def refused(bench, _):
    """What is wrong with a store is said, and the store is left as it is."""
    few = ["small.plan", "--vary", "mesh.tp in [1, 2, 4]", "--fill", "mesh.dp"]
    whole = bench.good(*few)
    if bench.good(*few, "--store", "a.db") != whole:
        sys.exit("another answer with a store")
    before = (bench.folder / "a.db").read_bytes()
    bench.refused(2, "a.db already exists", *few, "--store", "a.db")
    errors = bench.refused(1, "a.db belongs to another search: --top is 10 in it, but 3 in the current options", *few, "--store", "a.db", "--resume", "--top", "3")
    if "name another file" not in errors:
        sys.exit(errors)
    bench.refused(1, "a.db belongs to another search: what is varied is mesh.tp in it, but mesh.tp; mesh.pp in", *few, "--store", "a.db", "--resume", "--vary", "mesh.pp in [1, 2]")
    bench.refused(1, "a.db belongs to another search: `vary mesh.tp` is [1, 2, 4] in it, but [1, 2] in", "small.plan", "--vary", "mesh.tp in [1, 2]", "--fill", "mesh.dp", "--store", "a.db", "--resume")
    bench.refused(1, "--keep is best in it, but all in", *few, "--store", "a.db", "--resume", "--keep", "all")

    # A changed constant of the library: its digest, and ours beside it.
    cluster = bench.folder / "ours.plan"
    cluster.write_text(CLUSTER.replace("79GB", "78GB"))
    errors = bench.refused(1, "a.db belongs to another search: file ours.plan is ", "report", "a.db")
    if "--rows" not in errors or errors.count("…") != 2:
        sys.exit(errors)
    bench.refused(1, "file ours.plan is ", *few, "--store", "a.db", "--resume")
    bench.good(*few, "--store", "other.db", "--shard", "1/2")
    cluster.write_text(CLUSTER)
    bench.good(*few, "--store", "half.db", "--shard", "0/2")
    bench.refused(1, "other.db belongs to another search: file ours.plan is ", "merge", "no.db", "half.db", "other.db")
    if (bench.folder / "no.db").exists():
        sys.exit("a merge that was refused left a file")
    with sqlite3.connect(bench.folder / "half.db") as half:
        half.execute("UPDATE fact SET value = 'abc' WHERE name = 'library'")
    half.close()
    bench.refused(1, "half.db belongs to another search: library is abc in it, but ", *few, "--store", "half.db", "--shard", "0/2", "--resume")
    with sqlite3.connect(bench.folder / "half.db") as half:
        half.execute("UPDATE fact SET value = '0.0.9' WHERE name = 'planc'")
    half.close()
    bench.refused(1, "other.db belongs to another search: planc is ", "merge", "no.db", "half.db", "other.db")
    if "\n" not in bench.good("report", "half.db", "--rows"):
        sys.exit("no rows")

    # Files of others, locks, disks.
    (bench.folder / "text.db").write_text("x" * 5000)
    sqlite3.connect(bench.folder / "foreign.db").execute("CREATE TABLE a(b)").connection.close()
    for words in (["report", "text.db"], [*few, "--store", "text.db", "--resume"], ["merge", "no.db", "text.db"]):
        bench.refused(2, "text.db is not a store of a search, or it is damaged", *words)
    bench.refused(2, "foreign.db is a database of SQLite, but not a store of a search", "report", "foreign.db")
    bench.refused(2, "foreign.db is a database", *few, "--store", "foreign.db", "--resume")
    bench.refused(2, "absent.db does not exist", "report", "absent.db")
    bench.refused(2, "its folder does not exist", *few, "--store", "no/such/a.db")
    held = sqlite3.connect(bench.folder / "a.db", isolation_level=None)
    held.execute("BEGIN EXCLUSIVE")
    for words in (["report", "a.db"], [*few, "--store", "a.db", "--resume"]):
        bench.refused(2, "a.db is locked: another process has it open", *words)
    held.execute("ROLLBACK")
    held.close()
    many = ["small.plan", *LARGE, "--exhaustive"]
    out, errors, code = bench.run(*many, "--store", "full.db", "--keep", "all", preexec_fn=limit_files, restore_signals=False)
    if code != 2 or out or "full.db cannot be" not in errors or "--resume" not in errors or "are lost" not in errors:
        sys.exit(f"full disk: exit {code}\n{out}{errors}")
    if bench.good(*many, "--store", "full.db", "--keep", "all", "--resume") != bench.good(*many):
        sys.exit("another answer behind a full disk")

    # Rows that were cut off or changed since.
    whole_store = (bench.folder / "a.db").read_bytes()
    for cut in (300, 4096):
        (bench.folder / "cut.db").write_bytes(whole_store[:-cut])
        for words in (["report", "cut.db"], [*few, "--store", "cut.db", "--resume"], ["merge", "no.db", "cut.db"]):
            bench.refused(2, "damaged", *words)
    for change in ("UPDATE kept SET goal_1 = goal_1 * 2", "DELETE FROM header", "UPDATE header SET value = '99999999999' WHERE name = 'shards'",
                   "DELETE FROM kept WHERE what = 'best'", "UPDATE header SET name = 'zz' WHERE name = 'goals'"):
        (bench.folder / "cut.db").write_bytes(whole_store)
        changed = sqlite3.connect(bench.folder / "cut.db", isolation_level=None)
        changed.execute(change)
        changed.close()
        bench.refused(2, "cut.db is damaged", "report", "cut.db")

    # Outputs over what was read, or over a store.
    for option, path, why in (("--svg", "small.plan", "is a file that was read"), ("--svg", "ours.plan", "is a file that was read"), ("--svg", "a.db", "is a database"),
                              ("-o", "ours.plan", "is a file that was read"), ("-o", "a.db", "is a database"), ("-o", "", "is empty"), ("-o", ".", "is a folder"),
                              ("-o", "no/such.plan", "the folder of no/such.plan does not exist")):
        bench.refused(2, why, *few, *(["--apply", "1"] if option == "-o" else []), option, path)

    # Senseless words.
    bench.refused(2, "`--shard` needs a `--store`", *few, "--shard", "0/2")
    bench.refused(2, "`--resume` needs a `--store`", *few, "--resume")
    bench.refused(2, "asks for shard 2 of 2, but shards are numbered from 0 to 1", *few, "--store", "b.db", "--shard", "2/2")
    bench.refused(2, "finds neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX", *few, "--store", "b.db", "--shard", "auto")
    bench.refused(2, "`--top` has no effect on `planc search report`", "report", "a.db", "--top", "3")
    bench.refused(2, "`--rows` has no effect on `planc search merge`", "merge", "b.db", "a.db", "--rows")
    if bench.good("report", "a.db", "--apply", "1") != bench.good(*few, "--apply", "1"):
        sys.exit("another plan, applied from a store")
    bench.refused(2, "takes a new store and those of all shards", "merge", "a.db")
    bench.refused(2, "a.db already exists", "merge", "a.db", "a.db")
    if (bench.folder / "a.db").read_bytes() != before:
        sys.exit("a store that was refused was changed")
    if bench.good(*few, "--store", "a.db", "--resume") != whole:
        sys.exit("another answer, resumed")


if __name__ == "__main__":
    suite = {"killed": killed, "stopped": stopped, "shards": shards, "front": front, "refused": refused}[sys.argv[2]]
    wanted = int(sys.argv[3] if len(sys.argv) > 3 else os.environ.get("PLANC_KILLED_SEARCHES", 6))
    with tempfile.TemporaryDirectory() as temporary:
        bench = Bench(Path(sys.argv[1]).resolve(), temporary)
        suite(bench, wanted)
        print(f"{bench.ran} commands")
