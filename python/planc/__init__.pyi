# Types of the module. SPDX-License-Identifier: Apache-2.0
from os import PathLike
from typing import Any, Mapping, Optional, Sequence, Union

from ._results import Declaration as Declaration, Diagnostic as Diagnostic, rows as rows, run as run

__version__: str
"""The version of the package, which is that of the program."""

class Diagnostics(Exception):
    """A plan was rejected; `args[1]` are the diagnostics. For `run` they are the diagnostics of the program, and `args[2]` is its result."""

class PlanEdit:
    """A change of a plan: it changes what it names and nothing else."""
    def __init__(
        self,
        *,
        facts: Mapping[str, Union[str, int, float]] = ...,
        axes: Mapping[str, int] = ...,
        micro_batch: Optional[int] = ...,
        global_batch: Optional[int] = ...,
        schedule: Union[None, str, tuple[str, Mapping[str, int]]] = ...,
        place: Mapping[tuple[str, str], Sequence[str]] = ...,
        states: Mapping[tuple[str, str], Sequence[str]] = ...,
        recompute: Optional[Sequence[str]] = ...,
    ) -> None: ...

class Compilation:
    """One plan on its way down. Errors raise Diagnostics."""
    @property
    def name(self) -> str: ...
    @property
    def devices(self) -> int: ...
    @property
    def step_time(self) -> float:
        """Seconds of a step."""
    @property
    def peak_memory(self) -> float:
        """Bytes on the fullest device."""
    @property
    def fits(self) -> bool: ...
    @property
    def mfu(self) -> float: ...
    def edit(self, edit: PlanEdit) -> Compilation:
        """The plan with a change, not priced yet."""
    def price(self, edit: Optional[PlanEdit] = ...) -> tuple[float, float, bool]:
        """Step time, peak memory and whether it fits: of the plan, or of the plan with a change."""
    def estimate(self) -> dict[str, Any]:
        """The report, as `planc estimate --format json` has it; nothing is asserted or compared with measurements."""
    def rows(self, table: str = ...) -> list[dict[str, Any]]:
        """A table of the report, as `rows(plan.estimate(), table)`: "layers" (of each stage), "collectives", "stages", …"""
    def text(self, edit: PlanEdit, name: str) -> str:
        """The change as a plan that extends this one; Diagnostics where it does not fit or plan text cannot say it."""
    def diagnostics(self) -> list[Diagnostic]: ...

class PlanFile:
    """A loaded file with what it imports."""
    def set(self, path: str, value: Union[str, int, float]) -> None:
        """Another value for a fact of the plans that are bound from now on, as `--set`; no plan of the file can be bound
        where one is wrong."""
    def bind(self, choice: str = ...) -> Compilation:
        """The plan of that name, with arguments where it takes any: "pretrain(nodes = 8)"; without one the only one."""
    def plans(self) -> list[Compilation]:
        """Every plan whose parameters have defaults."""
    def diagnostics(self) -> list[Diagnostic]: ...

def load(path: Union[str, PathLike[str]]) -> PlanFile:
    """Reads a file of plans. OSError where it cannot be read, Diagnostics where it has errors."""

def loads(text: str, path: str = ...) -> PlanFile:
    """The same of a text, as if it stood in a file at `path`."""

def declarations(kind: str = ...) -> list[Declaration]:
    """What the library declares: of one kind ("device", "fabric", "cluster", "stack", "model"), or all."""
