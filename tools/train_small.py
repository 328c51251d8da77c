#!/usr/bin/env python3
"""Trains small transformers on one GPU, with and without recomputation, and writes what was measured: a table, and plans that planc
compares with it.

    python3 tools/train_small.py --output small.csv --plans small.plan
    planc estimate small.plan

The plans name the GPU as std.devices does. Needs PyTorch 2.3 or later with CUDA. `--dry-run` needs neither, and writes the plans without
measurements.
"""

import argparse
import contextlib
import sys

from sampling import devices, small_models

WITHOUT_GPU = "h100_sxm5_80gb"  # the device of plans that no GPU was measured for
COLUMNS = ("run", "layers", "hidden", "heads", "ffn", "vocab", "batch", "seq", "recompute", "parameters", "step_ms", "peak_bytes",
           "layer_forward_ms", "layer_backward_ms", "layer_saved_bytes")


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog="docs/calibrate.md says what comes next.")
    parser.add_argument("--device", metavar="NAME", default="",
                        help=f"the GPU as std.devices calls it, for the plans (default: the one that is found; with --dry-run {WITHOUT_GPU})")
    parser.add_argument("--software", metavar="STACK", default="fsdp.torchtitan_eager", help="the stack that prices the plans")
    parser.add_argument("--steps", metavar="N", type=int, default=20, help="steps that are measured, after five others")
    parser.add_argument("--output", metavar="FILE", default="-", help="where the table goes (default: standard output)")
    parser.add_argument("--plans", metavar="FILE", default="", help="where the plans go")
    parser.add_argument("--dry-run", action="store_true", help="train nothing; needs no GPU and no PyTorch")
    options = parser.parse_args(arguments)
    if options.steps < 1:
        parser.error("--steps must be at least 1")
    return options


def row(run, values):
    cells = {"run": run.name, "recompute": "yes" if run.recompute else "no", "parameters": run.parameters(), **values}
    return ",".join(f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in (cells.get(c, getattr(run, c, "")) for c in COLUMNS))


def train(options, table):
    """Columns by run. Runs that do not fit are left out, and said."""
    import torch
    from sampling.facts import device_facts
    from sampling.training import measure

    measured = {}
    for name, value in device_facts(torch.device("cuda", 0)).items():
        table.write(f"# {name}: {value}\n")
    for run in small_models.RUNS:
        try:
            measured[run] = measure(run, torch.device("cuda", 0), options.steps, warm_up=5)
        except torch.cuda.OutOfMemoryError:
            table.write(f"# {run.name}: out of memory\n")
            continue
        finally:
            torch.cuda.empty_cache()
        table.write(row(run, measured[run]) + "\n")
        table.flush()
    source = f"tools/train_small.py, {torch.cuda.get_device_name(0)}, torch {torch.__version__}"
    return measured, source


def main(arguments):
    options = parse(arguments)
    device = options.device or WITHOUT_GPU
    if not options.dry_run:
        try:
            import torch
        except ImportError:
            sys.stderr.write("train_small.py: PyTorch is not installed; --dry-run writes the plans without it\n")
            return 2
        if not torch.cuda.is_available():
            sys.stderr.write("train_small.py: PyTorch finds no GPU (torch.cuda.is_available() is false)\n")
            return 2
        driver_name = torch.cuda.get_device_name(0)
        device = options.device or devices.device_of(driver_name)
        if options.plans and not device:
            sys.stderr.write(f"train_small.py: std.devices has no part that drivers call `{driver_name}`; --device NAME says which one the plans "
                             "are to name, and without --plans none is needed\n")
            return 2
    stream = contextlib.nullcontext(sys.stdout) if options.output == "-" else open(options.output, "w", encoding="utf-8")
    with stream as table:
        table.write(",".join(COLUMNS) + "\n")
        measured, source = ({run: {} for run in small_models.RUNS}, "") if options.dry_run else train(options, table)
        if options.dry_run:
            table.writelines(row(run, {}) + "\n" for run in small_models.RUNS)
    if options.plans:
        with open(options.plans, "w", encoding="utf-8") as file:
            file.write(small_models.plan_file(measured, device, options.software, source))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
