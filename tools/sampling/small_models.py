"""The transformers that tools/train_small.py trains, and the plans of the same trainings. Needs no GPU and no torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """One training: a decoder with RMSNorm, rotary positions and SwiGLU (std.models.llama.dense), on one GPU, in bf16 throughout."""

    layers: int
    hidden: int
    heads: int
    ffn: int
    batch: int
    seq: int
    recompute: bool
    vocab: int = 32000

    @property
    def name(self):
        return f"h{self.hidden}_l{self.layers}_b{self.batch}_s{self.seq}" + ("_recompute" if self.recompute else "")

    def parameters(self):
        """Embedding, head, four products of attention, three of the MLP, norms."""
        layer = 4 * self.hidden**2 + 3 * self.hidden * self.ffn + 2 * self.hidden
        return 2 * self.vocab * self.hidden + self.layers * layer + self.hidden


SHAPES = (
    {"layers": 8, "hidden": 1024, "heads": 8, "ffn": 2816, "batch": 8, "seq": 1024},
    {"layers": 16, "hidden": 1024, "heads": 8, "ffn": 2816, "batch": 2, "seq": 4096},
    {"layers": 8, "hidden": 2048, "heads": 16, "ffn": 5632, "batch": 4, "seq": 2048},
    {"layers": 4, "hidden": 4096, "heads": 32, "ffn": 11008, "batch": 2, "seq": 2048},
)
RUNS = tuple(Run(recompute=recompute, **shape) for shape in SHAPES for recompute in (False, True))

HEAD = '''/// Trainings of tools/train_small.py on one GPU. `planc estimate FILE` compares them; `planc calibrate --steps FILE` fits one factor.
import std.models.llama
import std.devices
import std.fabrics
import std.stacks.{module}
import std.optimizers

/// One GPU: nothing is sent.
cluster one {{
  device = devices.{device}
  level node * 1 {{ link = fabrics.nvlink4; bandwidth = 450GB/s; latency = 2us; topology = switch }}
}}
'''

PLAN = '''
plan {run.name} {{
  model    = llama.dense(layers = {run.layers}, hidden = {run.hidden}, heads = {run.heads}, ffn = {run.ffn}, vocab = {run.vocab})
  cluster  = one
  software = {software}
  train     {{ seq = {run.seq}; global_batch = {run.batch}; micro_batch = {run.batch}; optimizer = optimizers.adamw }}
  precision {{ compute = bf16; params = bf16; grads = bf16; optimizer = bf16 }}
  mesh {{ dp = 1 }}
  place {{ batch -> dp }}
{lines}  assert params == {parameters} : "those of the model that is trained"
}}
'''

# What is measured, as metrics of plans; backward of a recomputed layer holds its second forward.
METRICS = (
    ("step_time", "step_ms", "ms"),
    ("memory.peak", "peak_bytes", "B"),
    ('layer("decoder").forward', "layer_forward_ms", "ms"),
    ('layer("decoder").backward + layer("decoder").recompute', "layer_backward_ms", "ms"),
)


def plan_file(measured, device, software, source):
    """Plans of all runs. `measured` maps runs to columns of the table; a run that was not measured has no `measured` lines."""
    text = HEAD.format(module=software.split(".")[0], device=device)
    for run, values in measured.items():
        lines = "  recompute decoder\n" if run.recompute else ""
        for metric, column, unit in METRICS:
            if column in values:
                lines += f'  measured {metric} = {values[column]:.6g}{unit} within 30% : "{source}"\n'
        text += PLAN.format(run=run, software=software, lines=lines, parameters=run.parameters())
    return text
