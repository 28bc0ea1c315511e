"""The bounds checks that are compiled into GPU code (`checks="bounds"`), run on the emulator."""

import inspect
from collections.abc import Callable

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import CheckError, EmulationError, Finding

N = 256
TARGETS = ("emulator:cuda:80", "emulator:cuda:90a")


@pytest.fixture(params=TARGETS)
def options(request: pytest.FixtureRequest) -> dict[str, str]:
    return {"target": request.param, "checks": "bounds"}


def finding(launch: Callable[[], object]) -> Finding:
    with pytest.raises(CheckError) as caught:
        launch()
    assert not isinstance(caught.value, EmulationError)
    (found,) = caught.value.findings
    return found


def line_of(kernel: tilewright.JITFunction, text: str) -> int:
    lines, first = inspect.getsourcelines(kernel.fn)
    return first + next(i for i, line in enumerate(lines) if text in line)


@tilewright.jit
def copy_kernel(x, out, n, BLOCK: tl.constexpr):
    i = (tl.program_id(0) + 2 * tl.program_id(1)) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)  # the load
    tl.store(out + i, value, mask=i < n)  # the store


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.float32, np.int64])
def test_load(dtype: type, options: dict[str, str]) -> None:
    x, out = np.ones(N - 3, dtype), np.zeros(N, dtype)
    copy_kernel[(2, 2)](x, out, N - 3, BLOCK=64, **options)
    np.testing.assert_array_equal(out[: N - 3], x)
    found = finding(lambda: copy_kernel[(2, 2)](x, out, N - 2, BLOCK=64, **options))
    size = "1 byte" if x.itemsize == 1 else f"{x.itemsize} bytes"
    assert found.message == f"reads {size} outside of the arrays that the kernel was given"
    assert found.kind == "bounds" and found.kernel == "copy_kernel"
    assert (found.program, found.line) == ((1, 1, 0), line_of(copy_kernel, "# the load"))


def test_store_does_not_touch_memory(options: dict[str, str]) -> None:
    whole = np.full(N + 1, 7, np.int32)
    found = finding(
        lambda: copy_kernel[(2, 3)](np.arange(N + 1), whole[:N], N + 1, BLOCK=64, **options)
    )
    assert found.line == line_of(copy_kernel, "# the store") and found.message.startswith("writes")
    assert found.program == (0, 2, 0)
    assert whole[N] == 7


@tilewright.jit
def walk_kernel(x, index, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p = x + i
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(n):
        total += tl.load(p)  # in the loop
        p += BLOCK
    at = tl.load(index + i)
    tl.atomic_add(out + at, total)  # the atomic
    tl.store(out, 0.0)


def test_loop_and_atomic(options: dict[str, str]) -> None:
    x, out, index = np.ones(4 * N, np.float32), np.zeros(N, np.float32), np.arange(N)
    walk_kernel[(1,)](x, index, out, 4, BLOCK=N, **options)
    np.testing.assert_array_equal(out[1:], np.full(N - 1, 4))
    found = finding(lambda: walk_kernel[(1,)](x, index, out, 5, BLOCK=N, **options))
    assert found.line == line_of(walk_kernel, "# in the loop")
    index[17] = -1
    found = finding(lambda: walk_kernel[(1,)](x, index, out, 4, BLOCK=N, **options))
    assert found.line == line_of(walk_kernel, "# the atomic")
    assert found.message.startswith("updates 4 bytes")


@tilewright.jit
def product_kernel(a, b, c, n, M: tl.constexpr):
    at = tl.arange(0, M)[:, None] * M + tl.arange(0, M)[None, :]
    total = tl.zeros((M, M), tl.float32)
    for step in range(n):
        total = tl.dot(tl.load(a + step * M * M + at), tl.load(b + step * M * M + at), total)
    tl.store(c + at, total)


def test_product_in_a_loop(options: dict[str, str]) -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-2, 3, (3, 32, 32)).astype(np.float16) for _ in range(2))
    c = np.zeros((32, 32), np.float32)
    product_kernel[(1,)](a, b, c, 3, M=32, **options)
    np.testing.assert_array_equal(c, (a.astype(np.float32) @ b.astype(np.float32)).sum(axis=0))
    found = finding(lambda: product_kernel[(1,)](a, b[:2], c, 3, M=32, **options))
    assert found.line == line_of(product_kernel, "tl.dot")


def test_views_and_empty_arrays(options: dict[str, str]) -> None:
    whole, out = np.arange(N, dtype=np.int32), np.zeros(N, np.int32)
    copy_kernel[(1, 1)](whole[10:20], out, 10, BLOCK=64, **options)
    finding(lambda: copy_kernel[(1, 1)](whole[10:20], out, 11, BLOCK=64, **options))
    copy_kernel[(1, 1)](whole[:0], out, 0, BLOCK=64, **options)
    finding(lambda: copy_kernel[(1, 1)](whole[:0], out, 1, BLOCK=64, **options))


@tilewright.jit
def scalar_kernel(x, at):
    tl.store(x + at, tl.load(x + at) + 1)


def test_scalars(options: dict[str, str]) -> None:
    x = np.zeros(4, np.int32)
    scalar_kernel[(1,)](x, 3, **options)
    assert x[3] == 1
    finding(lambda: scalar_kernel[(1,)](x, 4, **options))
    finding(lambda: scalar_kernel[(1,)](x, -1, **options))


class Address:
    """Memory whose size is unknown."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.dtype = tl.int32

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)


def test_memory_of_unknown_size(options: dict[str, str]) -> None:
    x, out = np.arange(N, dtype=np.int32), np.zeros(N, np.int32)
    copy_kernel[(2, 2)](Address(x), out, N, BLOCK=64, **options)
    np.testing.assert_array_equal(out, x)


def test_the_emulators_own_checks_beside_them() -> None:
    x, out = np.arange(N, dtype=np.int32), np.zeros(N, np.int32)
    target = "emulator:cuda:90a+checks"
    copy_kernel[(2, 2)](x, out, N, BLOCK=64, target=target, checks="bounds")
    np.testing.assert_array_equal(out, x)
    finding(lambda: copy_kernel[(3, 3)](x, out, N + 1, BLOCK=64, target=target, checks="bounds"))
