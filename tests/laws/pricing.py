# Many specifications through one planc, and what its JSON says of a plan under one name each.
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import subprocess
import tempfile

from plan_text import file_text

KINDS = ("params_bytes", "grads_bytes", "optimizer_bytes", "activations_bytes", "buffers_bytes")  # of memory


class Price:
    """One plan's estimate, and the codes of what it is warned of."""

    def __init__(self, plan, warnings=()):
        self.warnings = sorted(w["code"] for w in warnings)
        self.plan, self.totals, self.memory, self.stages = plan, plan["totals"], plan["memory"], plan["memory"]["stages"]
        self.time, self.peak, self.devices = self.totals["step_time_s"], self.memory["peak_bytes"], plan["devices"]

    def largest(self, *kinds):
        """The most bytes of these kinds that a stage holds."""
        return max(sum(stage[k] for k in kinds) for stage in self.stages)

    def flops(self, kind="model"):
        """FLOPs of a step on all devices: the model's, or (`hardware`) the executed ones."""
        return self.totals[f"{kind}_tflops_per_device"] * self.devices * self.time

    def numbers(self):
        """All that two spellings of one plan must agree on."""
        found = {k: v for k, v in self.totals.items() if isinstance(v, (int, float))}
        return found | {k: self.memory[k] for k in ("peak_bytes", *KINDS)}


def price(planc, specs):
    """Prices of the named specifications, and the codes with which others were refused."""
    specs, refused = dict(specs), {}
    while specs:
        text, begins = file_text(specs)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "laws.plan"
            path.write_text(text)
            run = subprocess.run([planc, "estimate", str(path), "--format", "json", "--no-fixes", "--allow-oom", "--diagnostics=short"],
                                 capture_output=True, text=True)
        report = json.loads(run.stdout) if run.stdout.startswith("{") else {"plans": [], "diagnostics": []}
        wrong = {name: f"{found[0]['code']}: {found[0]['message']}" for name, found in reported("error", report["diagnostics"], begins).items()}
        if report["plans"]:
            warnings = reported("warning", report["diagnostics"], begins)
            names = {p["name"].removeprefix("plan_"): p for p in report["plans"]}
            return {name: Price(p, warnings.get(name, ())) for name, p in names.items()}, refused | wrong
        if not wrong:  # a crash, or an error of the file itself: nobody's fault but planc's
            return {}, refused | {name: f"exit {run.returncode}: {run.stderr[:300]}" for name in specs}
        refused |= wrong
        specs = {name: s for name, s in specs.items() if name not in wrong}
    return {}, refused


def reported(severity, diagnostics, begins):
    """What is reported among the declarations of each plan."""
    found = {}
    for d in diagnostics:
        if d["severity"] != severity or not str(d.get("file", "")).endswith("laws.plan"):
            continue
        name = max((n for n in begins if begins[n] <= d["line"]), key=lambda n: begins[n], default=None)
        if name is not None:
            found.setdefault(name, []).append(d)
    return found
