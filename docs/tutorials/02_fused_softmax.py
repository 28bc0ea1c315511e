"""Fused softmax: a whole row in one tile, read once and written once.

Run it:  .venv/bin/python docs/tutorials/02_fused_softmax.py   (bin/quickstart does)
"""

import numpy as np

import tilewright
import tilewright.language as tl
from tilewright.testing import compare

try:
    import torch
except ImportError:  # the tutorial then uses NumPy
    torch = None

# softmax(x) of a row is exp(x - max(x)) / sum(exp(x - max(x))). Written with array operations it is
# five passes over memory: a maximum, a difference, an exponential, a sum, a quotient. Each reads a
# whole matrix, and most write one. Nearly all of that traffic is unnecessary: a program that holds
# one row can do all five steps on it, with one read and one write:
#
#     read row ─▶ max ─▶ subtract ─▶ exp ─▶ sum ─▶ divide ─▶ write row


@tilewright.jit
def softmax_kernel(out, x, out_stride, x_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    # A tile's size is a power of two, a row's length need not be. Elements beyond the end are minus
    # infinity: they are never the maximum, and their exponential adds nothing to the sum.
    values = tl.load(x + row * x_stride + i, mask=inside, other=-float("inf"))
    # Subtracting the maximum does not change the result and keeps exp from overflowing.
    numerator = tl.exp(values - tl.max(values, axis=0))
    # tl.max and tl.sum reduce a tile to a scalar, which is then combined with every element.
    tl.store(out + row * out_stride + i, numerator / tl.sum(numerator, axis=0), mask=inside)


def softmax(x):
    """Softmax of each row of `x`, a float matrix [rows, columns] with contiguous rows."""
    rows, columns = x.shape
    out = np.empty_like(x) if torch is None else torch.empty_like(x)
    # The kernel's strides count elements, like PyTorch's; NumPy's count bytes.
    x_stride = x.strides[0] // x.itemsize if torch is None else x.stride(0)
    block = tilewright.next_power_of_2(columns)
    softmax_kernel[(rows,)](out, x, columns, x_stride, columns, BLOCK=block)
    return out


# The compiler turns the tile operations into a few loops over the row, fused where possible, with
# vectors as wide as the machine's. To see the kernel after each phase, run
#
#     TILEWRIGHT_DUMP=/tmp/dump .venv/bin/python docs/tutorials/02_fused_softmax.py


def numpy_softmax(x):
    numerator = np.exp(x - x.max(axis=1, keepdims=True))
    return numerator / numerator.sum(axis=1, keepdims=True)


def reference(x):
    return numpy_softmax(x) if torch is None else torch.softmax(x, dim=1)


def random_matrix(rows, columns):
    numbers = np.random.default_rng(0).standard_normal((rows, columns), dtype=np.float32)
    return numbers if torch is None else torch.from_numpy(numbers)


def main() -> None:
    library = "numpy" if torch is None else "torch"
    # The length is not a power of two, so that some elements are masked off.
    x = random_matrix(1823, 781)
    error = float(abs(softmax(x) - reference(x)).max())
    assert error < 1e-6, error
    print(f"softmax agrees with {library}: the largest difference is {error:.1e}")

    x = random_matrix(4096, 1024)
    times = compare({"tilewright": lambda: softmax(x), library: lambda: reference(x)})
    print("softmax of 4096 rows of 1024:")
    for name, seconds in times.items():
        moved = 2 * 4 * x.shape[0] * x.shape[1]
        print(f"  {name:12s} {1e3 * seconds:7.3f} ms  {moved / seconds / 1e9:6.1f} GB/s")
    print(f"  {times[library] / times['tilewright']:.2f} times the speed of {library}")


if __name__ == "__main__":
    main()
