"""A stand-in for PyTorch that computes nothing: the scripts run through on a machine without a GPU, every event lasts a millisecond.
It shows that the scripts hang together, not that PyTorch has what they call."""

import contextlib
import sys
import types


class Anything:
    """Has every attribute, can be called, added and entered; unpacks as what was asked for."""

    def __init__(self, count=3):
        self.count = count

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *arguments, **named):
        return Anything()

    def __iter__(self):
        return iter([Anything() for _ in range(self.count)])

    def __getitem__(self, index):
        return Anything()

    def __add__(self, other):
        return self

    __radd__ = __mul__ = __rmul__ = __add__

    def __neg__(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def chunk(self, count, dim):
        return Anything(count)


class Event(Anything):
    def elapsed_time(self, end):
        return 1.0


def install(capability=(9, 0)):
    """Puts the stand-in where `import torch` finds it. `log` on it counts what was captured and replayed."""
    properties = types.SimpleNamespace(name="Fake GPU", L2_cache_size=50 << 20, total_memory=80 << 30, major=capability[0], minor=capability[1],
                                       multi_processor_count=132)
    torch = types.ModuleType("torch")
    for name in ("randn", "ones", "arange", "rand", "cat", "randint", "empty", "randn_like", "mm", "_scaled_mm", "_grouped_mm", "no_grad", "manual_seed",
                 "device", "optim", "autograd", "backends", "nn"):
        setattr(torch, name, Anything())
    torch.log = {"captured": 0, "replayed": 0}
    torch.bfloat16, torch.float16, torch.float32, torch.float8_e4m3fn, torch.uint8, torch.int32 = (Anything() for _ in range(6))
    torch.__version__, torch.version = "0.0", types.SimpleNamespace(cuda="0.0")
    torch.is_tensor = lambda value: True

    class Graph:
        def replay(self):
            torch.log["replayed"] += 1

    @contextlib.contextmanager
    def capture(graph, stream):
        torch.log["captured"] += 1
        yield

    torch.cuda = types.SimpleNamespace(
        is_available=lambda: True, set_device=lambda d: None, get_device_name=lambda d: "Fake, GPU", get_device_properties=lambda d: properties,
        get_device_capability=lambda d: capability, empty_cache=lambda: None, synchronize=lambda d=None: None, Stream=Anything, Event=Event,
        stream=lambda s: contextlib.nullcontext(), CUDAGraph=Graph, graph=capture, nccl=types.SimpleNamespace(is_available=lambda t: False))
    Event.__init__ = lambda self, enable_timing=False: None
    torch.distributed = types.SimpleNamespace(is_available=lambda: True)
    functional, attention = types.ModuleType("torch.nn.functional"), types.ModuleType("torch.nn.attention")
    for name in ("scaled_dot_product_attention", "layer_norm", "rms_norm", "gelu", "silu", "dropout", "softmax", "cross_entropy", "embedding", "linear"):
        setattr(functional, name, Anything())
    attention.SDPBackend, attention.sdpa_kernel = Anything(), Anything()
    nn = types.ModuleType("torch.nn")
    nn.Parameter, nn.functional, nn.attention, torch.nn = Anything(), functional, attention, nn
    sys.modules.update({"torch": torch, "torch.nn": nn, "torch.nn.functional": functional, "torch.nn.attention": attention})
    return torch
