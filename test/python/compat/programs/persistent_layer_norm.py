"""Layer norm with its gradient, by persistent kernels; a program written for Triton.

Each program handles every n-th row. In the backward pass it adds up its part of the gradients of
weight and bias in registers, so that no atomics are needed.
"""

import argparse

import torch
import triton
import triton.language as tl


@triton.jit
def _moments(values, mask, n_cols):
    mean = tl.sum(values, axis=0) / n_cols
    centered = tl.where(mask, values - mean, 0.0)
    return mean, tl.sum(centered * centered, axis=0) / n_cols


@triton.jit
def forward_kernel(
    x_ptr, y_ptr, weight_ptr, bias_ptr, mean_ptr, rstd_ptr,
    stride, n_rows, n_cols, eps,
    BLOCK: tl.constexpr,
    HAS_BIAS: tl.constexpr,
):  # fmt: skip
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    weight = tl.load(weight_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    if HAS_BIAS:
        bias = tl.load(bias_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row.to(tl.int64) * stride + columns, mask=mask, other=0.0)
        x = x.to(tl.float32)
        mean, variance = _moments(x, mask, n_cols)
        rstd = tl.math.rsqrt(variance + eps)
        y = (x - mean) * rstd * weight
        if HAS_BIAS:
            y += bias
        tl.store(y_ptr + row.to(tl.int64) * stride + columns, y, mask=mask)
        tl.store(mean_ptr + row, mean)
        tl.store(rstd_ptr + row, rstd)


@triton.jit
def backward_kernel(
    x_ptr, dy_ptr, dx_ptr, weight_ptr, dweight_ptr, dbias_ptr, mean_ptr, rstd_ptr,
    stride, n_rows, n_cols,
    BLOCK: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    weight = tl.load(weight_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    dweight = tl.zeros([BLOCK], dtype=tl.float32)
    dbias = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(program, n_rows, tl.num_programs(0)):
        offsets = row.to(tl.int64) * stride + columns
        x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
        mean, rstd = tl.load(mean_ptr + row), tl.load(rstd_ptr + row)
        normalized = tl.where(mask, (x - mean) * rstd, 0.0)
        scaled = dy * weight
        correction = normalized * (tl.sum(normalized * scaled, axis=0) / n_cols)
        dx = (scaled - correction - tl.sum(scaled, axis=0) / n_cols) * rstd
        tl.store(dx_ptr + offsets, dx, mask=mask)
        dweight += dy * normalized
        dbias += dy
    tl.store(dweight_ptr + program * n_cols + columns, dweight, mask=mask)
    tl.store(dbias_ptr + program * n_cols + columns, dbias, mask=mask)


def number_of_programs(device, rows):
    driver = triton.runtime.driver.active
    index = device.index if device.index is not None else driver.get_current_device()
    return min(rows, 2 * driver.utils.get_device_properties(index)["multiprocessor_count"])


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        rows, columns = x.shape
        y = torch.empty_like(x)
        mean = torch.empty(rows, dtype=torch.float32, device=x.device)
        rstd = torch.empty_like(mean)
        grid = (number_of_programs(x.device, rows),)
        forward_kernel[grid](
            x, y, weight, bias, mean, rstd, x.stride(0), rows, columns, eps,
            BLOCK=triton.next_power_of_2(columns), HAS_BIAS=bias is not None, num_warps=4,
        )  # fmt: skip
        ctx.save_for_backward(x, weight, mean, rstd)
        ctx.has_bias = bias is not None
        return y

    @staticmethod
    def backward(ctx, dy):
        x, weight, mean, rstd = ctx.saved_tensors
        rows, columns = x.shape
        programs = number_of_programs(x.device, rows)
        dx = torch.empty_like(x)
        dweight = torch.empty((programs, columns), dtype=torch.float32, device=x.device)
        dbias = torch.empty_like(dweight)
        backward_kernel[(programs,)](
            x, dy.contiguous(), dx, weight, dweight, dbias, mean, rstd, x.stride(0), rows, columns,
            BLOCK=triton.next_power_of_2(columns), num_warps=4,
        )  # fmt: skip
        bias_gradient = dbias.sum(0).to(weight.dtype) if ctx.has_bias else None
        return dx, dweight.sum(0).to(weight.dtype), bias_gradient, None


def check(device, dtype, has_bias, rows, columns):
    torch.manual_seed(0)
    x = torch.randn(rows, columns, dtype=dtype, device=device, requires_grad=True)
    weight = torch.rand(columns, dtype=dtype, device=device, requires_grad=True)
    bias = torch.randn_like(weight, requires_grad=True) if has_bias else None
    dy = torch.randn(rows, columns, dtype=dtype, device=device)
    inputs = [value for value in (x, weight, bias) if value is not None]
    found = torch.autograd.grad(LayerNorm.apply(x, weight, bias, 1e-5), inputs, dy)
    expected = torch.autograd.grad(
        torch.nn.functional.layer_norm(x, (columns,), weight, bias, 1e-5), inputs, dy
    )
    tolerance = 2e-2 if dtype == torch.float16 else 1e-4
    for mine, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, theirs, atol=tolerance, rtol=tolerance)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default=None, help="cpu or cuda; the active one by default")
    parser.add_argument("--rows", type=int, default=19)
    parser.add_argument("--columns", type=int, default=200)
    options = parser.parse_args()
    driver = triton.runtime.driver.active
    device = torch.device(options.device or driver.get_active_torch_device())
    for dtype in (torch.float32, torch.float16):
        for has_bias in (True, False):
            check(device, dtype, has_bias, options.rows, options.columns)
    print(f"layer norm: {driver.get_current_target().backend}: ok")


if __name__ == "__main__":
    main()
