"""Norms and rotary positions as Hugging Face's models write them (transformers, models/llama/modeling_llama.py): chains of small kernels, which
the sampler times and the small models run."""

import torch


def rms_norm(x, weight, epsilon=1e-6):
    """LlamaRMSNorm: in fp32 until the weight is applied."""
    wide = x.to(torch.float32)
    variance = wide.pow(2).mean(-1, keepdim=True)
    wide = wide * torch.rsqrt(variance + epsilon)
    return weight * wide.to(x.dtype)


def rotate(x, cos, sin):
    """apply_rotary_pos_emb of one tensor: `cos` and `sin` hold the angles of both halves of a head."""
    low, high = x.chunk(2, -1)
    return x * cos + torch.cat((-high, low), -1) * sin
