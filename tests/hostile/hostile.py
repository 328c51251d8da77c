#!/usr/bin/env python3
# Hostile input: every case ends in bounded time and memory with the expected exit code, and never with a crash.
# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

SECONDS = 10  # of the clock: the machine may be shared
CPU_SECONDS, MEMORY = 2, 500 << 20  # without sanitizers
MODEL = """import std.blocks
import std.ops
model m(layers: int = 2, hidden: int = 64) {
  in tokens: [batch, seq] int32 counts seq
  embed = blocks.embedding(tokens, 128, hidden)
  decoder * layers with x = embed {
    norm = blocks.rms_norm(x)
    mlp  = blocks.swiglu(norm, 128)
    out x + mlp
  }
  head = blocks.lm_head(decoder, 128)
  loss = ops.cross_entropy(head, tokens)
}
"""
PLAN = """plan p {
  model = m(%s)
  train { seq = 16; global_batch = %s; micro_batch = 1; optimizer = none }
  precision { compute = bf16 }
  mesh { dp = 1 }
}
"""
n = 100_000


def nested(name, depth, item):
    return "".join(f"let {name}{i} = {item.format(f'{name}{i - 1}' if i else 1)}\n" for i in range(depth))


def shared(end):
    """Forty lists of twice the one before: 2^40 items in 800 bytes."""
    return (nested("a", 40, "[{0}, {0}]") + end).encode()


def deep(stages):
    """A layer on each stage."""
    pipeline = f"mesh {{ pp = {stages} }}\n  pipeline pp {{ schedule = one_f_one_b }}"
    return (MODEL + (PLAN % (f"layers = {stages}", "2")).replace("mesh { dp = 1 }", pipeline)).encode()


SECRET = "token=hunter2"
# (name, bytes of the file, exit code, what stderr must show)
CASES = [
    ("parentheses", b"let a = " + b"(" * n + b"1" + b")" * n, 1, "PLAN0"),
    ("brackets", b"let a = " + b"[" * n, 1, "PLAN0"),
    ("braces", b"plan p { place " + b"{ a " * n, 1, "PLAN0"),
    ("minus", b"let a = " + b"-" * n + b"1", 1, "PLAN0"),
    ("nots", b"let a = " + b"not " * n + b"true", 1, "PLAN0"),
    ("powers", b"let a = 1" + b" ** 1" * n, 1, "PLAN0"),
    ("ifs", b"let a = " + b"if true then 1 else " * n + b"2", 1, "PLAN0"),
    ("long sum", b"let a = 1" + b" + 1" * n, 0, ""),
    ("long line", b"let a = [" + b"1, " * n + b"1]", 0, ""),
    ("long name", b"let " + b"a" * 1_000_000 + b" = 1", 0, ""),
    ("long string", b'let a = "' + b"x" * 1_000_000 + b'"', 0, ""),
    ("many errors", b"let a = ;\n" * 20_000, 1, "PLAN0"),
    ("binary", bytes(range(256)) * 1000, 1, "PLAN0"),
    ("nul", b"let a = \0 1", 1, "PLAN0"),
    ("not utf-8", b'let a = "\xff"', 1, "PLAN0"),
    ("utf-16", "let a = 1".encode("utf-16"), 1, "PLAN0"),
    ("bom", b"\xef\xbb\xbflet a = 1", 0, ""),
    ("crlf", b"let a = 1\r\nlet b = 2\r\n", 0, ""),
    ("empty", b"", 0, ""),
    ("only comment", b"// nothing", 0, ""),
    ("open comment", b"/* " + b"x" * n, 1, "PLAN0"),
    ("17 MiB", b"//" + b"x" * (17 << 20), 1, "PLAN0001"),
    ("overflow", b"let a = 9223372036854775807 + 1", 1, "PLAN03"),
    ("big literal", b"let a = 99999999999999999999999", 1, "PLAN03"),
    ("power overflow", b"let a = 10 ** 100", 1, "PLAN03"),
    ("division by zero", b"let a = 1 / 0", 1, "PLAN03"),
    ("modulo by zero", b"let a = 1 % 0", 1, "PLAN03"),
    ("smallest by minus one", b"let a = (-9223372036854775807 - 1) / -1", 1, "PLAN03"),
    ("let of itself", b"let a = a", 1, "PLAN"),
    ("mutual lets", b"let a = b\nlet b = a", 1, "PLAN"),
    ("recursive function", b"let f(n) = f(n + 1)\nlet a = f(0)", 1, "PLAN"),
    ("exponential function", b"let f(n) = if n == 0 then 1 else f(n - 1) + f(n - 1)\nlet a = f(60)", 1, "PLAN"),
    ("doubling list", b"let f(l, n) = if n == 0 then l else f(l + l, n - 1)\nlet a = f([1], 60)", 1, "PLAN"),
    ("divisors of a lot", b"let a = divisors(9223372036854775807)", None, ""),
    ("recursive block", b"block b(x: [.., hidden]) {\n  y = b(x)\n  out y\n}\nmodel m() {\n  in x: [batch, hidden = 4]\n  y = b(x)\n}\nmodel n = m()", 1, "PLAN"),
    ("recursive model", b"model m = m()", 1, "PLAN"),
    ("cyclic extends of stacks", b"stack a extends b { }\nstack b extends a { }", 1, "PLAN"),
    ("cyclic extends of plans", b"plan a extends b { }\nplan b extends a { }", 1, "PLAN"),
    ("a trillion layers", (MODEL + PLAN % ("layers = 1000000000000", "8")).encode(), 0, ""),
    ("a trillion wide", (MODEL + PLAN % ("hidden = 1000000000000", "8")).encode(), None, ""),
    ("eight thousand stages", deep(8_000), 0, ""),
    ("a hundred thousand stages", deep(100_000), 1, "PLAN0720"),
    ("no layers", (MODEL + PLAN % ("layers = 0", "8")).encode(), 1, "PLAN"),
    ("minus a layer", (MODEL + PLAN % ("layers = -1", "8")).encode(), 1, "PLAN"),
    ("a quintillion samples", (MODEL + PLAN % ("", "1000000000000000000")).encode(), 1, "PLAN07"),
    ("no samples", (MODEL + PLAN % ("", "0")).encode(), 1, "PLAN"),
    ("shared lists compared", shared("assert a39 == a39"), 1, "PLAN0318"),
    ("shared lists searched", shared("let z = a39 in [a39]"), 1, "PLAN0318"),
    ("shared lists and a type", shared(f"let z: {'list<' * 40}int{'>' * 40} = a39"), 1, "PLAN0318"),
    ("shared lists in a message", shared("let f(x where len(x) > 5) = x\nlet z = f(a39)"), 1, "PLAN03"),
    ("shared records compared", (nested("a", 40, "{{x = {0}, y = {0}}}") + "assert a39 == a39").encode(), 1, "PLAN0318"),
    ("long lists summed often", b"let l = [" + b"1, " * n + b"1]\nlet z = [sum(l) for x in l]", 1, "PLAN03"),
    ("long texts compared often", b'let s = "' + b"x" * 1_000_000 + b'"\nlet t = [s in [s] for x in [' + b"1, " * n + b"1]]", 1, "PLAN03"),
    ("deep lists compared", (nested("a", 20_000, "[{0}]") + nested("b", 20_000, "[{0}]") + "assert a19999 == b19999").encode(), 0, ""),
    ("import itself", b'import "case.plan" as me\nlet a = 1', 1, "PLAN01"),
    ("import a folder", b'import "/" as root\nlet a = root.x', 1, "PLAN01"),
    ("import a device", b'import "/dev/zero" as zero\nlet a = zero.x', 1, "PLAN01"),
    ("import the environment", b'import "/proc/self/environ" as e\nlet a = e.x', 1, "PLAN0108"),
    ("import a link to the environment", b'import "environment.plan" as e\nlet a = e.x', 1, "PLAN0108"),
    ("import a link to a text", b'import "link.plan" as e\nlet a = e.x', 1, "PLAN0108"),
    ("import a link to a folder", b'import "folder.plan" as e\nlet a = e.x', 1, "PLAN0108"),
    ("import a link to nothing", b'import "nothing.plan" as e\nlet a = e.x', 1, "PLAN0101"),
    ("import a pipe", b'import "pipe.plan" as e\nlet a = e.x', 1, "PLAN0102"),
    ("import a link to a device", b'import "zero.plan" as e\nlet a = e.x', 1, "PLAN0108"),
    ("import a folder of the name", b'import "real_folder.plan" as e\nlet a = e.x', 1, "PLAN0102"),
    ("import a link to a plan", b'import "good.plan" as e\nlet a = e.x', 0, ""),
]


LINKS = {"environment.plan": "/proc/self/environ", "link.plan": "secret.txt", "folder.plan": "/etc", "nothing.plan": "/nowhere", "zero.plan": "/dev/zero",
         "good.plan": "real.plan"}


def lay_out(folder):
    """What the imports of the cases point at."""
    (folder / "secret.txt").write_text(SECRET + "\n")
    (folder / "real.plan").write_text("export let x = 1\n")
    (folder / "real_folder.plan").mkdir()
    os.mkfifo(folder / "pipe.plan")
    for name, target in LINKS.items():
        (folder / name).symlink_to(target)


def limit():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def check(planc, folder, name, data, code, text):
    path = pathlib.Path(folder) / "case.plan"
    path.write_bytes(data)
    problems = []
    for command in (["check"], ["fmt", "--check"], ["estimate"]):
        try:
            run = subprocess.run([planc, *command, str(path)], capture_output=True, timeout=SECONDS, preexec_fn=limit,
                                 env={**os.environ, "PLANC_TEST_SECRET": SECRET})
        except subprocess.TimeoutExpired:
            problems.append(f"{name}: planc {' '.join(command)}: over {SECONDS} s")
            continue
        errors = run.stderr.decode("utf-8", "replace")
        if SECRET in errors + run.stdout.decode("utf-8", "replace"):
            problems.append(f"{name}: planc {' '.join(command)} shows a file that is no plan")
        if command == ["estimate"] and run.returncode == 2 and "contains no plan" in errors:
            continue  # a usage error: there is nothing to estimate
        if run.returncode not in (0, 1):
            problems.append(f"{name}: planc {' '.join(command)}: exit {run.returncode}\n{errors[:1500]}")
        elif command == ["check"] and code is not None and (run.returncode != code or text not in errors):
            problems.append(f"{name}: expected exit {code} and {text!r}, got {run.returncode}\n{errors[:1500]}")
        elif run.returncode == 1 and command != ["fmt", "--check"] and not re.search(r"error\[PLAN\d{4}\]", errors):
            problems.append(f"{name}: planc {' '.join(command)}: exit 1 without a code\n{errors[:1500]}")
        if path.read_bytes() != data:
            problems.append(f"{name}: planc {' '.join(command)} changed the file")
            path.write_bytes(data)
    return problems


def main():
    global SANITIZED
    planc, SANITIZED = sys.argv[1], len(sys.argv) > 2 and sys.argv[2] == "ON"
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        lay_out(pathlib.Path(folder))
        for case in CASES:
            problems += check(planc, folder, *case)
    print(f"{len(CASES)} hostile inputs, {len(problems)} problems")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
