# Many plans of one file against each of them alone: the same bytes, wherever they wait until they are printed.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import resource
import subprocess
import sys

planc, example, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
folder.mkdir(exist_ok=True)
path = folder / "many.plan"
PLANS = 48
BODIES = {7: "override recompute none",  # does not fit
          23: "override train.global_batch = 63",  # an error
          30: "run = {tokens = 1e12tokens, mtbf = 1600h, restart = 10min, checkpoint = 3min}",
          41: "run = {tokens = 2e12tokens, mtbf = 1600h, restart = 10min, checkpoint = 3min}"}
names = [f"p{i:02}" for i in range(PLANS)]
head = example.read_text()
path.write_text(head[:head.index("/// The same recipe")] +
                "".join(f"plan {n} extends gpt3_175b {{ {BODIES.get(i, '')} }}\n" for i, n in enumerate(names)))
names.insert(0, "gpt3_175b")
spool = folder / "spool"
spool.mkdir(exist_ok=True)


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))


def estimate(form, *choices, code=None, tmp=spool, **how):
    words = [planc, "estimate", str(path), "--format", form, *(w for c in choices for w in ("--plan", c))]
    run = subprocess.run(words, stdout=subprocess.PIPE, stderr=how.pop("stderr", subprocess.PIPE), env={**os.environ, "TMPDIR": str(tmp)}, **how)
    assert code is None or run.returncode == code, (words, run.returncode, run.stderr)
    return run


def parts(document):
    """Of the text of a document: what opens it, its plans, what closes it."""
    opening, rest = document.split('  "plans": [', 1)
    if rest.startswith("]"):
        return opening, "", rest[1:]
    plans, closing = rest.split("\n  ],", 1)
    return opening, plans, "," + closing


# JSON: the plans alone, one behind the other; what is wrong with some of them stands behind all.
run = estimate("json", code=1)
opening, plans, closing = parts(run.stdout.decode())
each = [parts(estimate("json", name).stdout.decode()) for name in names]
assert all(e[0] == opening for e in each)
assert plans == ",".join(e[1] for e in each if e[1]), "plans differ from those alone"
found = json.loads(run.stdout)
assert len(found["plans"]) == PLANS and "p23" not in [p["name"] for p in found["plans"]]
assert each[24][1] == "" and each[8][1] != ""  # an error leaves nothing to report; what does not fit is reported
alone = sum((json.loads(f"{{{e[2].lstrip(',')}")["diagnostics"] for e in each), [])
key = json.dumps
assert sorted({key(d) for d in alone}) == sorted(key(d) for d in found["diagnostics"]) and len(found["diagnostics"]) == 2
assert len(run.stdout) > 5 << 20, "all of it is held in memory"

# In one stream with the diagnostics, the document is whole and behind them.
both = estimate("json", code=1, stderr=subprocess.STDOUT).stdout
assert both == run.stderr + run.stdout

# Wherever it waits: no folder for temporary files, no room in it. Nothing stays there.
assert estimate("json", code=1, tmp=folder / "nowhere").stdout == run.stdout
assert estimate("json", code=1, preexec_fn=small_files, restore_signals=False).stdout == run.stdout
assert not list(spool.iterdir())
with open("/dev/full", "w") as full:
    failed = subprocess.run([planc, "estimate", str(path), "--format", "json"], stdout=full, stderr=subprocess.PIPE)
assert failed.returncode == 2 and b"standard output cannot be written" in failed.stderr

# CSV: the tables alone, without their headers but for the first.
tables = estimate("csv", code=1).stdout.decode().split("\n\n")
alone = [estimate("csv", name).stdout.decode().split("\n\n") for name in names]


def joined(table):
    rows = [a[table].splitlines() for a in alone if len(a) > table and a[table]]
    return rows[0][:1] + [line for r in rows for line in r[1:]]


assert [t.splitlines() for t in tables] == [joined(0), joined(1)]
assert {line.split(",")[0] for line in tables[1].splitlines()[1:]} == {"p30", "p41"}

# The levels of the IR.
text = subprocess.run([planc, "compile", str(path), "--format", "json"], capture_output=True)
assert [p["name"] for p in json.loads(text.stdout)["plans"]] == [n for n in names if n != "p23"]
print("all alike")
