#!/usr/bin/env python3
"""The pages of `planc report`: one file without requests, every section, tables that say what the JSON says, bounded size, names escaped."""

import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile

PLANC, ROOT = sys.argv[1], sys.argv[2]
MOST_BYTES = 1.5e6  # a plan of 16 stages and 256 micro-batches
EXAMPLES = os.path.join(ROOT, "examples")
# What a plan on one device, or without communication, has no picture of.
ALWAYS = ["numbers", "where", "time", "pass", "memory", "layers", "constants", "source"]
UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60, "h": 3600, "d": 86400}
VOID = {"meta", "br", "link", "img", "input"}


LONG = """import std.models.llama
import std.clusters.hgx
import std.stacks.fsdp
import std.optimizers
plan long {
  model    = llama.dense(layers = 64, hidden = 512, heads = 8, ffn = 1024, vocab = 1024)
  cluster  = hgx.hgx_h100(nodes = 16)
  software = fsdp.torchtitan
  train { seq = 512; global_batch = 2048; micro_batch = 1; optimizer = optimizers.adamw }
  mesh { dp = 8; pp = 16 }
  place { batch -> dp }
  pipeline pp { schedule = interleaved_1f1b(chunks = 4); stages = even }
}
"""


class Reader(html.parser.HTMLParser):
    """Sections, their pictures and tables; fails where tags do not match."""

    def __init__(self):
        super().__init__()
        self.open, self.sections, self.requests, self.titles, self.cells = [], [], [], 0, []

    def handle_starttag(self, tag, attrs):
        names = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "h2":
            self.sections.append(names.get("id"))
        self.titles += tag == "title" and "svg" in self.open
        self.requests += [v for k, v in attrs if k in ("src", "href", "xlink:href") and not (v or "").startswith("#")]
        if tag == "script" and "src" in names:
            self.requests.append("script")

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise ValueError(f"</{tag}> closes nothing, line {self.getpos()[0]}")

    def handle_data(self, data):
        if self.open and self.open[-1] == "td":
            self.cells.append(data)


def run(*command):
    return subprocess.run([PLANC, *command], capture_output=True, text=True, timeout=120)


def pages(folder):
    """Every plan of the examples as a page of its own, with its JSON."""
    for name in sorted(os.listdir(EXAMPLES)):
        if not name.endswith(".plan"):
            continue
        path = os.path.join(EXAMPLES, name)
        found = run("estimate", path, "--format", "json", "--no-fixes")
        plans = json.loads(found.stdout or "{}").get("plans", [])
        for plan in plans:
            out = os.path.join(folder, "page.html")
            if plan["arguments"]:
                continue
            made = run("report", path, "--plan", plan["name"], "-o", out)
            if os.path.exists(out):
                with open(out, encoding="utf-8") as file:
                    yield f"{name} ", plan, file.read()
                os.remove(out)
            elif made.returncode == 0:
                sys.exit(f"{name}: no page\n{made.stderr}")


def problems(text, plan):
    reader = Reader()
    reader.feed(text)
    if reader.open:
        yield f"not closed: {reader.open}"
    missing = [section for section in ALWAYS if section not in reader.sections]
    if missing:
        yield f"no section {missing}"
    if reader.requests:
        yield f"requests {reader.requests[:3]}"
    if re.search(r"@import|url\(|http://(?!www\.w3\.org/2000/svg)|https://", re.sub(r"<table class=\"source\">.*?</table>", "", text, flags=re.S)):
        yield "the style or a script names another address"
    if len(text.encode()) > MOST_BYTES:
        yield f"{len(text.encode())} bytes"
    if reader.titles == 0:
        yield "nothing to hover"
    # The parts of the picture add up to the step of the JSON, as far as four digits tell.
    where = re.search(r'<h2 id="where".*?</section>', text, re.S)[0]
    shown = [float(number) * UNITS[unit] for number, unit in re.findall(r"<rect[^>]*><title>[^:<]*: ([0-9.e+-]+) (\w+)</title>", where)]
    step = plan["totals"]["step_time_s"]
    if abs(shown[-1] / step - 1) > 1e-3 or abs(sum(shown[:-1]) / step - 1) > 2e-3:
        yield f"the parts add up to {sum(shown[:-1])}, the step is {step}"


def main():
    bad = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, plan, text in pages(folder):
            count += 1
            for problem in problems(text, plan):
                print(f"{name}: {problem}")
                bad += 1
        # A name that is markup stays text, in every section.
        path = os.path.join(folder, "odd.plan")
        with open(os.path.join(EXAMPLES, "gpt3_175b.plan"), encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + '\n// </table><script>alert(1)</script> & "quotes"\n')
        out = os.path.join(folder, "odd.html")
        run("report", path, "--plan", "gpt3_175b", "-o", out)
        with open(out, encoding="utf-8") as file:
            odd = file.read()
        if "<script>alert" in odd or odd.count("<script>") != 1:
            print("markup of a comment became markup of the page")
            bad += 1
        # Sixteen stages of four chunks with 256 micro-batches each.
        path, out = os.path.join(folder, "long.plan"), os.path.join(folder, "long.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(LONG)
        run("report", path, "-o", out)
        if not 100_000 < os.path.getsize(out) < MOST_BYTES:
            print(f"the page of a long step has {os.path.getsize(out)} bytes")
            bad += 1
        os.remove(out)
        # The same bytes twice.
        path, out = os.path.join(folder, "odd.plan"), os.path.join(folder, "odd.html")
        run("report", path, "--plan", "gpt3_175b", "-o", out)
        with open(out, encoding="utf-8") as file:
            if file.read() != odd:
                print("two pages of one plan differ")
                bad += 1
    print(f"{count} pages, {bad} problems")
    return 1 if bad or count < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
