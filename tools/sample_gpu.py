#!/usr/bin/env python3
"""Samples the operators of transformer training on one GPU, or the collectives between several, for `planc calibrate`.

One GPU, under ten minutes:
    python3 tools/sample_gpu.py --output h100.csv
The GPUs of a node, or of several:
    torchrun --nproc-per-node 8 tools/sample_gpu.py --output h100_nccl.csv
Needs PyTorch 2.3 or later with CUDA, and nothing else. `--dry-run` needs neither.
"""

import argparse
import collections
import itertools
import os
import sys
import time

from sampling import shapes
from sampling.table import Table, device_word

USAGE_ERROR = 2


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog="docs/calibrate.md says what comes next.")
    groups = list(shapes.GROUPS) + ["collective"]
    parser.add_argument("--only", metavar="KIND", action="append", choices=groups, help="only this kind, may be repeated: " + ", ".join(groups))
    parser.add_argument("--budget-seconds", metavar="S", type=positive, default=540.0,
                        help="stop after so long (default 540): each kind is covered first, then more and more sizes between")
    parser.add_argument("--kernels", choices=shapes.FORMS, default=shapes.FORMS[0],
                        help="RMSNorm of the trained program: a chain of small kernels, as Hugging Face's models write it (default), or one; "
                             "the other is a comment of the table")
    parser.add_argument("--sustain", metavar="S", type=positive, default=0.0,
                        help="before the first sample keep the GPU at full power for so long: clocks of long training, not of a burst")
    parser.add_argument("--output", metavar="FILE", default="-", help="where the table goes (default: standard output)")
    parser.add_argument("--device", metavar="N", type=int, default=0, help="which GPU (default 0; torchrun chooses its own)")
    parser.add_argument("--dry-run", action="store_true", help="list the samples and how long they may take; needs no GPU and no PyTorch")
    return parser.parse_args(arguments)


def positive(text):
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds")
    return value


def started_ranks():
    """Ranks in all and on a node, as torchrun says them."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    return world, int(os.environ.get("LOCAL_WORLD_SIZE", str(world)))


def chosen(only, form, world, per_node):
    """The cases of this run. One process samples operators, several sample collectives: operators beside collectives would wait for
    each other, and be timed on a machine that is busy."""
    if world > 1:
        if only and set(only) != {"collective"}:
            raise ValueError("operators are sampled by one process; run without torchrun for " + ", ".join(only))
        return shapes.collectives(world, per_node)
    if only and "collective" in only:
        raise ValueError("collectives need several processes: torchrun --nproc-per-node N tools/sample_gpu.py")
    cases = [case for group, cases in shapes.GROUPS.items() if not only or group in only for case in cases()]
    return shapes.spread(shapes.written(cases, form))


def seconds_per_phase(cases, budget):
    """How long one direction of one case may be repeated so that the first turn fits into half of the budget with its preparation: what is
    left goes to more sizes and not to more repeats."""
    runs = sum(len(case.phases) for case in cases if case.turn == 0)
    return max(0.01, min(0.2, 0.3 * budget / max(runs, 1)))


def dry_run(cases, budget, out):
    seconds = seconds_per_phase(cases, budget)
    for case in cases:
        out.write(f"{case.group} {case.name} {case.dtype} {'+'.join(case.phases)} {case.shape()}\n")
    ends = list(itertools.accumulate(shapes.duration(case, seconds) for case in cases))
    fitting = sum(end <= budget for end in ends)
    out.write(f"{len(cases)} samples, at most {min(ends[-1], budget):.0f} s on a GPU of 50 TFLOP/s")
    out.write(f" (all of them would take {ends[-1]:.0f} s: after the first {fitting} the budget is spent)\n" if fitting < len(cases) else "\n")


def show(case, seconds):
    times = " ".join(f"{phase} {value * 1e6:.1f} us" for phase, value in seconds.items())
    sys.stderr.write(f"{case.name} {case.dtype} {case.shape()}: {times}\n")


def sample_operators(cases, arguments, stream):
    """All cases on one GPU. What this PyTorch or GPU cannot do is left out, and counted by reason at the end of the table."""
    import torch
    from sampling.facts import clocks, device_facts
    from sampling.operators import Unavailable, attention_kernel, make
    from sampling.timing import Timer, sustain

    device = torch.device("cuda", arguments.device)
    torch.cuda.set_device(device)
    torch.manual_seed(0)
    begin = time.monotonic()
    table = Table(stream, device_word(torch.cuda.get_device_name(device)), device_facts(device))
    timer = Timer(device, seconds_per_phase(cases, arguments.budget_seconds))
    if arguments.sustain:
        sustain(device, arguments.sustain)
        table.comment(f"sustained: {arguments.sustain:g} s of products before the first sample")
    left_out, kernels = {}, collections.Counter()
    for index, case in enumerate(cases):
        if time.monotonic() - begin > arguments.budget_seconds:
            left_out["no time within --budget-seconds"] = len(cases) - index
            break
        seconds = {}
        for phase in case.phases:
            try:
                with torch.cuda.stream(timer.stream):  # backward runs on the stream of its forward
                    works = [make(case, phase, device) for _ in range(timer.sets(case.bytes))]
                seconds[phase] = timer.measure(works)
                if case.ran_nothing(seconds[phase]):
                    del seconds[phase]
                    raise Unavailable(f"{case.name} {phase}: no kernel ran")
            except (Unavailable, ImportError) as error:
                reason = str(error)
                left_out[reason] = left_out.get(reason, 0) + 1
            except RuntimeError as error:  # out of memory is one of them
                reason = f"{case.name} {case.dtype} {phase}: " + (str(error).strip().splitlines() or ["no reason given"])[0]
                left_out[reason] = left_out.get(reason, 0) + 1
            works = None
            torch.cuda.empty_cache()
        if seconds and case.kind == "attention":
            kernels[attention_kernel(case, device)] += 1
        table.add(case, seconds)
        show(case, seconds)
        if index % 200 == 199:
            table.comment(f"after {time.monotonic() - begin:.0f} s: " + ", ".join(f"{name} {value}" for name, value in clocks(device).items()))
    if kernels:
        table.comment("attention ran in " + ", ".join(f"{name} {count} times" for name, count in kernels.most_common()))
    for reason, count in left_out.items():
        table.comment(f"left out, {count}: {reason}")
    table.comment(f"took {time.monotonic() - begin:.0f} s")


def sample_collectives(cases, arguments, stream):
    """All cases between the ranks of torchrun. Only the first rank has a stream."""
    import torch
    import torch.distributed as dist
    from sampling import collectives
    from sampling.facts import device_facts

    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    begin = time.monotonic()
    table = None
    if stream:
        table = Table(stream, device_word(torch.cuda.get_device_name(device)), device_facts(device))
        table.comment("ranks: {}, on a node: {}".format(*started_ranks()))
    left = collectives.sample(cases, table, device, seconds_per_phase(cases, arguments.budget_seconds), begin + arguments.budget_seconds, show)
    if table and left:
        table.comment(f"left out, {left}: no time within --budget-seconds")
    dist.destroy_process_group()


def main(arguments):
    options = parse(arguments)
    world, per_node = started_ranks()
    try:
        cases = chosen(options.only, options.kernels, world, per_node)
    except ValueError as error:
        sys.stderr.write(f"sample_gpu.py: {error}\n")
        return USAGE_ERROR
    first = int(os.environ.get("RANK", "0")) == 0
    if options.dry_run:
        if first:
            dry_run(cases, options.budget_seconds, sys.stdout)
        return 0
    try:
        import torch
    except ImportError:
        sys.stderr.write("sample_gpu.py: PyTorch is not installed; --dry-run lists the samples without it\n")
        return USAGE_ERROR
    if not torch.cuda.is_available():
        sys.stderr.write("sample_gpu.py: PyTorch finds no GPU (torch.cuda.is_available() is false)\n")
        return USAGE_ERROR
    run = sample_collectives if world > 1 else sample_operators
    if not first:
        run(cases, options, None)
    elif options.output == "-":
        run(cases, options, sys.stdout)
    else:
        with open(options.output, "w", encoding="utf-8") as stream:
            run(cases, options, stream)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
