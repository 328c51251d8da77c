#!/usr/bin/env python3
"""What is wrong with packages, by mistake or on purpose: each case has a code, a place and a way out, and never a half of a package.

Usage: mistakes.py PLANC
"""
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from repositories import CLUSTER, MANIFEST, PLAN, SETTINGS, World

PACKAGE = MANIFEST.format(name="acme", version="1.0.0")
POD = {"clusters/pod.plan": CLUSTER.format(bandwidth="50GB/s")}
IMPORT = "import base.clusters.pod as pods\n\nexport let four = pods.pod(nodes = 4)\n"
# What planc.toml says, the code that it gets, and a part of the message.
MANIFESTS = [
    (PACKAGE.replace('"acme"', '"Acme"'), "PLAN0110", "not a name: `Acme`"),
    (PACKAGE.replace('"acme"', '"std"'), "PLAN0110", "the library that comes with planc"),
    (PACKAGE.replace('"1.0.0"', '"1.0"'), "PLAN0110", "not a version: `1.0`"),
    (PACKAGE.replace('"1.0.0"', '"01.0.0"'), "PLAN0110", "not a version: `01.0.0`"),
    (PACKAGE.replace('["clusters"]', '["../clusters"]'), "PLAN0110", "not a path of a module"),
    (PACKAGE.replace('exports = ["clusters"]\n', ""), "PLAN0110", "`package.exports` is missing"),
    (PACKAGE.replace('edition = "2026"\n', ""), "PLAN0110", "`package.edition` is missing"),
    (PACKAGE.replace('"2026"', '"1999"'), "PLAN0111", "`1999`"),
    (PACKAGE + 'planc = ">=99.1"\n', "PLAN0112", "needs planc >=99.1"),
    (PACKAGE + 'planc = "1.0"\n', "PLAN0110", "not a minimum version: `1.0`"),
    (PACKAGE + "licence = \"MIT\"\n", "PLAN1103", "no key `licence`"),
    (PACKAGE.replace('"acme"', "7"), "PLAN1104", "must be a text"),
    ("[dependencies]\nbase = \"1.0\"\n", "PLAN1104", "must be a table"),
    ("[dependencies]\nbase = { }\n", "PLAN0110", "neither a folder nor a repository"),
    ("[dependencies]\nbase = { path = \"../base\", git = \"https://h/r\", tag = \"v1.0.0\" }\n", "PLAN0110", "both a folder and a repository"),
    ("[dependencies]\nbase = { git = \"https://h/r\" }\n", "PLAN0110", "without a tag"),
    ("[dependencies]\nbase = { git = \"https://h/r\", tag = \"main\" }\n", "PLAN0110", "not a version: `main`"),
    ("[dependencies]\nbase = { git = \"https://h/r\", branch = \"main\" }\n", "PLAN1103", "no key `branch`"),
    ("[dependencies]\nbase = { git = \"--upload-pack=touch /tmp/x\", tag = \"v1.0.0\" }\n", "PLAN0110", "not an address"),
    ("[dependencies]\nbase = { git = \"ext::sh -c touch% /tmp/x\", tag = \"v1.0.0\" }\n", "PLAN0110", "not an address"),
    ("[dependencies]\nbase = { git = \"ext::sh\", tag = \"v1.0.0\" }\n", "PLAN0110", "not an address"),
    ("[dependencies]\nbase = { git = \"ssh://-oProxyCommand=x/r\", tag = \"v1.0.0\" }\n", "PLAN0110", "not an address"),
    (PACKAGE + "[dependencies]\nacme = { path = \"../acme\" }\n", "PLAN0110", "the package itself"),
    ("[dependencies\n", "PLAN1102", "not valid TOML"),
]
SECRET = "hunter2"


def place_of(said, code):
    """The file and line at which a code is told."""
    found = re.search(rf"\[{code}\][^\n]*\n +--> ([^\n:]+):(\d+)", said)
    assert found, f"{code} has no place:\n{said}"
    return found[1]


def told(world, folder, code, text, *words, file=None):
    """A command fails with this code, at a place, and says so much."""
    done = subprocess.run([world.planc_path, *words], capture_output=True, text=True, cwd=world.root / folder, env=world.environment, stdin=subprocess.DEVNULL, timeout=300)
    said = done.stdout + done.stderr
    assert done.returncode == 1 and f"[{code}]" in said and text in said, f"{words} in {folder}: not {code} with `{text}` (exit code {done.returncode})\n{said}"
    assert "help:" in said or code in ("PLAN1101", "PLAN1102", "PLAN1103", "PLAN1104"), f"no way out:\n{said}"
    place = place_of(said, code)
    assert file is None or place == file, f"{code} is told of {place}, not of {file}"
    assert SECRET not in said
    return said


def manifests(world):
    for i, (text, code, part) in enumerate(MANIFESTS):
        world.write({"planc.toml": text, "clusters/pod.plan": POD["clusters/pod.plan"]}, f"manifest{i}")
        told(world, f"manifest{i}", code, part, "lib", "fetch", file="planc.toml")
        if code != "PLAN1102" and "[package]" in text and code in ("PLAN0111", "PLAN0112"):
            told(world, f"manifest{i}", code, part, "check", "clusters", file="planc.toml")
    return len(MANIFESTS)


def secrets(world):
    """A password in an address is not shown, not even where the line is, and is not written."""
    for address in (f"https://me:{SECRET}@git.example/r.git", f"https://{SECRET}@git.example/r.git", f"ssh://me:{SECRET}@git.example/r.git", f"https://me:x/{SECRET}@git.example/r.git",
                    f"me:{SECRET}@git.example:r.git", f"https://git.example/r.git?private_token={SECRET}"):
        world.write({"planc.toml": f'[dependencies]\nbase = {{ git = "{address}", tag = "v1.0.0" }}\n', "a.plan": IMPORT}, "secret")
        for words in (["lib", "fetch"], ["check", "a.plan"], ["lib", "tree"]):
            told(world, "secret", "PLAN0113", "`base`", *words, file="planc.toml")
        for words in (["config"], ["lib", "add", "other", "--git", address]):
            done = subprocess.run([world.planc_path, *words], capture_output=True, text=True, cwd=world.root / "secret", env=world.environment)
            assert SECRET not in done.stdout + done.stderr, done.stdout + done.stderr
        assert not (world.root / "secret/planc.lock").exists()
    world.write({"planc.toml": f'[dependencies\nbase = {{ git = "https://me:{SECRET}@git.example/r.git" }}\n'}, "secret")
    told(world, "secret", "PLAN1102", "not valid TOML", "lib", "fetch")
    world.write({"planc.lock": f'format = "1"\n[[package]]\nname = "base"\nversion = "1.0.0"\ngit = "https://me:{SECRET}@h/r"\ntag = "v1.0.0"\n', "planc.toml": "[dependencies]\nbase = { git = \"https://h/r\", tag = \"v1.0.0\" }\n"}, "secret")
    told(world, "secret", "PLAN0118", "address", "check", "a.plan", file="planc.lock")


def choice(world):
    """Circles, two majors, two origins, other names, versions that are none."""
    world.library("base", "1.0.0", POD)
    world.library("base", "2.0.0", POD)
    world.library("left", "1.0.0", {"clusters/a.plan": IMPORT}, world.line("base", "1.0.0"))
    world.library("right", "1.0.0", {"clusters/a.plan": IMPORT}, world.line("base", "2.0.0"))
    world.library("ring", "1.0.0", POD, f'ring_back = {{ git = "{world.address("ring_back")}", tag = "v1.0.0" }}\n')
    world.library("ring_back", "1.0.0", POD, world.line("ring", "1.0.0"))
    world.library("app", "1.0.0", POD)
    world.library("leads_back", "1.0.0", POD, world.line("app", "1.0.0"))
    world.library("other", "1.0.0", POD)
    world.library("outside", "1.0.0", POD, 'lab = { path = "../lab" }\n')
    shutil.copytree(world.root / "remotes/base", world.root / "remotes/fork")
    world.library("uses_fork", "1.0.0", POD, world.line("base", "1.0.0").replace("remotes/base", "remotes/fork"))
    world.git("remotes/other", "tag", "v3.0.0")
    world.write({"planc.toml": MANIFEST.format(name="base", version="1.0.0"), **POD}, "own/base")
    world.write({"planc.toml": MANIFEST.format(name="base", version="2.0.0"), **POD}, "own/later")
    for lines, code, part in [
            (world.line("left", "1.0.0") + world.line("right", "1.0.0"), "PLAN0115", "two incompatible versions of `base` are required: 1.0.0 and 2.0.0"),
            (world.line("ring", "1.0.0"), "PLAN0114", "ring -> ring_back -> ring"),
            (world.line("left", "1.0.0") + world.line("uses_fork", "1.0.0"), "PLAN0116", "remotes/fork"),
            (world.line("other", "1.0.0").replace("other =", "another ="), "PLAN0117", "called `other` in its own planc.toml"),
            (world.line("other", "3.0.0"), "PLAN0117", "version 1.0.0 according to its planc.toml"),
            (world.line("other", "1.7.0"), "PLAN0128", "no tag `v1.7.0`"),
            (world.line("outside", "1.0.0"), "PLAN0131", "`../lab`"),
            ('base = { path = "../own/base" }\n' + world.line("right", "1.0.0"), "PLAN0132", "`right` requires `base` 2.0.0"),
            ('base = { path = "../own/later" }\n' + world.line("left", "1.0.0"), "PLAN0132", "`left` requires `base` 1.0.0"),
            ('base = { path = "../nowhere" }\n', "PLAN0120", "is not a package"),
            (f'gone = {{ git = "file://{world.root}/remotes/gone", tag = "v1.0.0" }}\n', "PLAN0127", "cannot be read"),
    ]:
        world.write({"planc.toml": "[dependencies]\n" + lines}, "choice")
        told(world, "choice", code, part, "lib", "fetch")
        assert not (world.root / "choice/planc.lock").exists(), f"{code} leaves a lock"
    world.write({"planc.toml": MANIFEST.format(name="app", version="1.0.0") + "\n[dependencies]\n" + world.line("leads_back", "1.0.0")}, "choice")
    told(world, "choice", "PLAN0114", "app -> leads_back -> app", "lib", "fetch")
    world.write({"planc.toml": "[dependencies]\n" + world.line("base", "1.0.0")}, "choice")
    said = told_without_git(world)
    assert "PLAN0126" in said, said


def told_without_git(world):
    (world.root / "empty").mkdir(exist_ok=True)
    done = subprocess.run([world.planc_path, "lib", "fetch"], capture_output=True, text=True, cwd=world.root / "choice", env={**world.environment, "PATH": str(world.root / "empty")})
    assert done.returncode == 1
    return done.stdout + done.stderr


def tree_of(world, folder, lines):
    """A tree object of `MODE TYPE OBJECT\\tPATH` lines, of which no checkout could be made."""
    done = subprocess.run(["git", "-C", str(world.root / folder), "mktree", "--missing"], input="".join(line + "\n" for line in lines), capture_output=True, text=True, env=world.environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def commit_of(world, folder, tree, tag):
    commit = world.git(folder, "commit-tree", tree, "-m", "x").strip()
    world.git(folder, "tag", "-f", tag, commit)


def blob_of(world, folder, text):
    done = subprocess.run(["git", "-C", str(world.root / folder), "hash-object", "-w", "--stdin"], input=text, capture_output=True, text=True, env=world.environment)
    return done.stdout.strip()


def hostile(world):
    """Repositories that nobody should make: nothing of them is written, and each is told why."""
    world.library("evil", "1.0.0", POD)
    folder = "remotes/evil"
    toml = blob_of(world, folder, MANIFEST.format(name="evil", version="1.0.0"))
    pod = blob_of(world, folder, POD["clusters/pod.plan"])
    link = blob_of(world, folder, "/etc/passwd")
    manifest = f"100644 blob {toml}\tplanc.toml"
    clusters = tree_of(world, folder, [f"100644 blob {pod}\tpod.plan"])
    thousand = tree_of(world, folder, [f"100644 blob {pod}\tf{i}.plan" for i in range(1000)])
    many = tree_of(world, folder, [f"040000 tree {thousand}\td{i}" for i in range(200)])
    million = tree_of(world, folder, [f"040000 tree {thousand}\td{i}" for i in range(1000)])
    billion = tree_of(world, folder, [f"040000 tree {million}\te{i}" for i in range(1000)])
    commit = world.git(folder, "rev-parse", "v1.0.0").strip()
    cases = [
        ([manifest, f"120000 blob {link}\tclusters"], "PLAN0122", "`clusters`: it is a link"),
        ([manifest, f"040000 tree {tree_of(world, folder, [f'120000 blob {link}{chr(9)}pod.plan'])}\tclusters"], "PLAN0122", "`clusters/pod.plan`: it is a link"),
        ([f"120000 blob {link}\tplanc.toml", f"040000 tree {clusters}\tclusters"], "PLAN0122", "`planc.toml`: it is a link"),
        ([manifest, f"160000 commit {commit}\tclusters"], "PLAN0122", "`clusters`: it is not a file"),
        ([manifest, f"040000 tree {tree_of(world, folder, [f'100644 blob {pod}{chr(9)}Pod.plan', f'100644 blob {pod}{chr(9)}pod.plan'])}\tclusters"], "PLAN0122", "some systems cannot distinguish it"),
        ([manifest, f"040000 tree {tree_of(world, folder, [f'100644 blob {pod}{chr(9)}a:b.plan'])}\tclusters"], "PLAN0122", "characters that not every system takes"),
        ([manifest, f"040000 tree {many}\tclusters"], "PLAN0122", "more than 100000 files"),
        ([manifest, f"040000 tree {million}\tclusters"], "PLAN0127", "it exceeds the size limit"),
        ([manifest, f"040000 tree {billion}\tclusters"], "PLAN0127", "it exceeds the size limit"),
        ([f"040000 tree {clusters}\tclusters"], "PLAN0120", "is not a package"),
    ]
    world.write({"planc.toml": "[dependencies]\n" + world.line("evil", "1.0.0"), "a.plan": IMPORT.replace("base", "evil")}, "victim")
    for lines, code, part in cases:
        commit_of(world, folder, tree_of(world, folder, lines), "v1.0.0")
        told(world, "victim", code, part, "lib", "fetch")
        assert not (world.root / "victim/planc.lock").exists() and not (world.root / "victim/vendor").exists()
    up = subprocess.run(["git", "-C", str(world.root / folder), "hash-object", "-t", "tree", "-w", "--stdin", "--literally"], capture_output=True, env=world.environment,
                        input=b"40000 ..\0" + bytes.fromhex(clusters) + b"100644 planc.toml\0" + bytes.fromhex(toml)).stdout.decode().strip()
    commit_of(world, folder, up, "v1.0.0")
    told(world, "victim", "PLAN0127", "cannot be read", "lib", "fetch")
    cached = [p for p in (world.root / "home/cache").rglob("*") if "evil" in p.read_text()] if (world.root / "home/cache").exists() else []
    assert not cached, cached
    return len(cases) + 1


def locks(world):
    """Locks that do not fit, cannot be read, or mean other bytes; tags that move."""
    world.write({"planc.toml": "[dependencies]\n" + world.line("base", "1.0.0"), "a.plan": IMPORT}, "locks")
    world.planc("locks", "lib", "fetch")
    good = (world.root / "locks/planc.lock").read_text()
    digest = re.search(r'sha256 = "(\w+)"', good)[1]
    for text, code, part in [
            (good.replace('version = "1.0.0"', 'version = "x"'), "PLAN0118", "`base` has no version"),
            (good.replace(digest, "0" * 64), "PLAN0118", "do not match its `sha256`"),
            (good.replace('format = "1"', 'format = "9"'), "PLAN0118", "its format is not"),
            (good + good[good.index("\n[[package]]"):], "PLAN0118", "out of order"),
            (good[:-40], "PLAN0118", "cannot be read"),
            ("", "PLAN0118", "its format is not"),
            ('format = "1"\n', "PLAN0119", "it has no `base`"),
            (good.replace(world.address("base"), world.address("fork")), "PLAN0119", "locked from"),
            (good.replace('"1.0.0"', '"2.0.0"').replace('"v1.0.0"', '"v2.0.0"'), "PLAN0119", "`base` is locked at 2.0.0, but 1.0.0 is required"),
            (good.replace('"1.0.0"', '"1.0.0-rc.1"'), "PLAN0119", "`base` is locked at 1.0.0-rc.1, but 1.0.0 is required"),
            (good.replace('"1.0.0"', '"1.7.0"'), "PLAN0119", "`base` is base 1.0.0 according to its planc.toml"),
    ]:
        (world.root / "locks/planc.lock").write_text(text)
        told(world, "locks", code, part, "check", "a.plan")
    (world.root / "locks/planc.lock").write_text(good + '\n[[package]]\nname = "zebra"\npath = "../remotes/fork"\n')
    told(world, "locks", "PLAN0119", "no package requires `zebra`", "lib", "verify", file="planc.toml")
    told(world, "locks", "PLAN0135", "zebra in ../remotes/fork gone", "lib", "fetch", "--locked", file="planc.toml")
    world.planc("locks", "lib", "fetch", says="zebra in ../remotes/fork gone")
    assert (world.root / "locks/planc.lock").read_text() == good
    shutil.rmtree(world.root / "home/cache")
    told(world, "locks", "PLAN0130", "neither in `vendor/base` nor in the cache", "check", "a.plan", file="a.plan")
    told(world, "locks", "PLAN0130", "planc lib vendor", "lib", "verify", file="planc.lock")
    world.write({"clusters/pod.plan": CLUSTER.format(bandwidth="1GB/s")}, "remotes/base")
    world.git("remotes/base", "checkout", "-q", "v1.0.0")
    world.write({"clusters/pod.plan": CLUSTER.format(bandwidth="1GB/s")}, "remotes/base")
    world.git("remotes/base", "commit", "-q", "-a", "-m", "moved")
    world.git("remotes/base", "tag", "-f", "v1.0.0")
    told(world, "locks", "PLAN0129", "`clusters/pod.plan` differs", "lib", "fetch")


def imports(world):
    """Parts that a package does not have or does not export, and ways out of it."""
    package = MANIFEST.format(name="lab", version="1.0.0")
    world.write({"planc.toml": package, **POD, "inner/secret.plan": "export let a = 1\n", "clusters2/more.plan": "export let a = 1\n", "clusters/out.plan": 'import "../../app.plan" as app\n\nexport let b = app.a\n',
                 "clusters/inside.plan": "import lab.inner.secret as secret\n\nexport let c = secret.a\n"}, "lab")
    world.write({"planc.toml": '[dependencies]\nlab = { path = "../lab" }\n', "app.plan": "export let a = 1\n"}, "user")
    world.planc("user", "lib", "fetch", says="lab in ../lab new")
    for text, code, part in [
            ("import lab.clusters.pot as x\n", "PLAN0123", "did you mean `lab.clusters.pod`?"),
            ("import lab as x\n", "PLAN0123", "import a part of it"),
            ("import lab.inner.secret as x\n", "PLAN0124", "does not export `lab.inner.secret`"),
            ("import lab.clusters2.more as x\n", "PLAN0124", "does not export `lab.clusters2.more`"),
            ("import lib.clusters.pod as x\n", "PLAN0101", "did you mean `lab.clusters.pod`?"),
    ]:
        world.write({"plans/a.plan": text + "\nexport let b = x.a\n"}, "user")
        told(world, "user", code, part, "check", "plans", file="plans/a.plan")
    world.write({"plans/a.plan": "import lab.clusters.out as x\n\nexport let b = x.b\n"}, "user")
    told(world, "user", "PLAN0125", "is outside of the package", "check", "plans", file="../lab/clusters/out.plan")
    world.write({"plans/a.plan": "import lab.clusters.inside as x\n\nexport let b = x.c\n"}, "user")
    world.planc("user", "check", "plans")
    world.planc("lab", "check", "clusters/inside.plan")  # what lies in the folder itself needs no export, either
    lock = world.root / "user/planc.lock"
    good = lock.read_text()
    lock.write_text(good.replace("../lab", "../other"))
    told(world, "user", "PLAN0119", "`lab` is locked from ../other", "check", "plans", file="planc.toml")
    lock.write_text(good)
    world.write({"app.plan": "export let a = 1\n"})
    told(world, "lab", "PLAN0125", "is outside of the package", "check", "clusters", file="clusters/out.plan")
    (world.root / "lab/clusters/out.plan").unlink()
    (world.root / "lab/clusters/link.plan").symlink_to(world.root / "user/app.plan")
    told(world, "user", "PLAN0122", "`clusters/link.plan`: it is a link", "check", "plans")
    (world.root / "lab/clusters/link.plan").unlink()
    os.mkfifo(world.root / "lab/clusters/pipe.plan")
    told(world, "user", "PLAN0122", "`clusters/pipe.plan`: it is not a file", "check", "plans")


def folders(world):
    """A cache or a `vendor` that cannot be written."""
    shutil.rmtree(world.root / "home/cache", ignore_errors=True)
    (world.root / "home/cache").write_text("a file\n")
    world.library("fresh", "1.0.0", POD)
    world.write({"planc.toml": "[dependencies]\n" + world.line("fresh", "1.0.0")}, "folders")
    told(world, "folders", "PLAN0134", "the cache cannot be written", "lib", "fetch")
    (world.root / "home/cache").unlink()
    (world.root / "folders/vendor").write_text("a file\n")
    told(world, "folders", "PLAN0136", "`vendor/fresh` cannot be written", "lib", "vendor")


def run_nothing(world):
    """Folders of a stranger's clone that look like repositories of their own: their settings run no program."""
    ran = world.root / "ran"
    config = f'[core]\n repositoryformatversion = 0\n bare = true\n sshCommand = "touch {ran}; false"\n[remote "o"]\n url = file://{world.root}/remotes/base\n promisor = true\n uploadpack = "touch {ran}; false"\n'
    world.write({"HEAD": "ref: refs/heads/main\n", "config": config, "objects/.keep": "", "refs/.keep": "", "planc.toml": '[dependencies]\npods = { git = "ssh://nobody.invalid/x.git", tag = "v1.0.0" }\n', "a.plan": "let a = 1\n"}, "bare")
    for words in (["lib", "update"], ["lib", "fetch"], ["lib", "add", "zz", "--git", "ssh://nobody.invalid/x.git"], ["diff", "--against", "0a6082bef1e171b13e4f906cff6f5f02de1f2b0a", "a.plan"]):
        subprocess.run([world.planc_path, *words], capture_output=True, cwd=world.root / "bare", env=world.environment)
        assert not ran.exists(), words


def other_bytes(world):
    """Ways by which what is not locked could be priced."""
    shutil.rmtree(world.root / "home/cache", ignore_errors=True)
    world.library("calm", "1.0.0", {"clusters/pod.plan": "export let a = 1\n"})
    world.write({"planc.toml": "[dependencies]\n" + world.line("calm", "1.0.0"), "calm@1.0.0/clusters/pod.plan": "export let a = 2\n",
                 "plans/a.plan": 'import "../calm@1.0.0/clusters/pod.plan" as other\nimport calm.clusters.pod as pods\n\nassert pods.a == 1 and other.a == 2\n'}, "bytes")
    world.planc("bytes", "lib", "fetch")
    world.planc("bytes", "check", "plans")
    # A folder in the lock, where planc.toml says a repository.
    good = (world.root / "bytes/planc.lock").read_text()
    world.write({"planc.toml": MANIFEST.format(name="calm", version="1.0.0"), "clusters/pod.plan": "export let a = 7\n"}, "evil")
    (world.root / "bytes/planc.lock").write_text('format = "1"\n\n[[package]]\nname = "calm"\npath = "../evil"\n')
    told(world, "bytes", "PLAN0119", "but required from", "check", "plans", file="planc.toml")
    told(world, "bytes", "PLAN0135", "calm 1.0.0", "lib", "fetch", "--locked")
    (world.root / "bytes/planc.lock").write_text(good)
    # A copy in vendor/ by its path.
    world.planc("bytes", "lib", "vendor")
    world.write({"plans/a.plan": 'import "../vendor/calm/clusters/pod.plan" as pods\n\nlet a = pods.a\n'}, "bytes")
    told(world, "bytes", "PLAN0138", "import calm.", "check", "plans", file="plans/a.plan")
    world.write({"plans/a.plan": "import calm.clusters.pod as pods\n\nlet a = pods.a\n"}, "bytes")
    world.planc("bytes", "check", "plans")
    # What somebody else wrote into vendor/ stays, and so does what a link leads to.
    world.write({"vendor/calm/notes.txt": "mine\n", "vendor/calm/clusters/pod.plan": "export let a = 3\n", "vendor/mine/planc.toml": MANIFEST.format(name="mine", version="1.0.0"), "vendor/mine/work.py": "x\n"}, "bytes")
    told(world, "bytes", "PLAN0136", "`notes.txt` in it is not a file of a package", "lib", "vendor")
    (world.root / "bytes/vendor/calm/notes.txt").unlink()
    world.planc("bytes", "lib", "vendor", says=("calm 1.0.0 in vendor/calm", "vendor/mine was not removed"))
    shutil.move(world.root / "bytes/vendor", world.root / "away")
    (world.root / "bytes/vendor").symlink_to(world.root / "away")
    told(world, "bytes", "PLAN0121", "is a link", "check", "plans")
    told(world, "bytes", "PLAN0136", "it is a link", "lib", "vendor")
    assert (world.root / "away/mine/work.py").exists() and (world.root / "away/calm/planc.toml").exists()
    (world.root / "bytes/vendor").unlink()


def depths(world):
    """What a package itself asks for, a cache by a relative path, and what verify can say of a copy."""
    shutil.rmtree(world.root / "home/cache", ignore_errors=True)
    for version in ("1.0.0", "1.2.0"):
        world.library("deep", version, {"clusters/pod.plan": f"export let a = {version[2]}\n"})
    world.library("over", "1.0.0", {"clusters/a.plan": "import deep.clusters.pod as pods\n\nexport let b = pods.a\n"}, world.line("deep", "1.2.0"))
    world.write({"planc.toml": "[dependencies]\n" + world.line("over", "1.0.0"), "a.plan": "import over.clusters.a as over\n\nlet c = over.b\n"}, "depths")
    world.planc("depths", "lib", "fetch")
    lock = world.root / "depths/planc.lock"
    good = lock.read_text()
    world.write({"planc.toml": "[dependencies]\n" + world.line("deep", "1.0.0")}, "lower")
    world.planc("lower", "lib", "fetch")
    lower = (world.root / "lower/planc.lock").read_text()
    lock.write_text(lower.rstrip("\n") + "\n" + good[good.index('\n[[package]]\nname = "over"'):])
    told(world, "depths", "PLAN0119", "`deep` is locked at 1.0.0, but 1.2.0 is required", "check", "a.plan", file="over@1.0.0/planc.toml")
    lock.write_text(good)
    world.planc("depths", "check", "a.plan")
    environment = world.environment
    world.environment = {**environment, "PLANC_CACHE": "here"}
    told(world, "depths", "PLAN0134", "have no absolute path", "lib", "fetch")
    assert not (world.root / "depths/here").exists()
    world.environment = environment
    world.planc("depths", "lib", "vendor")
    world.write({"vendor/deep/clusters/more.plan": "let x = 1\n"}, "depths")
    told(world, "depths", "PLAN0137", "the package has no such file", "lib", "verify", file="vendor/deep/clusters/more.plan")
    (world.root / "depths/vendor/deep/clusters/more.plan").unlink()
    (world.root / "depths/vendor/deep/clusters/pod.plan").unlink()
    told(world, "depths", "PLAN0137", "it is missing", "lib", "verify", file="planc.lock")
    world.write({"vendor/deep/clusters/pod.plan": "export let a = 9\n"}, "depths")
    shutil.rmtree(world.root / "home/cache")
    world.write({"clusters/pod.plan": "export let a = 8\n"}, "remotes/deep")
    world.git("remotes/deep", "commit", "-q", "-a", "-m", "moved")
    world.git("remotes/deep", "tag", "-f", "v1.2.0")
    told(world, "depths", "PLAN0137", "the differing byte is unknown", "lib", "verify", file="vendor/deep/clusters/pod.plan")


def bounded(world):
    """What is small to send and endless to read."""
    world.write({"planc.toml": "[dependencies]\n# " + "://" * 340_000 + "\n"}, "long")
    subprocess.run([world.planc_path, "config"], capture_output=True, cwd=world.root / "long", env=world.environment, timeout=20)
    world.write({"planc.toml": "# " + "x" * (1 << 20) + "\n" + MANIFEST.format(name="wide", version="1.0.0")}, "wide_toml")
    world.write({"planc.toml": '[dependencies]\nwide = { path = "../wide_toml" }\n'}, "long")
    told(world, "long", "PLAN1101", "larger than 1 MiB", "lib", "fetch")
    for i in range(1010):
        world.write({"planc.toml": MANIFEST.format(name=f"c{i}", version="1.0.0") + f'[dependencies]\nc{i + 1} = {{ path = "../c{i + 1}" }}\n'}, f"chain/c{i}")
    world.write({"planc.toml": '[dependencies]\nc0 = { path = "../chain/c0" }\n'}, "long")
    told(world, "long", "PLAN0139", "more than 1000 package versions", "lib", "fetch")


def main(planc):
    with tempfile.TemporaryDirectory() as folder:
        world = World(planc, Path(folder).resolve())
        count = manifests(world)
        secrets(world)
        choice(world)
        count += hostile(world)
        locks(world)
        imports(world)
        folders(world)
        run_nothing(world)
        other_bytes(world)
        depths(world)
        bounded(world)
    print(f"{count} manifests and repositories, and locks, imports and folders")


if __name__ == "__main__":
    main(sys.argv[1])
