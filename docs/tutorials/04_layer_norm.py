"""Layer norm, forward and backward: loops over rows, and sums across programs.

Run it:  .venv/bin/python docs/tutorials/04_layer_norm.py
"""

import torch

import tilewright
import tilewright.language as tl
from tilewright.testing import compare

# y = (x - mean) / sqrt(variance + eps) * weight + bias, with mean and variance of each row. The
# forward kernel resembles the softmax kernel: one program, one row, read once and written once. It
# also stores the mean and 1 / sqrt(variance + eps), called rstd, for the backward pass.


@tilewright.jit
def forward_kernel(x, weight, bias, y, mean_out, rstd_out, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < n
    values = tl.load(x + row * stride + i, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(values, axis=0) / n
    # Outside of the row the difference must be zero, or it would contribute to the variance.
    centered = tl.where(inside, values - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(centered * centered, axis=0) / n + eps)
    tl.store(mean_out + row, mean)
    tl.store(rstd_out + row, rstd)
    w = tl.load(weight + i, mask=inside)
    b = tl.load(bias + i, mask=inside)
    tl.store(y + row * stride + i, centered * rstd * w + b, mask=inside)


# Backward. With h = (x - mean) * rstd and g = dy * weight, each of one row,
#
#     dx = rstd * (g - mean(g) - h * mean(g * h))
#
# which depends on one row only. But the gradients of weight and bias are sums over all rows:
#
#     dweight = sum of dy * h        dbias = sum of dy
#
# So a program takes not one row but every `programs`-th one, accumulates its partial sum in a tile
# that the loop carries, and writes it into its own row of a small matrix. No program waits for
# another, and the order of the additions is fixed, so the result is reproducible; with atomic
# additions it would not be. A second kernel adds up the partial sums.


@tilewright.jit
def backward_kernel(
    dy, x, weight, mean, rstd, dx, dweight_part, dbias_part, stride, rows, n, BLOCK: tl.constexpr
):
    program = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < n
    w = tl.load(weight + i, mask=inside, other=0.0).to(tl.float32)
    dweight = tl.zeros((BLOCK,), dtype=tl.float32)
    dbias = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        values = tl.load(x + row * stride + i, mask=inside, other=0.0).to(tl.float32)
        grad = tl.load(dy + row * stride + i, mask=inside, other=0.0).to(tl.float32)
        scale = tl.load(rstd + row)
        h = tl.where(inside, (values - tl.load(mean + row)) * scale, 0.0)
        g = grad * w
        mean_g = tl.sum(g, axis=0) / n
        mean_gh = tl.sum(g * h, axis=0) / n
        tl.store(dx + row * stride + i, scale * (g - mean_g - h * mean_gh), mask=inside)
        dweight += grad * h
        dbias += grad
    tl.store(dweight_part + program * n + i, dweight, mask=inside)
    tl.store(dbias_part + program * n + i, dbias, mask=inside)


@tilewright.jit
def add_parts_kernel(parts, total, count, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = column < n
    # A tile of two dimensions: `[:, None]` turns the row numbers into a column, `[None, :]` the
    # column numbers into a row, and an operation on both broadcasts them to [ROWS, BLOCK].
    sums = tl.zeros((ROWS, BLOCK), dtype=tl.float32)
    for first in range(0, count, ROWS):
        row = first + tl.arange(0, ROWS)
        mask = (row < count)[:, None] & inside[None, :]
        sums += tl.load(parts + row[:, None] * n + column[None, :], mask=mask, other=0.0)
    tl.store(total + column, tl.sum(sums, axis=0), mask=inside)


class LayerNorm(torch.autograd.Function):
    """Layer norm over the last dimension of a contiguous matrix [rows, n]."""

    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        rows, n = x.shape
        y = torch.empty_like(x)
        mean = torch.empty(rows)
        rstd = torch.empty(rows)
        block = tilewright.next_power_of_2(n)
        forward_kernel[(rows,)](x, weight, bias, y, mean, rstd, x.stride(0), n, eps, BLOCK=block)
        ctx.save_for_backward(x, weight, mean, rstd)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, weight, mean, rstd = ctx.saved_tensors
        rows, n = x.shape
        dy = dy.contiguous()
        dx = torch.empty_like(x)
        programs = min(rows, 16)
        parts = torch.empty(2, programs, n)
        grads = torch.empty(2, n)
        block = tilewright.next_power_of_2(n)
        backward_kernel[(programs,)](
            dy, x, weight, mean, rstd, dx, parts[0], parts[1], x.stride(0), rows, n, BLOCK=block
        )
        for part, grad in zip(parts, grads, strict=True):
            add_parts_kernel[(tilewright.cdiv(n, 128),)](part, grad, programs, n, ROWS=8, BLOCK=128)
        return dx, grads[0].to(weight.dtype), grads[1].to(weight.dtype), None


def layer_norm(x, weight, bias, eps=1e-5):
    return LayerNorm.apply(x, weight, bias, eps)


def gradients(function, x, weight, bias, dy):
    inputs = [t.detach().clone().requires_grad_() for t in (x, weight, bias)]
    y = function(*inputs)
    y.backward(dy)
    return [y.detach(), *(t.grad for t in inputs)]


def torch_layer_norm(x, weight, bias):
    return torch.nn.functional.layer_norm(x, (x.shape[1],), weight, bias)


def main() -> None:
    for rows, n in ((151, 781), (64, 1024)):
        x, dy = torch.randn(rows, n) + 3, torch.randn(rows, n)
        weight, bias = torch.rand(n), torch.rand(n)
        ours = gradients(layer_norm, x, weight, bias, dy)
        theirs = gradients(torch_layer_norm, x, weight, bias, dy)
        for name, a, b in zip(("y", "dx", "dweight", "dbias"), ours, theirs, strict=True):
            error = ((a - b).norm() / b.norm()).item()
            assert error < 1e-5, f"{name}: {error}"
    print("layer norm agrees with PyTorch, forward and backward")

    x, dy = torch.randn(4096, 1024), torch.randn(4096, 1024)
    weight, bias = torch.rand(1024), torch.rand(1024)
    functions = {"tilewright": layer_norm, "torch": torch_layer_norm}

    def forward(f):
        return lambda: f(x, weight, bias)

    def both(f):
        return lambda: gradients(f, x, weight, bias, dy)

    for title, way in (("forward", forward), ("forward and backward", both)):
        times = compare({name: way(f) for name, f in functions.items()}, rounds=15)
        for name, seconds in times.items():
            print(f"{title:22s} {name:12s} {1e3 * seconds:7.3f} ms")


if __name__ == "__main__":
    main()
