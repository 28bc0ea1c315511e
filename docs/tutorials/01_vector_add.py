"""Vector addition: what a kernel is, and how it is launched.

Run it:  .venv/bin/python docs/tutorials/01_vector_add.py
"""

import torch

import tilewright
import tilewright.language as tl
from tilewright.testing import compare

# A kernel is a Python function that is compiled instead of interpreted. It describes what *one*
# program does; a launch runs many programs, which differ only in their number. Here each program
# adds BLOCK contiguous elements:
#
#     program        0           1           2
#              |-----------|-----------|-------..|
#     element  0        1023        2047      n-1
#
# `i` is not a loop variable. It is a *tile*: a small array of BLOCK integers, created at once, and
# all arithmetic on it is arithmetic on whole tiles. A pointer plus a tile of integers is a tile of
# pointers, and `tl.load` reads the elements that all of them point to.


@tilewright.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # Unless BLOCK divides n, the last program extends beyond the end. Where the mask is false,
    # nothing is read and nothing is written.
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


# The parameters x, y and out are pointers to the first elements of the tensors that are passed.
# BLOCK is a `constexpr`: the kernel is compiled for its value, so it may be the size of a tile.


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    n = out.numel()
    block = 16384
    # The grid says how many programs run: enough of them to cover n elements.
    add_kernel[(tilewright.cdiv(n, block),)](x, y, out, n, BLOCK=block)
    return out


# The first launch compiles; later launches find the machine code in memory, and other processes
# find it on disk. The kernel is compiled again when something changes that the code depends on: the
# dtype of a tensor, the value of a constexpr, whether a pointer or an integer is divisible by 16,
# whether an integer is 1.


def main() -> None:
    # n need not be a multiple of the block size.
    for n in (1, 1000, 98_432):
        x, y = torch.rand(n), torch.rand(n)
        torch.testing.assert_close(add(x, y), x + y, rtol=0, atol=0)
    print("add agrees with PyTorch")

    a, b = torch.rand(5000).numpy(), torch.rand(5000).numpy()
    out = torch.empty(5000).numpy()
    add_kernel[(tilewright.cdiv(a.size, 1024),)](a, b, out, a.size, BLOCK=1024)
    assert (out == a + b).all()
    print("add agrees with NumPy on NumPy arrays")

    n = 1 << 24
    x, y = torch.rand(n), torch.rand(n)
    times = compare({"tilewright": lambda: add(x, y), "torch": lambda: x + y})
    for name, seconds in times.items():
        print(f"{name:12s} {12 * n / seconds / 1e9:6.1f} GB/s")


if __name__ == "__main__":
    main()
