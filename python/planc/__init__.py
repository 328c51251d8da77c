"""Plans of training runs, loaded, changed and priced: see docs/library.md."""
# SPDX-License-Identifier: Apache-2.0
from ._planc import Compilation, Diagnostics, PlanEdit, PlanFile, __version__, declarations, load, loads
from ._results import Declaration, Diagnostic, rows, run

__all__ = ["Compilation", "Declaration", "Diagnostic", "Diagnostics", "PlanEdit", "PlanFile", "declarations", "load", "loads",
           "rows", "run"]
