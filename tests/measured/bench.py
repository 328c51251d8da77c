# Prices published runs with another library than the shipped one: what leaving a source out and removing a term have in common.
# SPDX-License-Identifier: Apache-2.0
import concurrent.futures
import os
import re
import tempfile

import library
import runs
from pricing import price
from sources.common import file_text

WORKERS = 2


def devices_of_clusters(folder=library.STDLIB):
    """{"module.cluster": "devices.NAME"} of the library's clusters."""
    found = {}
    for file in os.listdir(os.path.join(folder, "clusters")):
        with open(os.path.join(folder, "clusters", file)) as f:
            for name, device in re.findall(r"^export cluster (\w+)\(.*?\bdevice\s*=\s*(devices\.\w+)", f.read(), flags=re.M | re.S):
                found[f"{file.removesuffix('.plan')}.{name}"] = device
    return found


def declarations(run, clusters):
    """The stack and the device of a run, as the library names them."""
    named = re.search(r"gpu = (devices\.\w+)", run.cluster)
    device = named[1] if named else clusters[run.cluster.partition("(")[0]]
    return "stacks." + run.software.rpartition(".")[2], device


class Bench:
    """The complete runs of sources, ready to be priced with any library; of the table that constants were chosen with, unless others are named."""

    def __init__(self, planc, truth, only=None, tables=(runs.FIRST,)):
        self.planc, self.runs, self.texts, self.uses = planc, {}, {}, {}
        clusters = devices_of_clusters()
        for source in runs.selected(only):
            complete, _ = runs.runs_of(truth, source, tables)
            if not complete:
                continue
            name = runs.name_of(source)
            self.runs[name] = complete
            self.texts[name] = library.imports(file_text(source.TITLE, complete, getattr(source, "PREAMBLE", "")))
            self.uses[name] = {run.name: declarations(run, clusters) for run in complete}

    def declarations(self, source):
        """Every stack and device that a source runs on."""
        return {d for pair in self.uses[source].values() for d in pair}

    def reports(self, changed, names, edit=lambda text: text):
        """{source: {plan: its part of planc's report}} with a changed library; `edit` changes the text of the plans, too."""
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            changed.write(folder)
            with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
                return dict(zip(names, pool.map(lambda name: self._priced(name, folder, edit), names)))

    def _priced(self, name, folder, edit):
        path = os.path.join(folder, f"runs_{name}.plan")
        with open(path, "w") as f:
            f.write(edit(self.texts[name]))
        report, stderr = price(self.planc, path)
        plans = {p["name"]: p for p in report["plans"]}
        missing = [run.name for run in self.runs[name] if run.name not in plans]
        if missing:
            raise RuntimeError(f"{name}: {missing[0]} is not priced\n{stderr[:2000]}")
        return plans


def pairs(plan):
    """[(metric, predicted, measured)] of a plan's report."""
    return [(m["metric"], m["predicted"], m["measured"]) for m in plan["measured"]]
