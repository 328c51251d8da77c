"""Plans of training runs, loaded, changed and priced: see docs/library.md."""
# SPDX-License-Identifier: Apache-2.0
from ._planc import Compilation, Diagnostics, PlanEdit, PlanFile, declarations, load, loads

__all__ = ["Compilation", "Diagnostics", "PlanEdit", "PlanFile", "declarations", "load", "loads"]
