"""How a piece of GPU work is timed: median of repeats between CUDA events, inputs larger than the L2 cache, CUDA graphs against the host.

The only assumption about the work is that it is a list of functions without arguments, one per set of inputs, each of which may be
called any number of times on the current stream.
"""

import statistics
import time

import torch

# Replays of one measurement: enough for a median, few enough for a budget.
FEWEST, MOST = 5, 50
# Work of one replay. Below it the resolution of events (about 0.5 us) and the gap between replays would show.
LEAST_SECONDS = 300e-6
# Sets of inputs: as many as exceed the cache twice, and no more than this.
MOST_SETS = 64


class Timer:
    """Times on one stream of one device. `seconds_per_case` bounds what a case may take beside its preparation."""

    def __init__(self, device, seconds_per_case):
        self.device = device
        self.seconds = seconds_per_case
        self.stream = torch.cuda.Stream(device)
        properties = torch.cuda.get_device_properties(device)
        self.cache = getattr(properties, "L2_cache_size", 0) or 64 << 20
        self.memory = properties.total_memory
        self.flush = torch.empty(max(2 * self.cache, 64 << 20), dtype=torch.uint8, device=device)

    def sets(self, moved):
        """How many sets of inputs a case needs so that none is found in the cache; `moved` is the bytes that one run moves."""
        wanted = int(2 * self.cache / max(moved, 1)) + 1
        return max(1, min(MOST_SETS, wanted, int(0.3 * self.memory / max(moved, 1))))

    def measure(self, works):
        """Seconds of one run: the median over replays, the host's launches excluded."""
        with torch.cuda.stream(self.stream):
            for work in works[:3]:
                work()  # the first run selects algorithms and allocates
            self.stream.synchronize()
            once = self.between(lambda: [work() for work in works]) / len(works)
            rounds = max(1, round(LEAST_SECONDS / max(once * len(works), 1e-7)))
            replay = self.replay(works, rounds, once)
            self.warm(replay)
            first = self.between(replay)
            repeats = int(max(FEWEST, min(MOST, self.seconds / max(first, 1e-6))))
            times = [self.between(replay) for _ in range(repeats)]
        return statistics.median(times) / (rounds * len(works))

    def replay(self, works, rounds, once):
        """All works `rounds` times as one function. A graph keeps the host's launches out; kernels of milliseconds need none."""

        def plain():
            for _ in range(rounds):
                for work in works:
                    work()

        if once > 2e-3:
            return plain
        try:
            graph = torch.cuda.CUDAGraph()
            self.stream.synchronize()
            with torch.cuda.graph(graph, stream=self.stream):
                plain()
            return graph.replay
        except RuntimeError:  # an operator that synchronises with the host cannot be captured
            torch.cuda.synchronize(self.device)
            return plain

    def between(self, function):
        """Seconds between two events around a call, after the cache was overwritten. The flush also gives the host a start."""
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        self.flush.zero_()
        start.record(self.stream)
        function()
        end.record(self.stream)
        end.synchronize()
        return start.elapsed_time(end) * 1e-3

    def warm(self, replay):
        """Runs for a tenth of the case's time, so that clocks are those of this load."""
        begin = time.monotonic()
        while True:
            replay()
            self.stream.synchronize()
            if time.monotonic() - begin > 0.1 * self.seconds:
                return


def sustain(device, seconds):
    """Keeps the device at full power for so long that its clocks settle where long training has them. The operands are random: zeros
    draw far less power."""
    a = torch.randn(8192, 8192, device=device, dtype=torch.bfloat16)
    b = torch.randn(8192, 8192, device=device, dtype=torch.bfloat16)
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        for _ in range(20):
            torch.mm(a, b)
        torch.cuda.synchronize(device)
