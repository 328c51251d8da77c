"""A stand-in for PyTorch that computes nothing: the scripts run through on a machine without a GPU, every event lasts a millisecond unless a
test says otherwise. It notes what is captured, summed, differentiated and attended, and with which kernels of attention allowed. It shows that the scripts hang together, not that PyTorch has what they call."""

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
    milliseconds = 1.0

    def elapsed_time(self, end):
        return self.milliseconds


def install(capability=(9, 0), name="Fake, GPU", milliseconds=1.0):
    """Puts the stand-in where `import torch` finds it. `log` on it counts what was called."""
    Event.milliseconds = milliseconds
    properties = types.SimpleNamespace(name=name, L2_cache_size=50 << 20, total_memory=80 << 30, major=capability[0], minor=capability[1],
                                       multi_processor_count=132)
    torch = types.ModuleType("torch")
    for operator in ("randn", "ones", "arange", "rand", "cat", "randint", "empty", "randn_like", "rsqrt", "mm", "_scaled_mm", "_grouped_mm", "no_grad", "manual_seed",
                 "device", "optim", "nn"):
        setattr(torch, operator, Anything())
    torch.log = {"captured": 0, "replayed": 0, "added": 0, "differentiated": 0, "attended": 0, "attended unfused": 0}

    def counted(word):
        def call(*arguments, **named):
            torch.log[word] += 1
            return Anything()

        return call

    torch.add = counted("added")
    torch.autograd = types.SimpleNamespace(grad=counted("differentiated"))
    unfused = [True]
    torch.backends = types.SimpleNamespace(cudnn=Anything(), cuda=types.SimpleNamespace(math_sdp_enabled=lambda: unfused[0],
                                                                                        enable_math_sdp=lambda on: unfused.__setitem__(0, on)))
    torch._fused_sdp_choice = lambda *arguments, **named: 3
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
        is_available=lambda: True, set_device=lambda d: None, get_device_name=lambda d: name, get_device_properties=lambda d: properties,
        get_device_capability=lambda d: capability, empty_cache=lambda: None, synchronize=lambda d=None: None, Stream=Anything, Event=Event,
        stream=lambda s: contextlib.nullcontext(), CUDAGraph=Graph, graph=capture, nccl=types.SimpleNamespace(is_available=lambda t: False))
    Event.__init__ = lambda self, enable_timing=False: None
    torch.distributed = types.SimpleNamespace(is_available=lambda: True)
    functional, attention = types.ModuleType("torch.nn.functional"), types.ModuleType("torch.nn.attention")
    for operator in ("layer_norm", "rms_norm", "gelu", "silu", "dropout", "softmax", "cross_entropy", "embedding", "linear"):
        setattr(functional, operator, Anything())
    attend, attend_unfused = counted("attended"), counted("attended unfused")
    functional.scaled_dot_product_attention = lambda *arguments, **named: (attend_unfused if unfused[0] else attend)()
    attention.SDPBackend = lambda number: types.SimpleNamespace(name={3: "CUDNN_ATTENTION"}[number])
    nn = types.ModuleType("torch.nn")
    nn.Parameter, nn.functional, nn.attention, torch.nn = Anything(), functional, attention, nn
    sys.modules.update({"torch": torch, "torch.nn": nn, "torch.nn.functional": functional, "torch.nn.attention": attention})
    return torch
