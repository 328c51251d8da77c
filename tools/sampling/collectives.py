"""Times collectives between the ranks that torchrun started; every rank runs every case, the slowest rank's time counts."""

import statistics
import time

import torch
import torch.distributed as dist

# Runs in a row between two events: enough that the host's launches do not show.
RUNS, FEWEST, MOST = 8, 5, 30


class Collectives:
    """The process groups of a run. Groups are made by all ranks in the same order, as NCCL demands."""

    def __init__(self, device, seconds_per_case):
        self.device, self.seconds = device, seconds_per_case
        self.groups = {}

    def group(self, peers):
        if peers not in self.groups:
            self.groups[peers] = dist.new_group(list(peers))
        return self.groups[peers]

    def measure(self, case):
        """Seconds of one run on every rank: the median over repeats on each, then the slowest rank of the group. Collective itself."""
        peers = case["peers"]
        group = self.group(peers)
        mine = 0.0
        if dist.get_rank() in peers:
            mine = self.median(work(case, group, peers, self.device), group)
        slowest = torch.tensor([mine], device=self.device, dtype=torch.float64)
        dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
        return slowest.item()

    def median(self, run, group):
        for _ in range(2):
            run()  # the first run connects the ranks
        torch.cuda.synchronize(self.device)
        first = self.between(run)
        # All ranks of the group repeat as often as the slowest would.
        count = torch.tensor([int(max(FEWEST, min(MOST, self.seconds / max(first * RUNS, 1e-6))))], device=self.device)
        dist.all_reduce(count, op=dist.ReduceOp.MIN, group=group)
        return statistics.median(self.between(run) for _ in range(int(count.item())))

    def between(self, run):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        run()  # ranks meet here
        start.record()
        for _ in range(RUNS):
            run()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e-3 / RUNS


def work(case, group, peers, device):
    """The collective on bf16 tensors, `bytes` in the full one."""
    ranks = len(peers)
    total = max(ranks, case["bytes"] // 2 // ranks * ranks)
    full = torch.randn(total, device=device, dtype=torch.bfloat16)
    part = torch.randn(total // ranks, device=device, dtype=torch.bfloat16)
    if case.name == "all_to_all":
        result = torch.empty_like(full)
        return lambda: dist.all_to_all_single(result, full, group=group)
    if case.name == "send_recv":
        send = dist.get_rank() == peers[0]
        whole = torch.randn(case["bytes"] // 2, device=device, dtype=torch.bfloat16)
        other = peers[1] if send else peers[0]

        def exchange():
            operation = dist.P2POp(dist.isend if send else dist.irecv, whole, other, group)
            for request in dist.batch_isend_irecv([operation]):
                request.wait()

        return exchange
    return {
        "all_reduce": lambda: dist.all_reduce(full, group=group),
        "all_gather": lambda: dist.all_gather_into_tensor(full, part, group=group),
        "reduce_scatter": lambda: dist.reduce_scatter_tensor(part, full, group=group),
    }[case.name]


def sample(cases, table, device, seconds_per_case, deadline, show):
    """Runs the cases on all ranks; rank 0 writes. Returns how many there was no time for; every rank stops at the same case."""
    runner = Collectives(device, seconds_per_case)
    for index, case in enumerate(cases):
        late = torch.tensor([1.0 if time.monotonic() > deadline else 0.0], device=device)
        dist.all_reduce(late, op=dist.ReduceOp.MAX)
        if late.item():
            return len(cases) - index
        seconds = runner.measure(case)
        if table:
            table.add(case, {"forward": seconds})
            show(case, {"forward": seconds})
    return 0
