"""tl.histogram: the counts, against np.bincount."""

import numpy as np
import pytest
from inputs import INTS, fresh, poisoned

import tilewright
import tilewright.language as tl
from tilewright.errors import CompileError, ConstantError, ShapeMismatchError, TypeMismatchError


def expected(x, bins, mask=True):
    values = np.asarray(x).astype(object)
    counted = (values >= 0) & (values < bins) & mask
    return np.bincount(values[counted].astype(np.int64), minlength=bins).astype(np.int32)


@tilewright.jit
def counts(x, out, N: tl.constexpr, BINS: tl.constexpr):
    tl.store(out + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, N)), BINS))


SIZES = [
    (1, 1), (1, 1024), (2, 4), (16, 1024), (64, 64), (128, 16), (1024, 2), (4096, 1), (4096, 8),
    (4096, 1024),
]  # fmt: skip


@pytest.mark.parametrize(("size", "bins"), SIZES)
def test_sizes(size, bins):
    x, out = fresh("int32", (size,), -1, bins), poisoned("int32", (bins,))
    counts[(1,)](x, out, N=size, BINS=bins)
    assert np.array_equal(out, expected(x, bins))


@pytest.mark.parametrize("dtype", ["int1", *INTS])
def test_dtypes(dtype):
    size, bins = 512, 256
    x, out = fresh(dtype, (size,)), poisoned("int32", (bins,))
    if dtype != "int1":
        x[::3] = fresh(dtype, x[::3].shape, 0, bins - 1)
    counts[(1,)](x, out, N=size, BINS=bins)
    assert np.array_equal(out, expected(x, bins))


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint32", "uint64"])
def test_elements_outside_are_not_counted(dtype):
    info, bins = np.iinfo(dtype), 4
    wide = [(1 << 32) + 1, -(1 << 32) + 1, (1 << 63) + 2, 1 << 31]
    edges = [info.min, info.min + 1, info.max - 1, info.max, -1, bins, bins + 1, 3, *wide]
    fitting = [value for value in edges if info.min <= value <= info.max]
    x = np.resize(np.array(fitting, dtype=object), 32).astype(dtype)
    memory = poisoned("int32", (3 * bins,))
    counts[(1,)](x, memory[bins : 2 * bins], N=32, BINS=bins)
    assert np.array_equal(memory[bins : 2 * bins], expected(x, bins))
    assert (memory[:bins] == 85).all() and (memory[2 * bins :] == 85).all()


@pytest.mark.parametrize("num_warps", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("size", [8, 2048])
def test_warps(size, num_warps):
    x, out = fresh("int32", (size,), 0, 40), poisoned("int32", (32,))
    counts[(1,)](x, out, N=size, BINS=32, num_warps=num_warps)
    assert np.array_equal(out, expected(x, 32))


@tilewright.jit
def masked_counts(x, mask, out, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + tl.arange(0, BINS), tl.load(x + i).histogram(BINS, mask=tl.load(mask + i)))


@pytest.mark.parametrize("dtype", ["int32", "uint8", "int64"])
@pytest.mark.parametrize("kind", ["none", "some", "all"])
def test_mask(kind, dtype):
    x, out = fresh(dtype, (256,), 0, 255), poisoned("int32", (256,))
    mask = {"none": np.zeros(256, bool), "some": fresh("int1", (256,)), "all": np.ones(256, bool)}
    masked_counts[(1,)](x, mask[kind], out, N=256, BINS=256)
    assert np.array_equal(out, expected(x, 256, mask[kind]))


@tilewright.jit
def tail_counts(x, n, out, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    row = tl.load(x + i, mask=i < n)
    counted = tl.histogram(row, BINS, mask=i < n) + tl.histogram(row, BINS, mask=n > N)
    tl.store(out + tl.arange(0, BINS), counted)


@pytest.mark.parametrize("n", [0, 1, 100, 128])
def test_mask_of_a_tail_and_a_scalar_mask(n):
    x, out = fresh("int32", (128,), 0, 15), poisoned("int32", (16,))
    tail_counts[(1,)](x, n, out, N=128, BINS=16)
    assert np.array_equal(out, expected(x[:n], 16))


@tilewright.jit
def row_counts(x, rows, out, N: tl.constexpr, BINS: tl.constexpr):
    bin = tl.arange(0, BINS)
    total = tl.zeros((BINS,), tl.int32)
    for row in range(rows):
        line = tl.load(x + row * N + tl.arange(0, N))
        if row % 2 == 0:
            total += tl.histogram(line, BINS)
        else:
            total -= tl.histogram(line + row, BINS)
    tl.store(out + bin, total)


@pytest.mark.parametrize("rows", [0, 1, 5])
@pytest.mark.parametrize("num_warps", [1, 4])
def test_loops_and_branches(rows, num_warps):
    x, out = fresh("int32", (5, 128), 0, 15), poisoned("int32", (16,))
    row_counts[(1,)](x, rows, out, N=128, BINS=16, num_warps=num_warps)
    wanted = np.zeros(16, np.int32)
    for row in range(rows):
        wanted += expected(x[row], 16) if row % 2 == 0 else -expected(x[row] + row, 16)
    assert np.array_equal(out, wanted)


@tilewright.jit
def counts_of_counts(x, y, out, N: tl.constexpr, BINS: tl.constexpr):
    i, bin = tl.arange(0, N), tl.arange(0, BINS)
    first, second = tl.histogram(tl.load(x + i), BINS), tl.histogram(tl.load(y + i), 2 * BINS)
    both = first + tl.sum(tl.reshape(second, (BINS, 2)), 1)
    tl.store(out + bin, both)
    tl.store(out + BINS + bin, tl.histogram(both, BINS))


@pytest.mark.parametrize("num_warps", [1, 4, 16])
def test_several_in_one_kernel(num_warps):
    x, y = fresh("int32", (512,), 0, 31), fresh("int16", (512,), 0, 63)
    out = poisoned("int32", (64,))
    counts_of_counts[(1,)](x, y, out, N=512, BINS=32, num_warps=num_warps)
    both = expected(x, 32) + expected(y, 64).reshape(32, 2).sum(1, dtype=np.int32)
    assert np.array_equal(out, np.concatenate([both, expected(both, 32)]))


@tilewright.jit
def replicated_counts(x, out, ROWS: tl.constexpr, N: tl.constexpr, BINS: tl.constexpr):
    """The inputs are results of reductions, broadcasts and ranges, which threads may share."""
    i, j, bin = tl.arange(0, ROWS)[:, None], tl.arange(0, N)[None, :], tl.arange(0, BINS)
    tile = tl.load(x + i * N + j)
    tl.store(out + bin, tl.histogram(tl.max(tile, 1), BINS))
    tl.store(out + BINS + bin, tl.histogram(tl.min(tile, 0), BINS))
    tl.store(out + 2 * BINS + bin, tl.histogram(tl.ravel(tl.trans(tile)), BINS))
    tl.store(out + 3 * BINS + bin, tl.histogram(tl.full((N,), 3, tl.int32), BINS))
    tl.store(out + 4 * BINS + bin, tl.histogram(tl.arange(0, N), BINS))
    spread = tl.ravel(tl.broadcast_to(tl.arange(0, ROWS)[:, None], (ROWS, N)))
    tl.store(out + 5 * BINS + bin, tl.histogram(spread, BINS))


@pytest.mark.parametrize("num_warps", [1, 4, 8])
@pytest.mark.parametrize(("rows", "columns"), [(4, 8), (16, 64)])
def test_inputs_that_threads_share(rows, columns, num_warps):
    bins = 16
    x, out = fresh("int32", (rows, columns), 0, bins), poisoned("int32", (6 * bins,))
    sizes = {"ROWS": rows, "N": columns, "BINS": bins}
    replicated_counts[(1,)](x, out, **sizes, num_warps=num_warps)
    inputs = [
        x.max(1),
        x.min(0),
        x.T.ravel(),
        np.full(columns, 3),
        np.arange(columns),
        np.repeat(np.arange(rows), columns),
    ]
    assert np.array_equal(out, np.concatenate([expected(each, bins) for each in inputs]))


@tilewright.jit
def grid_counts(x, n, out, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    own = tl.histogram(tl.load(x + i, mask=i < n, other=0), BINS, mask=i < n)
    tl.atomic_add(out + tl.arange(0, BINS), own, sem="relaxed")


def test_programs_add_their_counts():
    x, out = fresh("uint8", (1000,)), np.zeros(256, np.int32)
    grid_counts[(4,)](x, 1000, out, N=256, BINS=256)
    assert np.array_equal(out, expected(x, 256))


def test_bad_input(values):
    x, f, square, s, p = values("int32[16]", "fp32[16]", "int32[4,4]", "int32", "*int32[16]")
    with pytest.raises(TypeMismatchError, match="histogram counts integers, found fp32"):
        tl.histogram(f, 16)
    with pytest.raises(TypeMismatchError, match="histogram takes integers"):
        tl.histogram(p, 16)
    with pytest.raises(ShapeMismatchError, match=r"rank 1, found shape \[4, 4\]"):
        tl.histogram(square, 16)
    with pytest.raises(ShapeMismatchError, match="histogram takes a tile, found a scalar"):
        tl.histogram(s, 16)
    for bins in (0, -4):
        with pytest.raises(ShapeMismatchError, match=f"positive, found {bins}"):
            tl.histogram(x, bins)
    with pytest.raises(ConstantError, match="num_bins"):
        tl.histogram(x, s)
    with pytest.raises(TypeMismatchError, match="the mask of histogram must be int1"):
        tl.histogram(x, 16, mask=x)
    with pytest.raises(ShapeMismatchError, match=r"shape \[16\], found \[4, 4\]"):
        tl.histogram(x, 16, mask=square > 0)


@tilewright.jit
def bad_bins(x, out):
    row = tl.load(x + tl.arange(0, 16))
    tl.store(out + tl.arange(0, 16), tl.histogram(row, -12))


def test_the_error_names_the_line():
    with pytest.raises(CompileError, match="found -12") as caught:
        bad_bins.warmup(poisoned("int32", (16,)), poisoned("int32", (16,)), grid=(1,))
    assert "tl.histogram(row, -12)" in str(caught.value)
