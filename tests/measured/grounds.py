# What a source is, what of a run is new to all other sources, and figures in which sources weigh alike.
# SPDX-License-Identifier: Apache-2.0
"""A *source* is a publisher: `PUBLISHER` of a module of sources/, by default the module's name; the rows of both tables are one. A *family* of stacks is a
file of stdlib/stacks, a *generation* of devices one of stdlib/devices. A run is *known ground* if one run of
another source has its family, its generation, its compute type, at least half its ranks and at least half its sequence; else it is *new ground*.

Runs are of a *kind* by each of KINDS: the `framework` of their stack, its family, the generation of their device, the module of their model (a model that
a source writes out is a kind of its own), the fabric of the outermost level that their ranks lie over. Leaving out `everything` of a run leaves out all runs
that share any of SHARED with it; leaving out a `pair` leaves out those of a framework on one of several generations. `base` is the framework again, of runs
whose stack extends one of another framework: they are priced with that one."""
import runs
from library import EVIDENCE, Library

KINDS = {"framework": "framework", "family": "family of stacks", "generation": "generation of devices", "model": "family of models", "fabric": "fabric",
         "pair": "framework on a generation", "everything": "framework, generation and source", "base": "framework, stack of another"}
SHARED = ("framework", "generation", "publisher")
MORE = 2  # times the ranks or the sequence that other sources ran: beyond that they are new


def publisher(source):
    """The publisher of a module of sources/."""
    return getattr(source, "PUBLISHER", runs.name_of(source))


def ranks(run):
    return run.data * run.tensor * run.context * run.pipeline


def family_of(model):
    """The module of a model's expression; the model's name if it has none."""
    module, _, name = model.partition("(")[0].rpartition(".")
    return module or name


def file_of(library, name):
    """The file that a declaration stands in, without its ending: the family of a stack, the generation of a device."""
    return library.heads[name][0].removesuffix(".plan")


def base_of(library, stack):
    """The stack that the oldest one of a stack's framework extends, or none if that has no framework."""
    chain = [stack]
    while chain[-1] in library.parents:
        chain.append(library.parents[chain[-1]])
    oldest = max(k for k, name in enumerate(chain) if library.get(name, "framework") == library.get(stack, "framework"))
    base = chain[oldest + 1] if oldest + 1 < len(chain) else None
    return base if base and library.get(base, "framework") else None


def based(library, framework):
    """The library with the facts of their base in the stacks of a framework: what a user has who takes the stack of another one and changes nothing."""
    changed = library.copy()
    for stack in library.matching("stacks.*"):
        if (library.get(stack, "framework") or "").strip('"') == framework and (base := base_of(library, stack)):
            changed.take(stack, base, ("framework", "released", "platform"))
            for fact in EVIDENCE:
                changed.facts[stack].get("accuracy", {}).pop(fact, None)
    return changed


class Ground:
    """Where every run of a bench stands: one dictionary per run, by its name."""

    def __init__(self, bench, library=None):
        library = library or Library()
        self.of = {}
        for source, found in bench.runs.items():
            for run in found:
                stack, device = bench.uses[source][run.name]
                self.of[run.name] = {
                    "run": run.name, "source": source, "publisher": bench.publisher[source], "line": run.group, "kind": run.kind,
                    "stack": stack.partition(".")[2], "family": file_of(library, stack), "device": device.partition(".")[2],
                    "generation": file_of(library, device), "type": run.precision["compute"], "cluster": run.cluster.partition("(")[0],
                    "ranks": ranks(run), "sequence": run.seq, "framework": library.get(stack, "framework").strip('"'), "model": family_of(run.model),
                    "fabric": bench.fabric[run.name]}
                self.of[run.name]["base"] = self.of[run.name]["framework"] if base_of(library, stack) else ""
        generations = {}
        for place in self.of.values():
            generations.setdefault(place["framework"], set()).add(place["generation"])
        for place in self.of.values():
            place["pair"] = f"{place['framework']} / {place['generation']}" if len(generations[place["framework"]]) > 1 else ""
            place["everything"] = " / ".join(place[what] for what in SHARED)
        self.others = {p: [o for o in self.of.values() if o["publisher"] != p] for p in self.publishers()}

    def values(self, by):
        """The publishers, or the kinds of one of KINDS, in the order of the sources."""
        return list(dict.fromkeys(place[by] for place in self.of.values() if place[by]))

    def publishers(self):
        return self.values("publisher")

    def apart(self, by, value):
        """A test of places: whether they have nothing of a publisher or a kind, so that they stay when it is left out."""
        mine = next(place for place in self.of.values() if place[by] == value)
        shared = {"everything": SHARED, "base": ("framework",)}.get(by, (by,))
        return lambda place: all(place[what] != mine[what] for what in shared)

    def runs_of(self, bench, by, value):
        """{source: its runs of a publisher or a kind}."""
        found = {source: [run for run in mine if self.of[run.name][by] == value] for source, mine in bench.runs.items()}
        return {source: mine for source, mine in found.items() if mine}

    def known(self, name):
        """Whether a run stands on known ground."""
        mine = self.of[name]
        return any(all(o[k] == mine[k] for k in ("family", "generation", "type")) and MORE * o["ranks"] >= mine["ranks"] and MORE * o["sequence"] >= mine["sequence"]
                   for o in self.others[mine["publisher"]])

    def new(self, name):
        """What of a run no other source has: the family alone; else, against the runs of the family, its generation or its device, its type there, its
        cluster, more than twice the ranks, more than twice the sequence."""
        mine = self.of[name]
        base = [o for o in self.others[mine["publisher"]] if o["family"] == mine["family"]]
        if not base:
            return ("family",)
        found = []
        same = [o for o in base if o["generation"] == mine["generation"]]
        if not same:
            found.append("generation")
        elif all(o["device"] != mine["device"] for o in same):
            found.append("device")
        if all(o["type"] != mine["type"] for o in same or base):
            found.append("type")
        if all(o["cluster"] != mine["cluster"] for o in base):
            found.append("cluster")
        return tuple(found + [what for what in ("ranks", "sequence") if mine[what] > MORE * max(o[what] for o in base)])


def weights(publishers):
    """One weight per row, such that publishers weigh alike and all together weigh one."""
    count = {p: publishers.count(p) for p in publishers}
    return [1 / count[p] / len(count) for p in publishers]


def quantile(values, of, share):
    """The least value that with those below it holds a share of the weight `of` all."""
    left = share * sum(of) * (1 - 1e-12)
    for value, weight in sorted(zip(values, of)):
        left -= weight
        if left <= 0:
            return value
    return max(values)


def figures(errors, publishers=None):
    """{median, mean, p90, bias} of signed errors; with publishers, these weigh alike."""
    of = weights(publishers) if publishers else [1 / len(errors)] * len(errors)
    size = [abs(e) for e in errors]
    return {"median": quantile(size, of, 0.5), "mean": sum(w * e for w, e in zip(of, size)), "p90": quantile(size, of, 0.9),
            "bias": sum(w * e for w, e in zip(of, errors))}
