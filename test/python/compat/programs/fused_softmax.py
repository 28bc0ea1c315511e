"""Row-wise softmax by a persistent kernel, whose grid fills the device exactly once.

A program written for Triton; nothing in it knows Tilewright. The number of programs per
multiprocessor follows from the registers and the shared memory of the compiled kernel.
"""

import argparse

import torch
import triton
import triton.language as tl
from triton.runtime import driver


@triton.jit
def softmax_kernel(
    output_ptr,
    input_ptr,
    input_row_stride,
    output_row_stride,
    n_rows,
    n_cols,
    BLOCK_SIZE: tl.constexpr,
    num_stages: tl.constexpr,
):
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row in tl.range(row_start, n_rows, row_step, num_stages=num_stages):
        columns = tl.arange(0, BLOCK_SIZE)
        mask = columns < n_cols
        values = tl.load(
            input_ptr + row * input_row_stride + columns, mask=mask, other=-float("inf")
        )
        numerator = tl.exp(values - tl.max(values, axis=0))
        result = numerator / tl.sum(numerator, axis=0)
        tl.store(output_ptr + row * output_row_stride + columns, result, mask=mask)


def programs_per_multiprocessor(kernel, properties, num_warps):
    """How many programs of a compiled kernel fit on one multiprocessor."""
    kernel._init_handles()
    fits = []
    if kernel.n_regs:
        threads = properties["warpSize"] * num_warps
        fits.append(properties["max_num_regs"] // (kernel.n_regs * threads))
    if kernel.metadata.shared:
        fits.append(properties["max_shared_mem"] // kernel.metadata.shared)
    return max(1, min(fits, default=1))


compiled = {}


def softmax(x):
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    num_warps = 8 if block >= 2048 else 4
    properties = driver.active.utils.get_device_properties(driver.active.get_current_device())
    num_stages = 4 if properties["max_shared_mem"] > 200_000 else 2
    y = torch.empty_like(x)
    if block not in compiled:
        kernel = softmax_kernel.warmup(
            y, x, x.stride(0), y.stride(0), n_rows, n_cols,
            BLOCK_SIZE=block, num_stages=num_stages, num_warps=num_warps, grid=(1,),
        )  # fmt: skip
        per_multiprocessor = programs_per_multiprocessor(kernel, properties, num_warps)
        compiled[block] = per_multiprocessor * properties["multiprocessor_count"]
    num_programs = min(compiled[block], n_rows)
    softmax_kernel[(num_programs, 1, 1)](
        y, x, x.stride(0), y.stride(0), n_rows, n_cols,
        BLOCK_SIZE=block, num_stages=num_stages, num_warps=num_warps,
    )  # fmt: skip
    return y, num_programs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default=None, help="cpu or cuda; the active one by default")
    parser.add_argument("--rows", type=int, default=37)
    parser.add_argument("--columns", type=int, default=301)
    options = parser.parse_args()
    device = torch.device(options.device or driver.active.get_active_torch_device())
    torch.manual_seed(0)
    # A slice, so that the rows are not contiguous.
    x = torch.randn(options.rows, options.columns + 11, device=device)[:, : options.columns]
    y, num_programs = softmax(x)
    torch.testing.assert_close(y, torch.softmax(x, dim=1))
    assert num_programs <= options.rows
    print(f"softmax: {driver.active.get_current_target().backend}, {num_programs} programs: ok")


if __name__ == "__main__":
    main()
