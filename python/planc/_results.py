"""Results of the program and their tables, as plain dictionaries and lists. SPDX-License-Identifier: Apache-2.0"""
import json
import os
import subprocess
from pathlib import Path
from typing import Any, Iterator, Mapping, TypedDict, Union

from ._planc import Diagnostics

PROGRAM = Path(__file__).parent / "bin" / "planc"


class Diagnostic(TypedDict):
    code: str
    severity: str
    message: str
    help: list[str]
    notes: list[str]
    file: str
    line: int
    column: int


class Declaration(TypedDict):
    kind: str
    module: str
    name: str
    summary: str


def run(command: str, *words: Union[str, "os.PathLike[str]"]) -> dict[str, Any]:
    """The JSON result of a command: run("search", "cluster.plan", "--top", "3").

    Raises Diagnostics if there is an error, a failed assertion too: args[1] are all diagnostics and args[2] is the
    result. Raises ValueError if the command does not take the words or cannot read a file. Other threads run meanwhile.
    """
    done = subprocess.run([PROGRAM, command, *map(os.fspath, words), "--format", "json"], capture_output=True, text=True,
                          encoding="utf-8")
    try:
        result = json.loads(done.stdout)
    except json.JSONDecodeError:
        kind = ValueError if done.returncode in (0, 2) else RuntimeError  # 0: a command that prints something else
        raise kind(done.stderr.strip() or f"`planc {command}` printed no result") from None
    errors = [found for found in result["diagnostics"] if found["severity"] == "error"]
    if errors:
        raise Diagnostics(f"{errors[0]['code']}: {errors[0]['message']}", result["diagnostics"], result)
    return result


def rows(result: Mapping[str, Any], table: str) -> list[dict[str, Any]]:
    """A table of a result as flat dictionaries, which a data frame takes as they are.

    `result` is what `run` or `Compilation.estimate` returned, or any JSON result of the program. A table is a list of
    objects by its path there: "search.best" of a search; "layers", "collectives", "stages" or "memory.stages" of an estimate.
    Tables of plans have the plan's id as "plan" in every row. "plans" has a row per plan, "totals" its totals alone.
    Keys are those of the JSON, units included. Members of objects and lists inside of a row have their path as key,
    "choices.mesh.tp" or "goals.0"; lists of objects are tables of their own and left out. ValueError for other tables.
    """
    plans = result.get("plans", [] if "format_version" in result else [result])
    found = [({}, plans if table == "plans" else _at(result, table))]
    if found[0][1] is None:
        found = [({"plan": plan["id"]} if plan.get("id") else {}, _at(plan, table)) for plan in plans]
    if all(value is None for _, value in found):
        names = sorted({*_tables(result), *(name for plan in plans for name in _tables(plan))})
        raise ValueError(f"the result has no table `{table}`: it has {', '.join(names) or 'none'}")
    return [dict(plan, **_flat(row)) for plan, value in found for row in ([value] if isinstance(value, dict) else value or [])]


def _at(result: Any, path: str) -> Any:
    """The table at a path; None if there is none."""
    for name in path.split("."):
        result = result.get(name) if isinstance(result, dict) else None
    return result if isinstance(result, dict) or _is_table(result) else None


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _tables(result: Any, path: str = "") -> Iterator[str]:
    for name, value in result.items():
        if _is_table(value) and value:
            yield path + name
        elif isinstance(value, dict) and not path:
            yield path + name
            yield from _tables(value, name + ".")


def _flat(value: Any, path: str = "") -> dict[str, Any]:
    """The scalars in a value, by their paths."""
    if isinstance(value, dict):
        inside = value.items()
    elif isinstance(value, list):
        inside = () if value and _is_table(value) else enumerate(value)
    else:
        return {path: value}
    return {key: leaf for name, item in inside for key, leaf in _flat(item, f"{path}.{name}" if path else str(name)).items()}
