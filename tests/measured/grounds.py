# What a source is, what of a run is new to all other sources, and figures in which sources weigh alike.
# SPDX-License-Identifier: Apache-2.0
"""A *source* is a publisher: `PUBLISHER` of a module of sources/, by default the module's name; the rows of both tables are one. A *family* of stacks is a
file of stdlib/stacks, a *generation* of devices one of stdlib/devices. A run is *known ground* if one run of
another source has its family, its generation, its compute type, at least half its ranks and at least half its sequence; else it is *new ground*."""
import runs
from library import Library

MORE = 2  # times the ranks or the sequence that other sources ran: beyond that they are new


def publisher(source):
    """The publisher of a module of sources/."""
    return getattr(source, "PUBLISHER", runs.name_of(source))


def file_of(library, name):
    """The file that a declaration stands in, without its ending: the family of a stack, the generation of a device."""
    return library.heads[name][0].removesuffix(".plan")


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
                    "ranks": run.data * run.tensor * run.context * run.pipeline, "sequence": run.seq}
        self.others = {p: [o for o in self.of.values() if o["publisher"] != p] for p in self.publishers()}

    def publishers(self):
        """In the order of the sources."""
        return list(dict.fromkeys(place["publisher"] for place in self.of.values()))

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
