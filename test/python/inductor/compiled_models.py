"""Models from PyTorch alone, for tests and benchmarks of torch.compile.

Each is a module and its inputs, by `make(name, scale, device)`. The scale multiplies widths: 1 for
tests, 4 for benchmarks on a CPU, 16 on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MLP(nn.Sequential):
    def __init__(self, width: int) -> None:
        super().__init__(
            nn.Linear(width, 4 * width), nn.GELU(),
            nn.Linear(4 * width, 4 * width), nn.SiLU(),
            nn.Linear(4 * width, width), nn.LayerNorm(width),
        )  # fmt: skip


class ResidualBlock(nn.Module):
    """Two convolutions with batch norms, and a shortcut."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.shortcut = nn.Conv2d(channels, out, 1, stride, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(out) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu(self.norms[0](self.first(x)))
        return F.relu(self.norms[1](self.second(y)) + self.norms[2](self.shortcut(x)))


class CNN(nn.Sequential):
    def __init__(self, width: int) -> None:
        super().__init__(
            nn.Conv2d(3, width, 3, 1, 1), ResidualBlock(width, width, 1),
            ResidualBlock(width, 2 * width, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            nn.Linear(2 * width, 10), nn.LogSoftmax(-1),
        )  # fmt: skip


class Attention(nn.Module):
    """Attention of several heads, written out, with a causal mask or to other positions."""

    def __init__(self, width: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x: Tensor, other: Tensor) -> Tensor:
        def split(y: Tensor) -> Tensor:
            return y.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        q, k, v = split(self.query(x)), split(self.key(other)), split(self.value(other))
        scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        if self.causal:
            ones = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device)
            scores = scores.masked_fill(~ones.tril(), float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(-2))


class Layer(nn.Module):
    """A layer of a transformer: of a decoder if it gets the encoder's output."""

    def __init__(self, width: int, heads: int, is_decoder: bool) -> None:
        super().__init__()
        self.attention = Attention(width, heads, is_decoder)
        self.cross = Attention(width, heads, False) if is_decoder else None
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        y = self.norms[0](x)
        x = x + self.attention(y, y)
        if self.cross is not None and memory is not None:
            x = x + self.cross(self.norms[1](x), memory)
        return x + self.mlp(self.norms[2](x))


class Encoder(nn.Sequential):
    def __init__(self, width: int) -> None:
        super().__init__(*(Layer(width, 4, False) for _ in range(2)))


class Decoder(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(100, width)
        nn.init.normal_(self.embedding.weight, std=0.1)
        self.layers = nn.ModuleList(Layer(width, 4, True) for _ in range(2))

    def forward(self, tokens: Tensor, memory: Tensor) -> Tensor:
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, memory)
        following = tokens.roll(-1, 1).flatten()
        return F.cross_entropy((x @ self.embedding.weight.T).flatten(0, 1), following)


class LSTM(nn.Module):
    """A loop over time of a cell."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.input, self.state = nn.Linear(width, 4 * width), nn.Linear(width, 4 * width)

    def forward(self, x: Tensor) -> Tensor:
        h = c = torch.zeros_like(x[:, 0])
        for t in range(x.shape[1]):
            i, f, g, o = (self.input(x[:, t]) + self.state(h)).chunk(4, -1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        return h


class UNetBlock(nn.Module):
    """A block of a diffusion model: group norms, a time embedding, down, up and a skip."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.GroupNorm(4, width) for _ in range(2))
        self.first, self.second = (nn.Conv2d(width, width, 3, 1, 1) for _ in range(2))
        self.down = nn.Conv2d(width, width, 3, 2, 1)
        self.up = nn.Conv2d(2 * width, width, 3, 1, 1)
        self.time = nn.Linear(width, width)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        half = x.shape[1] // 2
        angles = t[:, None] * torch.exp(torch.arange(half, device=x.device) * (-8.0 / half))
        embedded = self.time(F.silu(torch.cat([angles.sin(), angles.cos()], -1)))
        y = self.first(F.silu(self.norms[0](x))) + embedded[:, :, None, None]
        y = x + self.second(F.silu(self.norms[1](y)))
        low = F.interpolate(F.silu(self.down(y)), scale_factor=2, mode="nearest")
        return self.up(torch.cat([low, y], 1))


class MoE(nn.Module):
    """Two of four experts for each token, weighted; every expert computes all tokens."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gate = nn.Linear(width, 4)
        self.up = nn.Parameter(torch.randn(4, width, 2 * width) * width**-0.5)
        self.down = nn.Parameter(torch.randn(4, 2 * width, width) * width**-0.5)

    def forward(self, x: Tensor) -> Tensor:
        weights, chosen = self.gate(x).softmax(-1).topk(2, -1)
        weights = weights / weights.sum(-1, keepdim=True)
        shares = torch.zeros(*x.shape[:-1], 4, device=x.device).scatter(-1, chosen, weights)
        hidden = F.silu(torch.einsum("btd,edh->bteh", x, self.up))
        return torch.einsum("bteh,ehd,bte->btd", hidden, self.down, shares)


def _images(scale: int, channels: int) -> Tensor:
    return torch.randn(2 * scale, channels, 8 * min(scale, 4), 8 * min(scale, 4))


def _tokens(scale: int, width: int) -> Tensor:
    return torch.randn(scale, 16 * min(scale, 8), width)


MODELS: dict[str, Callable[[int], tuple[nn.Module, tuple[Tensor, ...]]]] = {
    "MLP": lambda s: (MLP(32 * s), (torch.randn(32 * s, 32 * s),)),
    "CNN": lambda s: (CNN(8 * s), (_images(s, 3),)),
    "encoder": lambda s: (Encoder(32 * s), (_tokens(s, 32 * s),)),
    "decoder": lambda s: (
        Decoder(32 * s),
        (torch.randint(0, 100, (s, 16 * min(s, 8))), _tokens(s, 32 * s)),
    ),
    "LSTM": lambda s: (LSTM(32 * s), (torch.randn(8 * s, 6, 32 * s),)),
    "U-Net": lambda s: (UNetBlock(8 * s), (_images(s, 8 * s), torch.rand(2 * s))),
    "MoE": lambda s: (MoE(32 * s), (_tokens(s, 32 * s),)),
}


def make(name: str, scale: int, device: str = "cpu") -> tuple[nn.Module, tuple[Tensor, ...]]:
    """A model with random weights, and its inputs; the same ones each time."""
    torch.manual_seed(0)
    model, inputs = MODELS[name](scale)
    inputs = tuple(x.to(device).requires_grad_(x.is_floating_point()) for x in inputs)
    return model.to(device), inputs


def step(model: Callable[..., Tensor], inputs: tuple[Tensor, ...]) -> Tensor:
    """Runs a model forward and backward; returns its output."""
    out = model(*inputs)
    (out * out).sum().backward()
    return out


def gradients(model: nn.Module, inputs: tuple[Tensor, ...]) -> dict[str, Tensor]:
    """The gradients of the last step by name, which are removed."""
    named = {**dict(model.named_parameters()), **{f"input {i}": x for i, x in enumerate(inputs)}}
    found = {name: x.grad for name, x in named.items() if x.grad is not None}
    for x in named.values():
        x.grad = None
    return found


def worst_error(found: dict[str, Tensor], expected: dict[str, Tensor]) -> float:
    """The largest difference over the largest expected value of all tensors.

    Some gradients are sums that cancel, such as that of a key's bias in attention.
    """
    assert found.keys() == expected.keys()
    largest = max(x.abs().max().item() for x in expected.values())
    return max((found[name] - expected[name]).abs().max().item() for name in found) / largest
