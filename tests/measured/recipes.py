#!/usr/bin/env python3
# The placement of a recipe is that of rules by path: runs of this folder as a recipe and its arguments, and the examples under its rules.
# SPDX-License-Identifier: Apache-2.0
"""Two comparisons. Every plan of recipes.plan with the plan of the rest of its name in the file that its name begins with: step, peak and
collectives. Every plan of the examples with itself under the rules of a recipe, which name no layer, on its own axes: step and collectives. Both
within BAR. A collective that differs is one of EXPLAINED, with the reason; what it exposes is no difference. What stands in a table and is not
met any more fails, too."""
import argparse
import collections
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True  # no caches in the tree
import pricing

HERE = os.path.dirname(os.path.abspath(__file__))
BAR = 1e-4
LEAST = 20

# Collectives that differ, as (layer, operation, class), and why.
IDS = ("the stream's rule reaches the ids of the tokens, too: they arrive in pieces over the tensor ranks and are gathered for the rows of the "
       "vocabulary, 4 bytes a token. Megatron sends them to these ranks whole (get_batch_on_this_tp_rank); rules by path leave that out")
EXPLAINED = {
    ("embed", "all_gather", "activation"): IDS,
    ("loss", "all_gather", "activation"): IDS,
    ("next", "all_gather", "activation"): IDS,
    ("out", "all_gather", "activation"): IDS,
}

# What plans of the examples place otherwise than a recipe does, on purpose, as (file, plan): why, and what makes their rules by path place it, too,
# before they are compared; none where no recipe of layers places the like.
TABLES = "its tables lie by table and by row, which the recipe for recommendation does"
LOSS = ("its loss reads whole logits", "place loss { vocab -> tp }")
NORM = ("its last norm is split over the context ranks alone", "place norm { seq -> [cp, tp] }")
EMBED = "every rank has the whole table of its embedding, and splits the sequence"
TABLE = "override place embed { seq -> replicate }\n  place embed { vocab -> tp }"
OTHERWISE = {
    ("plans", "dlrm_two_level"): (TABLES, None),
    ("search_recommendation", "ranking"): (TABLES, None),
    ("fabrics", "on_rails"): LOSS,
    ("fabrics", "level_by_level_on_rails"): LOSS,
    ("plans", "llama_cp"): NORM,
    ("plans", "llama_cp_gathered"): NORM,
    ("plans", "deepseek"): ("every tensor rank has its shared experts whole", "place decoder.shared, mtp.shared { ffn -> tp }"),
    ("search_dense", "llama3_70b_256"): (EMBED, TABLE),
    ("search_experts", "mixtral_8x22b"): (EMBED + "; every tensor rank has its experts whole", TABLE + "\n  place decoder.moe { ffn -> tp }"),
}
# Arguments that examples are compared with besides their defaults.
ARGUMENTS = {("llama3_8b_ways", "base"): ["rep = 2", "tp = 2", "tp = 8"]}


def collectives(plan):
    """{(layer, operation, class, phase, ranks, stage): [times in a step, bytes in all, exposed seconds of the step]}."""
    out = collections.defaultdict(lambda: [0, 0, 0.0])
    for c in plan["collectives"]:
        row = out[c["layer"], c["op"], c["class"], c["phase"], c["group"], c["stage"]]
        row[0] += c["count"]
        row[1] += c["count"] * c["bytes"]
        row[2] += c["step_exposed_s"]
    return out


def compared(name, general, by_path, peak):
    """(what is not the same, as lines, the explained collectives met); prints a line."""
    ours, theirs = collectives(general), collectives(by_path)
    wrong, met, explained = [], set(), 0.0
    for key in sorted(set(ours) | set(theirs)):
        one, other = ours.get(key, [0, 0, 0.0]), theirs.get(key, [0, 0, 0.0])
        if one[:2] == other[:2]:
            continue
        reason = (key[0].rpartition(".")[2], *key[1:3])
        if reason in EXPLAINED:
            met.add(reason)
            explained += one[2] - other[2]
        else:
            wrong.append(f"{name}: {key} {one}; by path {other}")
    step, known = (p["totals"]["step_time_s"] for p in (general, by_path))
    memory, held = (p["memory"]["peak_bytes"] for p in (general, by_path))
    more = step - known  # what is explained may lie on the path of the step or beside it
    left = (more - min(max(more, min(0, explained)), max(0, explained))) / known
    print(f"{name:46} step {step / known - 1:+.1e}, less what is explained {left:+.1e}; peak {memory / held - 1:+.1e}")
    if abs(left) > BAR:
        wrong.append(f"{name}: a step of {step} s, by path {known} s")
    if peak and abs(memory / held - 1) > BAR:
        wrong.append(f"{name}: a peak of {memory}, by path {held}")
    return wrong, met


def priced(planc, path):
    return {p["name"]: p for p in pricing.checked(planc, path)["plans"]}


def rewritten(planc):
    """(name, plan as recipe and arguments, plan by path)."""
    files = {}
    for name, plan in priced(planc, os.path.join(HERE, "recipes.plan")).items():
        file = max((f[:-5] for f in os.listdir(HERE) if f.endswith(".plan") and name.startswith(f[:-5] + "_")), key=len)
        if file not in files:
            files[file] = priced(planc, os.path.join(HERE, file + ".plan"))
        yield name, plan, files[file][name[len(file) + 1:]]


def rules(plan):
    """The rules of a recipe on the axes of a plan: the heads' axis is that of widths and vocabularies. No rule for the stream where the plan leaves it
    whole; experts over a group, which goes before a single axis."""
    axes = {dim: [a["name"] for a in reversed(plan["axes"]) if dim in a["splits"]] for dim in ("batch", "seq", "heads", "experts", "kv_seq")}
    over = {dim: f"[{', '.join(names)}]" for dim, names in axes.items() if names}
    whole = "".join(f"{dim} -> {over[dim]} optional; " for dim in ("batch", "seq") if dim in over)
    layers = [f"{dim} -> {over['heads']} optional" for dim in ("heads", "ffn", "vocab") if "heads" in over]
    layers += ["experts -> of_experts optional"] * ("experts" in over) + [f"kv_seq -> {over.get('kv_seq')} via ring optional"] * ("kv_seq" in over)
    group = f"  mesh {{ of_experts = {over['experts']} }}\n" if "experts" in over else ""
    inside = whole + (f"* {{ {'; '.join(layers)} }}; " if layers else "")
    return f"{group}  override place = {{ {inside} }}\n"


def examples(planc, folder):
    """(name, plan under general rules, plan by path) of all plans of the examples that are not OTHERWISE."""
    with tempfile.TemporaryDirectory(prefix="recipes-") as copies:
        for file in sorted(os.listdir(folder)):
            if file.endswith(".plan"):
                shutil.copy(os.path.join(folder, file), copies)
        for file in sorted(os.listdir(copies)):
            path, stem = os.path.join(copies, file), file[:-5]
            with open(path) as f:
                text = f.read()
            if "place" not in text:
                continue
            more = {f"{name}_{i}": f"plan {name}_{i} extends {name}({args}) {{}}\n" for (at, name), all_args in ARGUMENTS.items() if at == stem
                    for i, args in enumerate(all_args)}
            same = {name: f"plan {name}_same extends {name} {{\n  {rest}\n}}\n" for (at, name), (_, rest) in OTHERWISE.items() if at == stem and rest}
            with open(path, "w") as out:
                out.write("".join([text, *more.values(), *same.values()]))
            plans = priced(planc, path)
            compare = {n: plans.get(n + "_same", plans[n]) for n in plans if not n.endswith("_same") and OTHERWISE.get((stem, n), ("", ""))[1] is not None}
            with open(path, "a") as out:
                out.write("".join(f"plan {n}_general extends {n} {{\n{rules(p)}}}\n" for n, p in compare.items()))
            general = priced(planc, path)
            yield from ((f"{stem}, {n}", general[n + "_general"], p) for n, p in compare.items())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--planc", required=True)
    parser.add_argument("--examples", required=True, help="the folder of examples")
    a = parser.parse_args()
    wrong, met, count = [], set(), 0
    for name, general, by_path in rewritten(a.planc):
        lines, explained = compared(name, general, by_path, True)
        wrong, met, count = wrong + lines, met | explained, count + 1
    if count < LEAST:
        wrong.append(f"{count} plans are rewritten as recipe and arguments, {LEAST} are to be")
    for name, general, by_path in examples(a.planc, a.examples):
        lines, explained = compared(name, general, by_path, False)
        wrong, met = wrong + lines, met | explained
    wrong += [f"{key} is explained, and differs nowhere" for key in EXPLAINED if key not in met]
    print("\n".join(wrong + [f"{count} plans rewritten, {len(wrong)} differences"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
