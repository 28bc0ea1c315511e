"""A kernel as a PyTorch operator: with gradients, fake tensors and torch.compile.

Run it:  .venv/bin/python docs/tutorials/07_custom_operator.py
"""

import torch

import tilewright
import tilewright.inductor
import tilewright.language as tl

# Makes torch.compile generate kernels for Tilewright on the CPU, and `triton` mean Tilewright,
# which `torch.library.triton_op` needs. It must come before PyTorch's compiler is used.
tilewright.inductor.register()

# The operator is RMS norm: each row is divided by the root of the mean of its squares, and scaled.
#
#     y = x * r * w        r = 1 / sqrt(mean(x * x) + eps)
#
# With g the gradient of y, the gradient of x is r * (g * w - x * r * r * mean(g * w * x)), and that
# of w is the sum over all rows of g * x * r.


@tilewright.jit
def rms_norm_kernel(x, w, y, scale, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    values = tl.load(x + row * columns + i, mask=inside, other=0.0).to(tl.float32)
    r = 1 / tl.sqrt(tl.sum(values * values) / columns + eps)
    weights = tl.load(w + i, mask=inside)
    tl.store(y + row * columns + i, values * r * weights, mask=inside)
    tl.store(scale + row, r)


@tilewright.jit
def rms_norm_backward_kernel(g, x, w, scale, grad_x, grad_w, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    values = tl.load(x + row * columns + i, mask=inside, other=0.0).to(tl.float32)
    gradients = tl.load(g + row * columns + i, mask=inside, other=0.0).to(tl.float32)
    r = tl.load(scale + row)
    weighted = gradients * tl.load(w + i, mask=inside, other=0.0)
    mean = tl.sum(weighted * values) / columns
    tl.store(grad_x + row * columns + i, r * (weighted - values * r * r * mean), mask=inside)
    tl.atomic_add(grad_w + i, gradients * values * r, mask=inside)


# An operator
#
# `torch.library.custom_op` makes a function an operator, whose types are those of the annotations.
# The function may do anything with its tensors; PyTorch does not look into it. It must return new
# tensors, and name the arguments that it changes in `mutates_args`.


@torch.library.custom_op("tutorial::rms_norm", mutates_args=())
def rms_norm(x: torch.Tensor, w: torch.Tensor, eps: float) -> tuple[torch.Tensor, torch.Tensor]:
    x = x.contiguous()
    rows, columns = x.shape
    y, scale = torch.empty_like(x), x.new_empty(rows, dtype=torch.float32)
    block = tilewright.next_power_of_2(columns)
    rms_norm_kernel[(rows,)](x, w, y, scale, columns, eps, BLOCK=block)
    return y, scale


@torch.library.custom_op("tutorial::rms_norm_backward", mutates_args=())
def rms_norm_backward(
    g: torch.Tensor, x: torch.Tensor, w: torch.Tensor, scale: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    g, x = g.contiguous(), x.contiguous()
    rows, columns = x.shape
    grad_x, grad_w = torch.empty_like(x), torch.zeros_like(w, dtype=torch.float32)
    block = tilewright.next_power_of_2(columns)
    rms_norm_backward_kernel[(rows,)](g, x, w, scale, grad_x, grad_w, columns, BLOCK=block)
    return grad_x, grad_w.to(w.dtype)


# Fake tensors
#
# torch.compile and torch.export trace a program with tensors that have shapes, but no memory. For
# them, an operator needs a function that returns tensors like the results: their shapes, strides,
# dtypes and devices. Sizes may be symbols; the function must not decide by their values.


@rms_norm.register_fake
def _(x, w, eps):
    return x.new_empty(x.shape), x.new_empty(x.shape[0], dtype=torch.float32)


@rms_norm_backward.register_fake
def _(g, x, w, scale):
    return x.new_empty(x.shape), torch.empty_like(w)


# Gradients
#
# One function keeps what the gradient needs, and another computes it. It calls an operator, too, so
# that the backward pass can be traced like the forward pass. `scale` has no gradient.


def keep(ctx, inputs, output):
    x, w, _ = inputs
    ctx.save_for_backward(x, w, output[1])


def backward(ctx, g, _):
    x, w, scale = ctx.saved_tensors
    grad_x, grad_w = rms_norm_backward(g, x, w, scale)
    return grad_x, grad_w, None


rms_norm.register_autograd(backward, setup_context=keep)


def check_the_operator() -> None:
    """`opcheck` compares the fake results, the traced graph and the gradients with the operator."""
    x = torch.randn(5, 70, requires_grad=True)
    w = torch.randn(70, requires_grad=True)
    torch.library.opcheck(rms_norm, (x, w, 1e-5))
    expected = torch.nn.functional.rms_norm(x, (70,), w, 1e-5)
    torch.testing.assert_close(rms_norm(x, w, 1e-5)[0], expected, rtol=1e-5, atol=1e-5)
    print("rms_norm agrees with torch.nn.functional.rms_norm")


# In compiled functions
#
# torch.compile takes the operator as it is, and generates kernels for the code around it.


def block(x, w, a, b):
    return torch.nn.functional.silu(rms_norm(x @ a, w, 1e-5)[0]) @ b + x


def reference(x, w, a, b):
    y = torch.nn.functional.rms_norm(x @ a, w.shape, w, 1e-5)
    return torch.nn.functional.silu(y) @ b + x


def gradients(function, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
    result = function(*inputs)
    return result, *torch.autograd.grad(result.square().sum(), inputs)


def compile_a_function() -> None:
    shapes = ((16, 32), (64,), (32, 64), (64, 32))
    inputs = [(torch.randn(shape) / 8).requires_grad_() for shape in shapes]
    compiled = torch.compile(block, fullgraph=True)
    pairs = zip(gradients(compiled, *inputs), gradients(reference, *inputs), strict=True)
    for found, expected in pairs:
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    print("the compiled function agrees with eager mode, and so do its gradients")


# Kernels that torch.compile sees
#
# To PyTorch, a `custom_op` is opaque. `torch.library.triton_op` has the same arguments, but is
# traced: kernels that are launched through `wrap_triton` become part of the graph, are compiled
# with the others, and buffers around them can be reused. Gradients need functions as above.


@torch.library.triton_op("tutorial::rms_norm_traced", mutates_args=())
def rms_norm_traced(x: torch.Tensor, w: torch.Tensor, eps: float) -> torch.Tensor:
    y, scale = torch.empty_like(x), x.new_empty(x.shape[0], dtype=torch.float32)
    columns = x.shape[1]
    launched = torch.library.wrap_triton(rms_norm_kernel)
    size = tilewright.next_power_of_2(columns)
    launched[(x.shape[0],)](x, w, y, scale, columns, eps, BLOCK=size)
    return y


def compile_the_kernel_itself() -> None:
    x, w = torch.randn(20, 48), torch.randn(48)

    def function(x, w):
        return rms_norm_traced(x.sin(), w, 1e-5) * 2

    found = torch.compile(function, fullgraph=True)(x, w)
    expected = torch.nn.functional.rms_norm(x.sin(), (48,), w, 1e-5) * 2
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    print("the traced kernel agrees with torch.nn.functional.rms_norm")


if __name__ == "__main__":
    torch.manual_seed(0)
    check_the_operator()
    compile_a_function()
    compile_the_kernel_itself()
