"""What a case runs in PyTorch: for each operator a function that makes one set of random inputs and returns the work to be timed."""

import contextlib

import torch
import torch.nn.functional as F

from sampling import eager

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}


class Unavailable(Exception):
    """This PyTorch or this GPU does not have the operator; the message says which."""


def make(case, phase, device):
    """The work of one phase of a case on fresh random inputs. Raises Unavailable."""
    return BUILDERS[case.name](case, phase, device)


def random(case, device, *shape, grad=False):
    return torch.randn(*shape, device=device, dtype=DTYPES[case.dtype]).requires_grad_(grad)


def directions(phase, function, inputs):
    """Forward, or backward of a recorded forward pass. Gradients are of all inputs that require them."""
    if phase == "forward":

        def forward():
            with torch.no_grad():
                return function(*inputs)

        return forward
    out = function(*inputs)
    gradient = torch.randn_like(out)
    wanted = [tensor for tensor in inputs if torch.is_tensor(tensor) and tensor.requires_grad]
    return lambda: torch.autograd.grad(out, wanted, gradient, retain_graph=True)


def matmul(case, phase, device):
    """The three products of a linear layer y = x wT, with the layouts that autograd gives them: w is [n, k], dy is [m, n]."""
    m, n, k = case["m"], case["n"], case["k"]
    if case.dtype == "fp8":
        return scaled_matmul(phase, device, m, n, k)
    x, w, dy = (random(case, device, *shape) for shape in ((m, k), (n, k), (m, n)))
    return {"forward": lambda: torch.mm(x, w.t()), "dgrad": lambda: torch.mm(dy, w), "wgrad": lambda: torch.mm(dy.t(), x)}[phase]


def scaled_matmul(phase, device, m, n, k):
    """fp8 with one scale per tensor. The kernel wants the first operand row by row and the second column by column, so gradients run
    on transposed copies, whose making is not part of the product."""
    if not hasattr(torch, "_scaled_mm") or torch.cuda.get_device_capability(device) < (8, 9):
        raise Unavailable("fp8 products need torch._scaled_mm and compute capability 8.9")
    rows, columns, depth = {"forward": (m, n, k), "dgrad": (m, k, n), "wgrad": (n, k, m)}[phase]
    if columns % 16 or depth % 16:
        raise Unavailable("fp8 products need dimensions that are multiples of 16")
    a = torch.randn(rows, depth, device=device).to(torch.float8_e4m3fn)
    b = torch.randn(columns, depth, device=device).to(torch.float8_e4m3fn).t()
    one = torch.ones((), device=device, dtype=torch.float32)
    return lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=phase == "forward")


def grouped_matmul(case, phase, device):
    """Products of one shape per expert, as one kernel. The gradient of the weights sums over each expert's tokens."""
    if not hasattr(torch, "_grouped_mm"):
        raise Unavailable("grouped products need torch._grouped_mm (PyTorch 2.8)")
    experts, m, n, k = (case[name] for name in ("batch", "m", "n", "k"))
    ends = torch.arange(1, experts + 1, device=device, dtype=torch.int32) * m
    x, dy = random(case, device, experts * m, k), random(case, device, experts * m, n)
    w = random(case, device, experts, n, k)
    return {
        "forward": lambda: torch._grouped_mm(x, w.transpose(-2, -1), offs=ends),
        "dgrad": lambda: torch._grouped_mm(dy, w, offs=ends),
        "wgrad": lambda: torch._grouped_mm(dy.t(), x, offs=ends),
    }[phase]


@contextlib.contextmanager
def fused_attention():
    """PyTorch's own choice among its fused kernels, as a program without a word about it gets it. The unfused products are not among
    them, so that a shape that no fused kernel can do is reported and not timed as one."""
    unfused = torch.backends.cuda.math_sdp_enabled()
    torch.backends.cuda.enable_math_sdp(False)
    try:
        yield
    finally:
        torch.backends.cuda.enable_math_sdp(unfused)


def attention(case, phase, device):
    q, k, v = queries_keys_values(case, device)
    causal = bool(case["causal"])

    def function(q, k, v):
        with fused_attention():
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    return directions(phase, function, (q, k, v))


def queries_keys_values(case, device):
    """[batch, seq, heads, head] in memory, as a projection leaves it."""
    batch, seq, heads, head = (case[name] for name in ("batch", "seq", "heads", "head_dim"))
    return (random(case, device, batch, seq, heads, head).transpose(1, 2).requires_grad_() for _ in range(3))


def attention_kernel(case, device):
    """The name of the kernel that PyTorch chooses for a case of attention, or "unknown" where it does not tell."""
    try:
        from torch.nn.attention import SDPBackend

        q, k, v = queries_keys_values(case, device)
        with fused_attention():
            return SDPBackend(torch._fused_sdp_choice(q, k, v, is_causal=bool(case["causal"]))).name.lower()
    except (ImportError, AttributeError, RuntimeError, TypeError, ValueError):
        return "unknown"


def layer_norm(case, phase, device):
    rows, width = case["rows"], case["width"]
    x, w, b = random(case, device, rows, width, grad=True), random(case, device, width, grad=True), random(case, device, width, grad=True)
    return directions(phase, lambda x, w, b: F.layer_norm(x, (width,), w, b), (x, w, b))


def rms_norm(case, phase, device):
    if case["form"] == "eager":
        return directions(phase, eager.rms_norm, norm_operands(case, device))
    if not hasattr(F, "rms_norm"):
        raise Unavailable("the fused rms_norm needs PyTorch 2.4")
    return directions(phase, lambda x, w: F.rms_norm(x, (case["width"],), w), norm_operands(case, device))


def norm_operands(case, device):
    return random(case, device, case["rows"], case["width"], grad=True), random(case, device, case["width"], grad=True)


def pointwise(function, operands):
    """A builder of an elementwise operator of so many tensors of tokens x width."""

    def build(case, phase, device):
        inputs = tuple(random(case, device, case["rows"], case["width"], grad=True) for _ in range(operands))
        return directions(phase, function, inputs)

    return build


def add(case, phase, device):
    """The sum of a residual. Its gradient is a view for either operand and runs nothing; what backward runs is the sum of the two
    gradients of a value that has two readers, a branch and the sum that ends it."""
    first, second = (random(case, device, case["rows"], case["width"]) for _ in range(2))
    return lambda: torch.add(first, second)


def bias(case, phase, device):
    inputs = (random(case, device, case["rows"], case["width"], grad=True), random(case, device, case["width"], grad=True))
    return directions(phase, lambda x, b: x + b, inputs)


def rope(case, phase, device):
    """[heads, rows, head] as models see it; [rows, heads, head] in memory, as a projection leaves it."""
    rows, head = case["rows"], case["head"]
    x = random(case, device, rows, case["width"] // head, head).transpose(0, 1).requires_grad_()
    angles = torch.rand(rows, head // 2, device=device) * 6.28
    cos, sin = (torch.cat((part, part), -1).to(x.dtype) for part in (angles.cos(), angles.sin()))
    return directions(phase, lambda x: eager.rotate(x, cos, sin), (x,))


def softmax(case, phase, device):
    return directions(phase, lambda x: F.softmax(x, -1), (random(case, device, case["rows"], case["row"], grad=True),))


def cross_entropy(case, phase, device):
    rows, vocab = case["rows"], case["width"]
    target = torch.randint(vocab, (rows,), device=device)
    logits = random(case, device, rows, vocab, grad=True)
    return directions(phase, lambda x: F.cross_entropy(x.float(), target), (logits,))


def lookup(case, phase, device):
    ids = torch.randint(case["vocab"], (case["rows"],), device=device)
    return directions(phase, lambda table: F.embedding(ids, table), (random(case, device, case["vocab"], case["width"], grad=True),))


def adamw(case, phase, device):
    """One tensor per 16M elements, as the parameters of a model are several."""
    total, piece = case["params"], 16 * 10**6
    parameters = []
    while total > 0:
        tensor = torch.nn.Parameter(torch.randn(min(total, piece), device=device))
        tensor.grad = torch.randn_like(tensor)
        parameters.append(tensor)
        total -= piece
    return torch.optim.AdamW(parameters, lr=1e-4, fused=True, capturable=True).step


def gpt_layer(case, phase, device):
    """A whole layer, eager."""
    batch, seq, heads, head, width = (case[name] for name in ("batch", "seq", "heads", "head", "width"))
    x = random(case, device, batch, seq, width, grad=True)
    shapes = ((3 * width, width), (width, width), (4 * width, width), (width, 4 * width))
    weights = [(torch.randn(*s, device=device) * 0.02).to(x.dtype).requires_grad_() for s in shapes]
    scales = [torch.ones(width, device=device, dtype=x.dtype, requires_grad=True) for _ in range(2)]

    def layer(x):
        q, k, v = F.linear(F.layer_norm(x, (width,), scales[0]), weights[0]).view(batch, seq, 3, heads, head).permute(2, 0, 3, 1, 4)
        with fused_attention():
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + F.linear(attended.transpose(1, 2).reshape(batch, seq, width), weights[1])
        inner = F.gelu(F.linear(F.layer_norm(x, (width,), scales[1]), weights[2]), approximate="tanh")
        return x + F.linear(inner, weights[3])

    return directions(phase, lambda x, *parameters: layer(x), (x, *weights, *scales))


BUILDERS = {
    "linear": matmul,
    "grouped_linear": grouped_matmul,
    "attention": attention,
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "gelu": pointwise(lambda x: F.gelu(x, approximate="tanh"), 1),
    "silu_mul": pointwise(lambda gate, up: F.silu(gate) * up, 2),
    "add": add,
    "dropout": pointwise(lambda x: F.dropout(x, 0.1), 1),
    "bias": bias,
    "rope": rope,
    "softmax": softmax,
    "cross_entropy": cross_entropy,
    "lookup": lookup,
    "adam": adamw,
    "gpt_layer": gpt_layer,
}
