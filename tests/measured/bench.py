# Prices published runs with another library than the shipped one: what leaving a source out and removing a term have in common.
# SPDX-License-Identifier: Apache-2.0
import concurrent.futures
import math
import os
import re
import tempfile

import grounds
import library
import runs
from pricing import price, step_times
from sources.common import file_text

WORKERS = 2


LEVEL = re.compile(r"level \w+ \* ([\w* ]+) \{[^}]*?\blink\s*=\s*(?:fabrics\.)?(\w+)")


def clusters_in(text, read, prefix=""):
    """{cluster: what `read` finds in its text, or the cluster that it extends} of a text; `prefix` is the module in front of their names, with a dot."""
    found = {}
    for name, parent, body in re.findall(r"^(?:export )?cluster (\w+)(?:\([^{]*?\))?(?: extends ([\w.]+)\([^{]*)? \{(.*?)^\}", text, flags=re.M | re.S):
        found[prefix + name] = read(body) or (parent if "." in parent else prefix + parent)
    return found


def of_clusters(read, folder=library.STDLIB):
    """{"module.cluster": what `read` finds in the text of the cluster or of the one that it extends} of the library's clusters."""
    found = {}
    for file in os.listdir(os.path.join(folder, "clusters")):
        with open(os.path.join(folder, "clusters", file)) as f:
            found |= clusters_in(f.read(), read, file.removesuffix("plan"))
    for name in found:
        while isinstance(found[name], str) and found[name] in found:  # that of the cluster which it extends
            found[name] = found[found[name]]
    return found


def device_of(body):
    """"devices.NAME", or none, of the text of a cluster."""
    named = re.search(r"\bdevice\s*=\s*(devices\.\w+)", body)
    return named and named[1]


def declarations(run, clusters, stacks):
    """The stack and the device of a run, as the library names them; `stacks` are those of the run's source with what they extend."""
    named = re.search(r"gpu = (devices\.\w+)", run.cluster)
    device = named[1] if named else clusters[run.cluster.partition("(")[0]]
    return "stacks." + stacks.get(run.software, run.software).rpartition(".")[2], device


def fabric(run, levels, preamble):
    """The fabric of the outermost level that the ranks of a run lie over, as the library names it."""
    given = dict(re.findall(r"(\w+) = (?:fabrics\.)?(\w+)", run.cluster))
    levels, found, size = levels | clusters_in(preamble, LEVEL.findall), run.cluster.partition("(")[0], 1
    while isinstance(found, str):
        found = levels[found]
    for factors, link in found:
        size *= math.prod(int(given.get(n, n)) for n in factors.replace("*", " ").split())
        if size >= grounds.ranks(run):
            break
    link = given.get(link, link)
    base = re.search(rf"fabric {link} extends fabrics\.(\w+)", preamble)
    return base[1] if base else link


def module(run):
    """The module of a run's cluster, as the library names its facts."""
    return "clusters." + run.cluster.partition(".")[0]


class Bench:
    """The complete runs of sources, ready to be priced with any library."""

    def __init__(self, planc, truth, only=None, tables=runs.FITTED):
        self.planc, self.runs, self.titles, self.texts, self.uses, self.publisher = planc, {}, {}, {}, {}, {}
        clusters, levels = of_clusters(device_of), of_clusters(LEVEL.findall)
        self.fabric = {}
        for source in runs.selected(only):
            complete, _ = runs.runs_of(truth, source, tables)
            if not complete:
                continue
            name = runs.name_of(source)
            self.runs[name] = complete
            self.titles[name] = source.TITLE, getattr(source, "PREAMBLE", "")
            self.publisher[name] = grounds.publisher(source)
            preamble = self.titles[name][1]
            known, stacks = clusters | clusters_in(preamble, device_of), dict(re.findall(r"^stack (\w+) extends ([\w.]+)", preamble, flags=re.M))
            self.uses[name] = {run.name: declarations(run, known, stacks) for run in complete}
            self.fabric |= {run.name: fabric(run, levels, preamble) for run in complete}

    def reports(self, changed, names, edit=lambda text: text):
        """{source: {plan: its part of planc's report}} with a changed library; `edit` changes the text of the plans, too."""
        return self.reports_of(changed, {name: self.runs[name] for name in names}, edit)

    def reports_of(self, changed, wanted, edit=lambda text: text):
        """The same of some runs of sources."""
        def priced(path):
            report, stderr = price(self.planc, path)
            return {p["name"]: p for p in report["plans"]}, stderr
        return self._each(changed, wanted, priced, edit)

    def times(self, changed, wanted):
        """{source: {plan: [(metric, predicted)]}} of some runs of sources with a changed library; quick where steps alone were measured."""
        def priced(path):
            report, stderr = price(self.planc, path)
            return {p["name"]: [(metric, predicted) for metric, predicted, _ in pairs(p)] for p in report["plans"]}, stderr

        def steps(path):
            found, stderr = step_times(self.planc, path)
            return {name: [("step_time", seconds)] for name, seconds in found.items()}, stderr
        parts = {True: {}, False: {}}
        for name, found in wanted.items():
            parts[len(found) < 2 or any(run.measured for run in found)][name] = found  # one plan alone is compared with none
        return self._each(changed, parts[True], priced) | self._each(changed, parts[False], steps)

    def _each(self, changed, wanted, priced, edit=lambda text: text):
        """{source: what `priced` makes of the file of its wanted runs}."""
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            changed.write(folder)
            with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
                return dict(zip(wanted, pool.map(lambda name: self._priced(name, wanted[name], folder, priced, edit), wanted)))

    def _text(self, name, found):
        """The file of some runs of a source; kept, since many prices are asked of the same runs."""
        key = name, tuple(run.name for run in found)
        if key not in self.texts:
            title, preamble = self.titles[name]
            self.texts[key] = library.imports(file_text(title, found, preamble))
        return self.texts[key]

    def _priced(self, name, found, folder, priced, edit):
        path = os.path.join(folder, f"runs_{name}.plan")
        with open(path, "w") as f:
            f.write(edit(self._text(name, found)))
        plans, stderr = priced(path)
        missing = [run.name for run in found if run.name not in plans]
        if missing:
            raise RuntimeError(f"{name}: {missing[0]} is not priced\n{stderr[:2000]}")
        return plans


def pairs(plan):
    """[(metric, predicted, measured)] of the times in a plan's report; a printed peak of memory is none."""
    return [(m["metric"], m["predicted"], m["measured"]) for m in plan["measured"] if not m["metric"].startswith("memory.")]
