#!/usr/bin/env python3
"""Exported traces hold together: slices of a thread nest, flows have both ends, counters end where they began, and sums equal the report.
    traces.py PLANC FILE|FOLDER…             every plan of these files
    traces.py PLANC --random FIRST COUNT     plans drawn by chance, with `--verify` only
SPDX-License-Identifier: Apache-2.0
"""
import bisect
import collections
import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "accounts"))
import random_plans  # noqa: E402

NANOSECOND = 1e-9
MOST_TEXT = 30_000_000  # of larger traces only the first stage is read


def nanoseconds(microseconds):
    return round(microseconds * 1000)


class Trace:
    """The events of a trace by what they are."""

    def __init__(self, text):
        self.root = json.loads(text)
        self.threads, self.flows, self.counters = collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(list)
        self.names = {}
        for e in self.root["traceEvents"]:
            if e["ph"] == "X":
                begin = nanoseconds(e["ts"])
                self.threads[e["pid"], e["tid"]].append((begin, begin + nanoseconds(e["dur"]), e))
            elif e["ph"] in "sf":
                self.flows[e["id"]].append(e)
            elif e["ph"] == "C":
                self.counters[e["pid"], e["name"]].append(e)
            elif e["ph"] == "M" and e["name"] == "process_name":
                self.names[e["pid"]] = e["args"]["name"]

    def stage_of(self, pid):
        return int(self.names[pid].split(",")[0].split()[1])

    def whole(self):
        return "shown" not in self.root["otherData"]


def nesting(trace):
    """Slices of a thread lie inside of each other or apart."""
    for thread, slices in trace.threads.items():
        open_ends = []
        for begin, end, event in sorted(slices, key=lambda s: (s[0], -s[1])):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            if open_ends and end > open_ends[-1]:
                yield f"thread {thread}: {event['name']} at {begin} ns overlaps a slice that ends at {open_ends[-1]} ns"
                return
            open_ends.append(end)


def both_ends(trace):
    """A flow leaves a slice and reaches another one, and never goes back in time."""
    begins, latest = {}, {}
    for thread, slices in trace.threads.items():
        slices.sort(key=lambda s: s[:2])
        begins[thread] = [s[0] for s in slices]
        latest[thread] = list(itertools.accumulate((s[1] for s in slices), max))
    for number, ends in trace.flows.items():
        if sorted(e["ph"] for e in ends) != ["f", "s"]:
            yield f"flow {number} has the ends {[e['ph'] for e in ends]}"
            continue
        start, finish = sorted(ends, key=lambda e: e["ph"], reverse=True)
        if finish["ts"] < start["ts"]:
            yield f"flow {number} goes back in time"
        for end in ends:
            at, thread = nanoseconds(end["ts"]), (end["pid"], end["tid"])
            before = bisect.bisect_right(begins[thread], at)
            if before == 0 or latest[thread][before - 1] < at:
                yield f"flow {number} ends outside of any slice"


def counted(trace):
    for name, events in trace.counters.items():
        times = [e["ts"] for e in events]
        if times != sorted(times):
            yield f"counter {name} goes back in time"
        if events[0]["args"] != events[-1]["args"]:
            yield f"counter {name} begins with {events[0]['args']} and ends with {events[-1]['args']}"


def near(what, drawn, reported, slices):
    """Each end of a slice is rounded to a nanosecond."""
    if abs(drawn - reported) > (slices + 1) * NANOSECOND + 1e-9 * abs(reported):
        yield f"{what}: {drawn!r} s in the trace, {reported!r} s in the report"


def sums(trace, plan):
    """Per stage and per layer the slices add up to the rows of the report."""
    totals = plan["totals"]
    for (pid, tid), slices in trace.threads.items():
        if tid != 0:
            continue
        stage = trace.stage_of(pid)
        parts, layers, counts = collections.Counter(), collections.defaultdict(collections.Counter), collections.Counter()
        for begin, end, event in slices:
            part = event["args"].get("part")
            if part:
                counts[part] += 1
                parts[part] += (end - begin) * NANOSECOND
                layer = event["args"].get("layer")
                if layer:
                    layers[layer]["exposed" if part in ("communication", "wait") else part] += (end - begin) * NANOSECOND
                    counts[layer] += 1
        row = next(s for s in plan["stages"] if s["stage"] == stage)
        yield from near(f"stage {stage}, step", sum(parts.values()), totals["step_time_s"], sum(counts.values()))
        for part, reported in (("compute", row["computing_s"] + row["slowed_s"]), ("host", row["launches_s"]), ("idle", row["idle_s"]),
                               ("optimizer", totals["optimizer_s"]), ("overhead", totals["overhead_s"]), ("straggler", totals["straggler_s"] or 0)):
            yield from near(f"stage {stage}, {part}", parts[part], reported, counts[part])
        yield from near(f"stage {stage}, exposed", parts["communication"] + parts["wait"], row["communicating_s"], counts["communication"] + counts["wait"])
        reported = collections.defaultdict(collections.Counter)
        for r in plan["layers"]:
            if r["stage"] == stage:
                reported[r["path"]]["compute"] += r["step_computing_s"] + r["step_slowed_s"]
                reported[r["path"]]["host"] += r["step_launches_s"]
        for r in plan["collectives"]:
            if r["stage"] == stage:
                reported[r["layer"]]["exposed"] += r["step_exposed_s"]
        for layer in set(layers) | set(reported):
            for part in ("compute", "host", "exposed"):
                yield from near(f"stage {stage}, {layer}, {part}", layers[layer][part], reported[layer][part], counts[layer])


def peaks(trace, plan):
    for (pid, name), events in trace.counters.items():
        if name != "memory":
            continue
        row = next(s for s in plan["memory"]["stages"] if s["stage"] == trace.stage_of(pid))
        most = max(sum(e["args"].values()) for e in events)
        if abs(most - row["peak_bytes"]) > 1e-9 * most + 8:
            yield f"{trace.names[pid]}: the memory's highest point is {most}, not {row['peak_bytes']}"


def kernels(text):
    """Kernels of a stream follow each other, and each has its launch inside of an operator."""
    root = json.loads(text)
    streams, launches, operators = collections.defaultdict(list), {}, {}
    for e in root["traceEvents"]:
        if e["cat"] == "kernel":
            streams[e["args"]["stream"]].append(e)
        elif e["cat"] == "cuda_runtime":
            launches[e["args"]["correlation"]] = e
        elif e["cat"] == "cpu_op":
            operators[e["args"]["External id"]] = e
    if not streams:
        yield "no kernels"
    for stream, events in streams.items():
        end = 0
        for e in sorted(events, key=lambda e: e["ts"]):
            if nanoseconds(e["ts"]) < end:
                yield f"stream {stream}: {e['name']} overlaps"
                break
            end = nanoseconds(e["ts"]) + nanoseconds(e["dur"])
        for e in events:
            if e["args"]["correlation"] not in launches or e["args"]["External id"] not in operators:
                yield f"stream {stream}: {e['name']} has no launch"
                break


def hostile(planc, folder):
    """A file whose name needs escapes: it is in the causes of collectives."""
    name = 'a "<script>&.plan'
    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
        out.write(random_plans.HEAD + random_plans.plan(1))
    for form in ("perfetto", "kineto"):
        text = subprocess.run([planc, "export", form, name], cwd=folder, capture_output=True, text=True).stdout
        json.loads(text)
        if "<" in text or "&" in text or (form == "perfetto" and not any(name in e.get("args", {}).get("because", "")
                                                                        for e in json.loads(text)["traceEvents"])):
            yield f"{form}: the name of the file is not escaped"


def problems(planc, path, plan):
    name = plan["name"]

    def export(form, *options):
        run = subprocess.run([planc, "export", form, path, "--plan", name, "--verify", *options], capture_output=True, text=True)
        return run.stdout if run.returncode == 0 else None, run.stderr
    text, error = export("perfetto")
    if text is None:
        return [f"perfetto: {error}"]
    if len(text) > MOST_TEXT:
        text, error = export("perfetto", "--ranks", "0")
    trace = Trace(text)
    found = [*nesting(trace), *both_ends(trace), *counted(trace), *peaks(trace, plan)]
    if trace.whole():
        found += sums(trace, plan)
    if len(trace.names) not in (1, len(plan["stages"])):
        found.append(f"{len(trace.names)} processes of {len(plan['stages'])} stages")
    text, error = export("kineto")
    found += kernels(text) if text is not None else [f"kineto: {error}"]
    text, error = export("dot")
    if text is None or text.count("{") != text.count("}") or not text.startswith("digraph"):
        found.append(f"dot: {error}")
    return found


def verified(planc, path, name):
    run = subprocess.run([planc, "export", "kineto", path, "--plan", name, "--verify", "-o", os.devnull], capture_output=True, text=True)
    return [] if run.returncode == 0 else [run.stderr]


def price(planc, path):
    run = subprocess.run([planc, "estimate", path, "--format", "json", "--no-fixes"], capture_output=True, text=True)
    try:
        return json.loads(run.stdout)["plans"]
    except (json.JSONDecodeError, KeyError):
        return []


def files_of(words):
    for word in words:
        names = sorted(os.listdir(word)) if os.path.isdir(word) else [""]
        yield from (os.path.join(word, n) if n else word for n in names if not n or n.endswith(".plan"))


def main():
    planc, words, checked, failed = os.path.abspath(sys.argv[1]), sys.argv[2:], 0, 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        laws_only = "--laws" in words
        words = [w for w in words if w != "--laws"]
        least = 1
        if words[0] == "--random":
            first, count = int(words[1]), int(words[2])
            for seed in range(first, first + count):
                with open(os.path.join(folder, f"p{seed}.plan"), "w", encoding="utf-8") as out:
                    out.write(random_plans.HEAD + random_plans.plan(seed))
            words, laws_only, least = [folder], True, .9 * count
        paths = list(files_of(words))
        work = [(path, plan) for path, plans in zip(paths, pool.map(lambda p: price(planc, p), paths)) for plan in plans]
        check = (lambda w: verified(planc, w[0], w[1]["name"])) if laws_only else (lambda w: problems(planc, w[0], w[1]))
        for problem in hostile(planc, folder):
            failed += 1
            print(problem)
        for (path, plan), found in zip(work, pool.map(check, work)):
            checked += 1
            for problem in found[:5]:
                failed += 1
                print(f"{path} {plan['name']}: {problem}")
    print(f"{checked} plans of {len(paths)} files, {failed} problems")
    return 1 if failed or checked < least else 0


if __name__ == "__main__":
    sys.exit(main())
