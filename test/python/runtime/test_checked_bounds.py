"""Bounds checks on the CPU: findings in incorrect kernels, and none in correct ones."""

import inspect
from collections.abc import Callable

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError, CheckError, DeviceAssertError, Finding

N = 64


def findings(launch: Callable[[], object]) -> list[Finding]:
    with pytest.raises(CheckError) as caught:
        launch()
    assert caught.value.findings
    return list(caught.value.findings)


def line_of(kernel: tilewright.JITFunction, text: str) -> int:
    lines, first = inspect.getsourcelines(kernel.fn)
    return first + next(i for i, line in enumerate(lines) if text in line)


@tilewright.jit(checks="bounds")
def copy_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)  # the load
    tl.store(out + i, value, mask=i < n)  # the store


@pytest.mark.parametrize("block", [1, 16, 1024])
@pytest.mark.parametrize("n", [1, 63, 64, 1000])
def test_right_kernel(n: int, block: int) -> None:
    x, out = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
    copy_kernel[(tilewright.cdiv(n, block),)](x, out, n, BLOCK=block)
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.float32, np.int64])
@pytest.mark.parametrize("block", [1, 16, 1024])
def test_load_with_a_mask_off_by_one(block: int, dtype: type) -> None:
    n = 200
    x, out = np.zeros(n, dtype), np.zeros(n + 1, dtype)
    grid = (tilewright.cdiv(n + 1, block),)
    (found,) = findings(lambda: copy_kernel[grid](x, out, n + 1, BLOCK=block))
    assert found.kind == "bounds" and found.kernel == "copy_kernel"
    assert found.program == (n // block, 0, 0) and found.thread is None
    assert found.file == __file__ and found.line == line_of(copy_kernel, "# the load")
    size = x.itemsize
    count = "1 byte" if size == 1 else f"{size} bytes"
    assert found.message == (
        f"reads {count} at x+{n * size}, right after the end of x, which has {n * size} bytes"
    )


def test_store_does_not_touch_memory() -> None:
    whole = np.full(N + 1, 7, np.int32)
    x, out = np.arange(N + 1, dtype=np.int32), whole[:N]
    (found,) = findings(lambda: copy_kernel[(1,)](x, out, N + 1, BLOCK=128))
    assert found.line == line_of(copy_kernel, "# the store")
    assert (
        found.message
        == "writes 4 bytes at out+256, right after the end of out, which has 256 bytes"
    )
    assert whole[N] == 7


def test_launches_after_it_work() -> None:
    x, out = np.arange(N, dtype=np.int32), np.zeros(N, np.int32)
    for _ in range(3):
        findings(lambda: copy_kernel[(2,)](x, out, N + 1, BLOCK=N))
        copy_kernel[(1,)](x, out, N, BLOCK=N)
        np.testing.assert_array_equal(out, x)


def test_message_shows_the_line() -> None:
    x = np.zeros(N, np.int32)
    with pytest.raises(CheckError) as caught:
        copy_kernel[(1,)](x, x, 100, BLOCK=128)
    text = str(caught.value)
    assert "bounds: copy_kernel, program (0, 0, 0): reads 4 bytes at x+256" in text
    assert "value = tl.load(x + i, mask=i < n)" in text
    assert isinstance(caught.value, tilewright.errors.LaunchError)


@tilewright.jit(checks="bounds")
def programs_kernel(x, n, BLOCK: tl.constexpr):
    p = tl.program_id(0) + 4 * (tl.program_id(1) + 3 * tl.program_id(2))
    tl.store(x + p * BLOCK + tl.arange(0, BLOCK), p, mask=p < n)


def test_program_of_a_grid_with_three_axes() -> None:
    x = np.zeros(8 * (2 + 4 * (1 + 3 * 1)), np.int32)
    (found,) = findings(lambda: programs_kernel[(4, 3, 2)](x, 19, BLOCK=8))
    assert found.program == (2, 1, 1)


@tilewright.jit(checks="bounds")
def negative_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + (i - 3)))


def test_negative_index() -> None:
    whole, out = np.zeros(100, np.int32), np.zeros(16, np.int32)
    (found,) = findings(lambda: negative_kernel[(1,)](whole[50:], out, BLOCK=16))
    assert found.message == (
        "reads 4 bytes at x-12, 12 bytes before the beginning of x, which has 200 bytes"
    )


def test_a_view_has_its_own_extent() -> None:
    whole, out = np.arange(200, dtype=np.int32), np.zeros(16, np.int32)
    assert "x+40" in findings(lambda: copy_kernel[(1,)](whole[10:20], out, 11, BLOCK=16))[0].message
    copy_kernel[(1,)](whole[10:20], out, 10, BLOCK=16)
    np.testing.assert_array_equal(out[:10], whole[10:20])


@tilewright.jit(checks="bounds")
def strided_kernel(x, out, n, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i * stride, mask=i < n), mask=i < n)


def test_negative_strides() -> None:
    whole, out = np.arange(100, dtype=np.int32), np.zeros(16, np.int32)
    view = whole[40:10:-3]
    strided_kernel[(1,)](view, out, 10, -3, BLOCK=16)
    np.testing.assert_array_equal(out[:10], view)
    (found,) = findings(lambda: strided_kernel[(1,)](view, out, 11, -3, BLOCK=16))
    assert "12 bytes before the beginning of x" in found.message
    (found,) = findings(lambda: strided_kernel[(1,)](view, out, 2, 3, BLOCK=16))
    assert "8 bytes after the end of x, which has 112 bytes" in found.message


def test_gaps_of_a_view_belong_to_it() -> None:
    whole, out = np.arange(100, dtype=np.int32), np.zeros(16, np.int32)
    strided_kernel[(1,)](whole[::5], out, 16, 4, BLOCK=16)
    np.testing.assert_array_equal(out, whole[: 16 * 4 : 4])


def test_empty_array() -> None:
    x, out = np.zeros(0, np.int32), np.zeros(16, np.int32)
    copy_kernel[(1,)](x, out, 0, BLOCK=16)
    (found,) = findings(lambda: copy_kernel[(1,)](x, out, 1, BLOCK=16))
    assert "of x, which has 0 bytes" in found.message


@tilewright.jit(checks="bounds")
def matrix_kernel(x, out, m, n, stride, M: tl.constexpr, K: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, K)[None, :]
    mask = (i < m) & (j < n)
    tl.store(out + i * n + j, tl.load(x + i * stride + j, mask=mask), mask=mask)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (8, 31), (8, 32)])
def test_matrix(shape: tuple[int, int]) -> None:
    m, n = shape
    x, out = np.arange(m * n, dtype=np.float32).reshape(shape), np.zeros(shape, np.float32)
    matrix_kernel[(1,)](x, out, m, n, n, M=8, K=32)
    np.testing.assert_array_equal(out, x)


def test_matrix_with_a_wrong_stride() -> None:
    x, out = np.zeros((8, 31), np.float32), np.zeros((8, 31), np.float32)
    (found,) = findings(lambda: matrix_kernel[(1,)](x, out, 8, 31, 33, M=8, K=32))
    # The first out-of-bounds element: row 7, column 31 - 14.
    assert found.message.startswith(f"reads 4 bytes at x+{8 * 31 * 4}, right after the end of x")


@tilewright.jit(checks="bounds")
def gather_kernel(x, index, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.load(index + i)
    tl.store(out + i, tl.load(x + at, mask=i < n), mask=i < n)  # the gather


@tilewright.jit(checks="bounds")
def scatter_kernel(x, index, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.load(index + i)
    tl.store(out + at, tl.load(x + i), mask=i < n)


@pytest.mark.parametrize("kernel", [gather_kernel, scatter_kernel], ids=["gather", "scatter"])
def test_gather_and_scatter(kernel: tilewright.JITFunction) -> None:
    x, out, index = np.arange(N), np.zeros(N, np.int64), np.arange(N)[::-1].copy()
    kernel[(1,)](x, index, out, N, BLOCK=N)
    np.testing.assert_array_equal(out, x[::-1])
    # The allocator's header follows an array; after it, 16 bytes on, another array may begin.
    index[40] = N + 1
    (found,) = findings(lambda: kernel[(1,)](x, index, out, N, BLOCK=N))
    assert "8 bytes after the end of" in found.message
    index[40] = -1
    (found,) = findings(lambda: kernel[(1,)](x, index, out, N, BLOCK=N))
    assert "8 bytes before the beginning of" in found.message
    kernel[(1,)](x, index, out, 40, BLOCK=N)  # masked off


def test_address_far_away() -> None:
    x, out, index = np.arange(N), np.zeros(N, np.int64), np.arange(N)
    index[3] = 1 << 58
    (found,) = findings(lambda: gather_kernel[(1,)](x, index, out, N, BLOCK=N))
    assert found.message.startswith("reads 8 bytes at 0x")


@tilewright.jit(checks="bounds")
def atomic_kernel(x, index, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(x + tl.load(index + i), 1, mask=i < n)


def test_atomic() -> None:
    x, index = np.zeros(N, np.int32), np.arange(N) // 2
    atomic_kernel[(1,)](x, index, N, BLOCK=N)
    np.testing.assert_array_equal(x, np.repeat([2, 0], N // 2))
    index[5] = N
    (found,) = findings(lambda: atomic_kernel[(1,)](x, index, N, BLOCK=N))
    assert found.message.startswith(f"updates 4 bytes at x+{4 * N}, right after")
    atomic_kernel[(1,)](x, index, 5, BLOCK=N)


@tilewright.jit(checks="bounds")
def compare_and_swap_kernel(x, at):
    tl.atomic_cas(x + at, 0, 1)


def test_compare_and_swap() -> None:
    x = np.zeros(4, np.int32)
    compare_and_swap_kernel[(1,)](x, 3)
    assert x[3] == 1
    (found,) = findings(lambda: compare_and_swap_kernel[(1,)](x, 4))
    assert found.message.startswith("updates 4 bytes at x+16")


@tilewright.jit(checks="bounds")
def scalar_kernel(x, at, mask):
    value = tl.load(x + at, mask=mask, other=5)
    tl.store(x, value)


def test_scalars() -> None:
    x = np.arange(4, dtype=np.int32)
    scalar_kernel[(1,)](x, 3, True)
    assert x[0] == 3
    scalar_kernel[(1,)](x, 4, False)
    assert x[0] == 5
    findings(lambda: scalar_kernel[(1,)](x, 4, True))


@tilewright.jit(checks="bounds")
def alternating_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p, q = x + i, y + i
    for _ in range(n):
        p, q = q, p + 1
    tl.store(out + i, tl.load(p))


def test_pointers_of_two_arrays() -> None:
    x, y, out = (np.arange(n, dtype=np.int32) for n in (N + 1, N, N))
    alternating_kernel[(1,)](x, y, out, 2, BLOCK=N)
    np.testing.assert_array_equal(out, x[1:])
    (found,) = findings(lambda: alternating_kernel[(1,)](x, y, out, 3, BLOCK=N))
    assert found.message.startswith("reads 4 bytes at y+256, right after the end of y")


def test_another_array_is_in_bounds() -> None:
    """As in the emulator, an access within any array is in bounds."""
    whole, out = np.arange(2 * N, dtype=np.int32), np.zeros(2 * N, np.int32)

    @tilewright.jit(checks="bounds")
    def both(x, y, out, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i))

    both[(1,)](whole[:N], whole[N:], out, BLOCK=2 * N)
    np.testing.assert_array_equal(out, whole)


class Address:
    """Memory with only an address."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.dtype = torch.int32

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)


def test_memory_of_unknown_size() -> None:
    x, out = np.arange(N, dtype=np.int32), np.zeros(N // 2, np.int32)
    copy_kernel[(1,)](Address(x), out, N // 2, BLOCK=N)
    np.testing.assert_array_equal(out, x[: N // 2])


@tilewright.jit(checks="bounds")
def table_kernel(table, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for row in range(n):
        p = tl.load(table + row).to(tl.pointer_type(tl.int32)) + i
        tl.store(out + row * BLOCK + i, tl.load(p))


def test_addresses_as_integers() -> None:
    """Accesses through an address that is not an argument can't be checked; others are."""
    rows = [np.arange(N, dtype=np.int32) + k for k in range(3)]
    table, out = np.array([row.ctypes.data for row in rows]), np.zeros(3 * N, np.int32)
    table_kernel[(1,)](table, out, 3, BLOCK=N)
    np.testing.assert_array_equal(out, np.concatenate(rows))
    (found,) = findings(lambda: table_kernel[(1,)](table, out[:N], 3, BLOCK=N))
    assert found.message.startswith(f"writes 4 bytes at out+{4 * N}")


@tilewright.jit(checks="bounds")
def tuple_kernel(arrays, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(arrays[1] + i, tl.load(arrays[0] + i), mask=i < n)


def test_arrays_in_a_tuple() -> None:
    x, y = np.arange(N, dtype=np.int32), np.zeros(N, np.int32)
    tuple_kernel[(1,)]((x, y), N, BLOCK=N)
    np.testing.assert_array_equal(x, y)
    (found,) = findings(lambda: tuple_kernel[(1,)]((x, y[:8]), N, BLOCK=N))
    assert found.message.startswith("writes 4 bytes at arrays+32")


@tilewright.jit(checks="bounds", debug=True)
def asserting_kernel(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.device_assert(n < 100, "n is small")
    tl.store(x + i, i, mask=i < n)


def test_assertions_beside_checks() -> None:
    x = np.zeros(N, np.int32)
    asserting_kernel[(1,)](x, N, BLOCK=128)
    with pytest.raises(DeviceAssertError, match="n is small"):
        asserting_kernel[(1,)](x, 100, BLOCK=128)
    assert findings(lambda: asserting_kernel[(1,)](x, 99, BLOCK=128))


@tilewright.jit
def helper(p, i):
    return tl.load(p + i)


@tilewright.jit(checks="bounds")
def calling_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, helper(x, i))


def test_line_of_a_helper() -> None:
    x, out = np.zeros(N - 1, np.int32), np.zeros(N, np.int32)
    (found,) = findings(lambda: calling_kernel[(1,)](x, out, BLOCK=N))
    assert found.line == line_of(helper, "return tl.load")


@tilewright.jit(checks="bounds")
def two_faults_kernel(x, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if tl.program_id(0) % 2 == 0:
        tl.store(x + i, 0)  # even
    else:
        tl.store(x + i + 1, 0)  # odd


def test_each_line_is_named_once() -> None:
    x = np.zeros(4 * N, np.int32)
    found = findings(lambda: two_faults_kernel[(1000,)](x, BLOCK=N))
    assert len(found) == len({finding.line for finding in found}) <= 2
    assert [finding.program for finding in found] == sorted(finding.program for finding in found)


@tilewright.jit
def plain_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


def test_option_of_the_launch() -> None:
    whole, out = np.arange(N, dtype=np.int32), np.zeros(N, np.int32)
    plain_kernel[(1,)](whole[:8], out, N, BLOCK=N)
    findings(lambda: plain_kernel[(1,)](whole[:8], out, N, BLOCK=N, checks="bounds"))
    plain_kernel[(1,)](whole[:8], out, N, BLOCK=N)
    for off in (None, ""):
        copy_kernel[(1,)](whole[:8], out, N, BLOCK=N, checks=off)


def test_unknown_check() -> None:
    x = np.zeros(N, np.int32)
    with pytest.raises(ArgumentError, match="option checks must be 'bounds' or empty, not 'races'"):
        plain_kernel[(1,)](x, x, N, BLOCK=N, checks="races")


def test_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, out = np.arange(N, dtype=np.int32), np.zeros(N, np.int32)
    monkeypatch.setenv("TILEWRIGHT_CHECKS", "bounds")

    @tilewright.jit
    def kernel(x, out, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)

    findings(lambda: kernel[(1,)](whole[:8], out, N, BLOCK=N))
    kernel[(1,)](whole[:8], out, N, BLOCK=N, checks=None)
    monkeypatch.setenv("TILEWRIGHT_CHECKS", "everything")
    with pytest.raises(ArgumentError, match="TILEWRIGHT_CHECKS must be 'bounds' or empty"):
        kernel[(1,)](whole, out, np.float32(N), BLOCK=N)


def test_checks_are_in_the_key() -> None:
    plain = plain_kernel.warmup(torch.float32, torch.float32, 64, BLOCK=64)
    checked = plain_kernel.warmup(torch.float32, torch.float32, 64, BLOCK=64, checks="bounds")
    assert plain.key != checked.key
    assert plain.metadata["accesses"] is None
    assert [access[0] for access in checked.metadata["accesses"]] == ["reads", "writes"]
    assert not checked.asserts


@tilewright.jit(checks="bounds")
def wide_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = (i < n) & (i % 3 != 1)
    value = tl.load(x + i, mask=mask, other=0) + tl.load(y + i // 4, mask=mask, other=0)
    tl.store(out + i, value, mask=mask)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.float64])
@pytest.mark.parametrize("n", [1, 100, 1000, 1024])
def test_masks_with_holes(n: int, dtype: type) -> None:
    """The last element of the last vector may be masked off."""
    last = n - 1 - ((n - 1) % 3 == 1)
    x, y = np.ones(last + 1, dtype), np.ones(last // 4 + 1, dtype)
    out = np.zeros(last + 1, dtype)
    wide_kernel[(4,)](x, y, out, n, BLOCK=256)
    np.testing.assert_array_equal(out, np.where(np.arange(last + 1) % 3 != 1, 2, 0))
    if last > 3:
        assert findings(lambda: wide_kernel[(4,)](x[:last], y, out, n, BLOCK=256))
        assert findings(lambda: wide_kernel[(4,)](x, y[: last // 4], out, n, BLOCK=256))
