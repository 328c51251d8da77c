# The shipped library as data: devices, fabrics and stacks with what they inherit written out, so that tests can price plans with other facts.
# SPDX-License-Identifier: Apache-2.0
"""A declaration is a tree of dictionaries with the text of each fact at its leaves; records `{a = 1, b = 2}` are trees, too. `write` puts a copy of
the library beside generated plans, whose imports `imports` turns to it. Clusters are copied as they stand, since they hold what a machine is, but for
their `jitter`: one fact of a module, as "clusters.tpu"."""
import fnmatch
import os
import re

STDLIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "stdlib")
EVIDENCE = ("seen", "experts", "sequence", "kinds")  # what `accuracy` of a stack says of its runs
FLAT = ("devices", "fabrics", "stacks")  # rooms whose declarations are read
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|[{}\[\]();\n]|[^\s{}\[\]();"/]+|/|[ \t\r]+')
JITTER = re.compile(r"(\bjitter\s*=\s*)([\d.]+%)")
HEAD = re.compile(r"(?P<export>export\s+)?(?P<kind>device|fabric|stack)\s+(?P<name>\w+)(?:\s+extends\s+(?P<parent>[\w.]+))?\s*\{")


class Record(dict):
    """A record of facts on one line, in place of a block."""


def _tokens(text):
    return [t for t in TOKEN.findall(text) if not t.startswith("//") and t.strip(" \t\r")]


def _value(tokens, at):
    """(text, index behind it) of a value: up to a line's end, `;`, a closing brace or the source behind `:`."""
    out, depth = [], 0
    while at < len(tokens):
        t = tokens[at]
        if depth == 0 and (t in "\n;}" or t == ":"):
            break
        depth += (t in "{[(") - (t in "}])")
        if t != "\n":
            out.append(t)
        at += 1
    text = " ".join(out).replace(" / ", "/").replace("( ", "(").replace(" (", "(").replace(" )", ")").replace("[ ", "[").replace(" ]", "]")
    return text, at


def _record(text):
    """The record that a value's text is, or the text."""
    if not text.startswith("{"):
        return text
    fields, depth, part = Record(), 0, ""
    for c in text[1:-1] + ",":
        depth += (c in "{[(") - (c in "}])")
        if c == "," and depth == 0:
            if part.strip():
                key, _, value = part.partition("=")
                fields[key.strip()] = value.strip()
            part = ""
        else:
            part += c
    return fields


def _block(tokens, at):
    """(tree, index behind the closing brace) of the facts from `at` on."""
    tree = {}
    while tokens[at] != "}":
        t = tokens[at]
        if t in ("\n", ";", "override"):
            at += 1
        elif tokens[at + 1] == "{":
            tree[t], at = _block(tokens, at + 2)
        elif tokens[at + 1] == "=":
            text, at = _value(tokens, at + 2)
            tree[t] = _record(text)
            if tokens[at] == ":":  # the source
                at += 2
        else:
            raise ValueError(f"not a fact: {' '.join(tokens[at:at + 4])}")
    return tree, at + 1


def _merged(parent, own):
    """The parent's facts with those of the heir in their place."""
    out = type(parent)(parent)
    for key, value in own.items():
        both = isinstance(value, dict) and isinstance(out.get(key), dict)
        out[key] = _merged(out[key], value) if both and not isinstance(value, Record) else _copied(value)
    return out


def _copied(tree):
    return type(tree)((k, _copied(v)) for k, v in tree.items()) if isinstance(tree, dict) else tree


def _printed(tree, indent="  "):
    lines = []
    for key, value in tree.items():
        if isinstance(value, Record):
            lines.append(f"{indent}{key} = {{{', '.join(f'{k} = {v}' for k, v in value.items())}}}")
        elif isinstance(value, dict):
            lines += [f"{indent}{key} {{"] + _printed(value, indent + "  ") + [indent + "}"]
        else:
            lines.append(f"{indent}{key} = {value}")
    return lines


def scaled(text, factor):
    """A number with its unit, or the values of a curve, times a factor."""
    number = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
    if text.startswith("curve"):
        head, _, tail = text.partition("y =")
        values, bracket, rest = tail.partition("]")
        return head + "y =" + number.sub(lambda m: f"{float(m[1]) * factor:.9g}", values) + bracket + rest
    return number.sub(lambda m: f"{float(m[1]) * factor:.9g}", text, count=1)


def number_of(text):
    """The number of a fact without its unit; of a percentage its share."""
    value = float(re.match(r"[\d.]+(?:e[+-]?\d+)?", text)[0])
    return value / 100 if text.endswith("%") else value


def _paths(tree, prefix=""):
    """The path of every fact of a tree."""
    for key, value in tree.items():
        yield from _paths(value, f"{prefix}{key}.") if isinstance(value, dict) else [prefix + key]


def inherited(facts, own):
    """The facts of a parent that an heir has: a stack of another framework does not have the runs of the stack that it extends."""
    if "framework" not in own or "accuracy" not in facts:
        return facts
    return facts | {"accuracy": {key: value for key, value in facts["accuracy"].items() if key not in EVIDENCE}}


class Library:
    """Every device, fabric and stack by "room.name", as "stacks.te_ub"; `set` changes facts of one or many."""

    def __init__(self, folder=STDLIB):
        self.folder, self.heads, self.facts, self.parents = folder, {}, {}, {}
        self.clusters = imports  # what becomes of the text of a cluster's module
        own = {}
        for room in FLAT:
            for file in sorted(os.listdir(os.path.join(folder, room))):
                with open(os.path.join(folder, room, file)) as f:
                    self._read(f.read(), room, file, own)
        for name in own:
            self._resolve(name, own)
        self.own = {name: frozenset(_paths(tree)) for name, tree in own.items()}
        for file in sorted(os.listdir(os.path.join(folder, "clusters"))):
            with open(os.path.join(folder, "clusters", file)) as f:
                if jitter := JITTER.search(f.read()):
                    self.facts[f"clusters.{file.removesuffix('.plan')}"] = {"jitter": jitter[2]}

    def _read(self, text, room, file, own):
        text = re.sub(r"^\s*///[^\n]*", "", text, flags=re.M)
        for head in HEAD.finditer(text):
            name = f"{room}.{head['name']}"
            own[name], _ = _block(_tokens(text[head.end():]), 0)
            self.heads[name] = (file, head["kind"], bool(head["export"]))
            if head["parent"]:
                self.parents[name] = f"{room}.{head['parent'].rpartition('.')[2]}"

    def _resolve(self, name, own):
        if name not in self.facts:
            parent = self.parents.get(name)
            self.facts[name] = _merged(inherited(self._resolve(parent, own), own[name]), own[name]) if parent else _copied(own[name])
        return self.facts[name]

    def copy(self):
        other = object.__new__(Library)
        other.__dict__.update(self.__dict__, facts={k: _copied(v) for k, v in self.facts.items()})
        return other

    def matching(self, names):
        """The declarations whose names match; `*` stands for anything."""
        return fnmatch.filter(self.facts, names)

    def get(self, name, path):
        """The text of a fact, or none."""
        at = self.facts[name]
        for key in path.split("."):
            at = at.get(key) if isinstance(at, dict) else None
        return at

    def paths(self, name):
        """[path of every fact of a declaration]."""
        return list(_paths(self.facts[name]))

    def reached(self, names, path):
        """The declarations that have a fact where their name matches, or from one of those: heirs that say nothing else themselves."""
        def reaches(name):
            if self.get(name, path) is None:
                return False
            return fnmatch.fnmatch(name, names) or (path not in self.own.get(name, ()) and name in self.parents and reaches(self.parents[name]))
        return [name for name in self.facts if reaches(name)]

    def set(self, names, paths, change):
        """Gives facts another text: names and paths may hold `*`, `change` is a text or a function of the old text. Returns how many facts changed."""
        count = 0
        for name in self.matching(names):
            for path in fnmatch.filter(self.paths(name), paths):
                at = self.facts[name]
                *way, last = path.split(".")
                for key in way:
                    at = at[key]
                new = change(at[last]) if callable(change) else change
                count += new != at[last]
                at[last] = new
        return count

    def add(self, name, path, text):
        """A fact that the declaration does not have yet."""
        at = self.facts[name]
        *way, last = path.split(".")
        for key in way:
            at = at.setdefault(key, {})
        at[last] = text

    def take(self, name, other, but=()):
        """Gives a declaration the facts of another, but for some at the top."""
        own = {key: value for key, value in self.facts[name].items() if key in but}
        self.facts[name] = {key: value for key, value in _copied(self.facts[other]).items() if key not in but} | own

    def write(self, folder):
        """The library as files of a folder."""
        files = {}
        for name, (file, kind, export) in self.heads.items():
            room, _, short = name.partition(".")
            text = "\n".join([("export " if export else "") + f"{kind} {short} {{"] + _printed(self.facts[name]) + ["}", ""])
            for target in (f"{room}_{file}", f"{room}.plan"):
                files.setdefault(target, []).append(text)
        for file in os.listdir(os.path.join(self.folder, "clusters")):
            with open(os.path.join(self.folder, "clusters", file)) as f:
                jitter = self.facts.get(f"clusters.{file.removesuffix('.plan')}", {}).get("jitter")
                text = f.read()
                files[f"clusters_{file}"] = [self.clusters(JITTER.sub(lambda m: m[1] + jitter, text) if jitter else text)]
        for file, parts in files.items():
            with open(os.path.join(folder, file), "w") as f:
                f.write("\n".join(parts))


def imports(text):
    """A plan whose imports of devices, fabrics, stacks and clusters are those of the copy beside it."""
    text = re.sub(r"^import std\.(devices|fabrics)$", r'import "\1.plan" as \1', text, flags=re.M)
    return re.sub(r"^import std\.(devices|fabrics|stacks|clusters)\.(\w+)$", r'import "\1_\2.plan" as \2', text, flags=re.M)
