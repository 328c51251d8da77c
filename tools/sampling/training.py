"""Trains one of the small transformers for real and measures its steps: times between CUDA events, memory of PyTorch's allocator."""

import statistics

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from sampling.eager import rms_norm, rotate


class Marks:
    """Events and allocated bytes at the borders of the layers, in forward and in backward."""

    def __init__(self, count):
        self.forward = [torch.cuda.Event(enable_timing=True) for _ in range(count)]
        self.backward = [torch.cuda.Event(enable_timing=True) for _ in range(count)]
        self.allocated = [0] * count


class Mark(torch.autograd.Function):
    """The identity; notes when forward and backward pass by."""

    @staticmethod
    def forward(ctx, x, marks, index):
        ctx.marks, ctx.index = marks, index
        marks.forward[index].record()
        marks.allocated[index] = torch.cuda.memory_allocated()
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        ctx.marks.backward[ctx.index].record()
        return gradient, None, None


class Layer(torch.nn.Module):
    def __init__(self, run):
        super().__init__()
        self.heads, self.head = run.heads, run.hidden // run.heads
        self.norm1 = torch.nn.Parameter(torch.ones(run.hidden))
        self.norm2 = torch.nn.Parameter(torch.ones(run.hidden))
        shapes = {"q": (run.hidden, run.hidden), "k": (run.hidden, run.hidden), "v": (run.hidden, run.hidden), "o": (run.hidden, run.hidden),
                  "gate": (run.hidden, run.ffn), "up": (run.hidden, run.ffn), "down": (run.ffn, run.hidden)}
        self.w = torch.nn.ParameterDict({name: torch.nn.Parameter(0.02 * torch.randn(out, into)) for name, (into, out) in shapes.items()})

    def split(self, x):
        return x.view(*x.shape[:2], self.heads, self.head)

    def forward(self, x, cos, sin):
        norm = rms_norm(x, self.norm1)
        q = rotate(self.split(F.linear(norm, self.w["q"])), cos, sin)
        k = rotate(self.split(F.linear(norm, self.w["k"])), cos, sin)
        v = self.split(F.linear(norm, self.w["v"]))
        core = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True)
        x = x + F.linear(core.transpose(1, 2).reshape(x.shape), self.w["o"])
        norm = rms_norm(x, self.norm2)
        return x + F.linear(F.silu(F.linear(norm, self.w["gate"])) * F.linear(norm, self.w["up"]), self.w["down"])


class Model(torch.nn.Module):
    def __init__(self, run):
        super().__init__()
        self.run = run
        self.embed = torch.nn.Embedding(run.vocab, run.hidden)
        self.layers = torch.nn.ModuleList(Layer(run) for _ in range(run.layers))
        self.norm = torch.nn.Parameter(torch.ones(run.hidden))
        self.head = torch.nn.Linear(run.hidden, run.vocab, bias=False)

    def forward(self, tokens, cos, sin, marks):
        x = self.embed(tokens)
        for index, layer in enumerate(self.layers):
            x = Mark.apply(x, marks, index)
            x = checkpoint(layer, x, cos, sin, use_reentrant=False) if self.run.recompute else layer(x, cos, sin)
        x = rms_norm(Mark.apply(x, marks, len(self.layers)), self.norm)
        return self.head(x)


def measure(run, device, steps, warm_up):
    """Columns of the table for one training: medians over steps, and over layers of a step."""
    torch.manual_seed(0)
    with torch.device(device):
        model = Model(run).to(torch.bfloat16)
        angles = torch.arange(run.seq).float()[:, None] * 1e4 ** (-torch.arange(0, run.hidden // run.heads, 2).float() / (run.hidden // run.heads))
    angles = torch.cat((angles, angles), -1)[None, :, None, :]
    cos, sin = angles.cos().to(torch.bfloat16), angles.sin().to(torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    times, forwards, backwards, saved, losses = [], [], [], [], []
    for step in range(warm_up + steps):
        if step == warm_up:
            torch.cuda.reset_peak_memory_stats(device)
        tokens = torch.randint(run.vocab, (run.batch, run.seq + 1), device=device)
        marks = Marks(run.layers + 1)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        logits = model(tokens[:, :-1], cos, sin, marks)
        loss = F.cross_entropy(logits.float().view(-1, run.vocab), tokens[:, 1:].reshape(-1))
        del logits
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        end.record()
        end.synchronize()
        if step < warm_up:
            continue
        times.append(begin.elapsed_time(end))
        losses.append(loss.item())
        forwards += [marks.forward[i].elapsed_time(marks.forward[i + 1]) for i in range(run.layers)]
        backwards += [marks.backward[i + 1].elapsed_time(marks.backward[i]) for i in range(run.layers)]
        saved += [marks.allocated[i + 1] - marks.allocated[i] for i in range(run.layers)]
    if not all(value == value for value in losses):
        raise RuntimeError("the loss is not a number: nothing that was measured counts")
    return {
        "step_ms": statistics.median(times),
        "peak_bytes": torch.cuda.max_memory_allocated(device),
        "layer_forward_ms": statistics.median(forwards),
        "layer_backward_ms": statistics.median(backwards),
        "layer_saved_bytes": statistics.median(saved),
    }
