"""Kernels compiled for AArch64 and run under qemu compute what they compute on this machine."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

sys.path += [str(Path(__file__).resolve().parents[1] / folder) for folder in (".", "fuzz")]
import fuzz  # noqa: E402
import on_aarch64  # noqa: E402

import tilewright  # noqa: E402
import tilewright.language as tl  # noqa: E402

TUTORIALS = Path(__file__).resolve().parents[3] / "docs" / "tutorials"
pytestmark = [
    pytest.mark.skipif(bool(on_aarch64.missing()), reason=on_aarch64.missing()),
    pytest.mark.cpu_only("tests code for AArch64", compiles=False),
]
on_two_processors = pytest.mark.parametrize("target", ["cpu:cortex-a72", "cpu:neoverse-v2"])
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
FLOAT8 = ["float8_e4m3fn", "float8_e5m2"]
N = 205  # odd, and more than a tile of 128


def numbers(dtype: str, n: int = N) -> Any:
    """Random bits for integers; for floats also infinities, NaN, zeros and subnormal numbers."""
    generator = torch.Generator().manual_seed(len(dtype) + n)
    element = getattr(torch, dtype)
    if dtype in INTEGERS:
        words = torch.randint(-(2**63), 2**63 - 1, (n,), generator=generator)
        return words.view(element)[:n].clone()
    if dtype == "bool":
        return torch.randint(0, 2, (n,), generator=generator).bool()
    values = torch.randn(n, generator=generator, dtype=torch.float64) * 30
    tiny = torch.finfo(element).smallest_normal
    special = [0.0, -0.0, float("inf"), -float("inf"), float("nan"), tiny / 4, -tiny / 2, 1e30]
    values[: len(special)] = torch.tensor(special, dtype=torch.float64)
    return values.to(element)


def agree(target: str, launch: Callable[..., object], *arrays: Any, tolerance: float = 0.0) -> None:
    """Launches on this machine and under qemu, on copies of the arrays, which must agree."""
    here, there = ([array.clone() for array in arrays] for _ in range(2))
    launch(*here)
    runs = on_aarch64.state.runs
    with on_aarch64.launching(target):
        launch(*there)
    assert on_aarch64.state.runs > runs, "nothing ran under qemu"
    for i, (one, other) in enumerate(zip(here, there, strict=True)):
        is_float = one.dtype.is_floating_point
        a, b = (x.double() if is_float else x.view(torch.uint8) for x in (one, other))
        if is_float:
            torch.testing.assert_close(
                b, a, rtol=tolerance, atol=tolerance, equal_nan=True, msg=f"array {i}: {a}\n{b}"
            )
            signs = a.isnan() | (a.signbit() == b.signbit()) | (tolerance > 0)
            assert bool(signs.all()), f"signs of array {i}: {a}\n{b}"
        else:
            assert torch.equal(a, b), f"array {i}: {one}\n{other}"


@on_two_processors
@pytest.mark.parametrize(
    "tutorial", sorted(TUTORIALS.glob("0[1-5]*.py")), ids=lambda path: path.stem
)
def test_tutorial(tutorial: Path, target: str, monkeypatch: Any, capfd: Any) -> None:
    """Each tutorial checks its results; what it measures is left out."""
    import tilewright.testing

    def compare(functions: dict[str, object], **_: Any) -> dict[str, float]:
        return dict.fromkeys(functions, 1.0)

    monkeypatch.setattr(tilewright.testing, "compare", compare)
    with on_aarch64.launching(target):
        runpy.run_path(str(tutorial), run_name="__main__")
    printed = capfd.readouterr().out
    assert "agrees with" in printed or "keeps" in printed


@tilewright.jit
def integers(x, y, out, n, IS_SIGNED: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    a, b = tl.load(x + i, inside), tl.load(y + i, inside, other=1)
    b = tl.where(b == 0, 3, b)
    if IS_SIGNED:
        b = tl.where(b == -1, 5, b)  # the quotient may be out of range
    shift = (b & 7).to(a.dtype)
    tl.store(out + i, a + b, inside)
    tl.store(out + n + i, a * b - (a ^ b), inside)
    tl.store(out + 2 * n + i, a // b, inside)
    tl.store(out + 3 * n + i, a % b, inside)
    tl.store(out + 4 * n + i, (a << shift) | (a >> shift), inside)
    tl.store(out + 5 * n + i, tl.minimum(a, b) ^ tl.maximum(a, ~b), inside)
    tl.store(out + 6 * n + i, tl.where(a < b, a, b) + (a >= b), inside)


@on_two_processors
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype: str, target: str) -> None:
    x, y = numbers(dtype), numbers(dtype, N + 8)[8:].clone()
    out = torch.zeros(7 * N, dtype=x.dtype)
    is_signed = x.dtype.is_signed
    agree(target, lambda *a: integers[(2,)](*a, N, is_signed, BLOCK=128), x, y, out)


@tilewright.jit
def floats(x, y, out, flags, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    a, b = tl.load(x + i, inside), tl.load(y + i, inside, other=1.0)
    tl.store(out + i, a + b, inside)
    tl.store(out + n + i, a * b - a, inside)
    tl.store(out + 2 * n + i, a / b, inside)
    tl.store(out + 3 * n + i, tl.minimum(a, b), inside)
    tl.store(out + 4 * n + i, tl.maximum(a, -b), inside)
    tl.store(out + 5 * n + i, tl.abs(a) + tl.where(a < b, a, b), inside)
    tl.store(out + 6 * n + i, tl.fma(a, b, a), inside)
    compared = (a < b).to(tl.int8) + (a == b).to(tl.int8) * 2 + (a != a).to(tl.int8) * 4
    tl.store(flags + i, compared, inside)


@on_two_processors
@pytest.mark.parametrize("dtype", FLOATS)
def test_floats(dtype: str, target: str) -> None:
    x = numbers(dtype)
    y, out, flags = x.roll(3), torch.zeros(7 * N, dtype=x.dtype), torch.zeros(N, dtype=torch.int8)
    agree(target, lambda *a: floats[(2,)](*a, N, BLOCK=128), x, y, out, flags)


@tilewright.jit
def convert(x, outs, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, i < n)
    for k in tl.static_range(len(outs)):
        tl.store(outs[k] + i, value.to(outs[k].dtype.element_ty), i < n)


@on_two_processors
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS, *FLOAT8])
def test_conversions(dtype: str, target: str) -> None:
    x = numbers(dtype)
    to = [*FLOATS, *FLOAT8]
    if dtype in FLOATS + FLOAT8:  # out of range, the result is not defined
        integer = torch.nan_to_num(x.double(), 0, 0, 0).clamp(-100, 100).to(x.dtype)
        outs = [torch.zeros(N, dtype=getattr(torch, other)) for other in INTEGERS[:4]]
        agree(target, lambda *a: convert[(2,)](a[0], a[1:], N, BLOCK=128), integer, *outs)
    else:
        to += INTEGERS
    outs = [torch.zeros(N, dtype=getattr(torch, other)) for other in to]
    agree(target, lambda *a: convert[(2,)](a[0], a[1:], N, BLOCK=128), x, *outs)


@tilewright.jit
def functions(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    a = tl.load(x + i, inside, other=1.0)
    tl.store(out + i, tl.exp(a), inside)
    tl.store(out + n + i, tl.log(tl.abs(a)), inside)
    tl.store(out + 2 * n + i, tl.sin(a), inside)
    tl.store(out + 3 * n + i, tl.cos(a), inside)
    tl.store(out + 4 * n + i, tl.sqrt(tl.abs(a)), inside)
    tl.store(out + 5 * n + i, tl.rsqrt(tl.abs(a)), inside)
    tl.store(out + 6 * n + i, tl.exp2(a) + tl.log2(tl.abs(a)), inside)
    tl.store(out + 7 * n + i, tl.erf(a) + tl.sigmoid(a), inside)
    tl.store(out + 8 * n + i, tl.floor(a) + tl.ceil(a), inside)


@on_two_processors
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions(dtype: str, target: str) -> None:
    x = numbers(dtype)
    out = torch.zeros(9 * N, dtype=x.dtype)
    tolerance = 1e-6 if dtype == "float32" else 1e-14
    agree(target, lambda *a: functions[(2,)](*a, N, BLOCK=128), x, out, tolerance=tolerance)


@tilewright.jit
def multiply(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), c.dtype.element_ty)
    for first in range(0, K, BK):
        k = first + tl.arange(0, BK)
        x = tl.load(a + m[:, None] * K + k[None, :], (m[:, None] < M) & (k[None, :] < K), other=0)
        y = tl.load(b + k[:, None] * N + n[None, :], (k[:, None] < K) & (n[None, :] < N), other=0)
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc, (m[:, None] < M) & (n[None, :] < N))


@on_two_processors
@pytest.mark.parametrize(
    ("dtype", "result"),
    [("float32", "float32"), ("float16", "float32"), ("bfloat16", "float32"), ("int8", "int32"),
     ("float64", "float64")],
)  # fmt: skip
@pytest.mark.parametrize("tile", [(16, 16, 16), (32, 64, 16)])
def test_dots(dtype: str, result: str, tile: tuple[int, int, int], target: str) -> None:
    m, n, k = 37, 51, 43
    a, b = numbers(dtype, m * k), numbers(dtype, n * k)
    if dtype != "int8":
        a, b = (torch.nan_to_num(x.double(), 0, 0, 0).clamp(-9, 9).to(x.dtype) for x in (a, b))
    c = torch.zeros(m, n, dtype=getattr(torch, result))
    grid = (-(-m // tile[0]), -(-n // tile[1]))

    def launch(a: Any, b: Any, c: Any) -> None:
        multiply[grid](a, b, c, m, n, k, *tile)

    agree(target, launch, a, b, c, tolerance=1e-3 if result == "float32" else 1e-10)


@tilewright.jit
def reduce(x, out, places, scanned, ROWS: tl.constexpr, COLUMNS: tl.constexpr, n):
    row, column = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    tile = tl.load(x + row * n + column, column < n, other=0)
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    tl.store(out + rows, tl.sum(tile, 1).to(tile.dtype))
    tl.store(out + ROWS + rows, tl.max(tile, 1))
    tl.store(out + 2 * ROWS + rows, tl.min(tile, 1))
    tl.store(out + 3 * ROWS + columns, tl.sum(tile, 0).to(tile.dtype))
    tl.store(places + rows, tl.argmax(tile, 1))
    tl.store(places + ROWS + columns, tl.argmin(tile, 0))
    at = row * COLUMNS + column
    tl.store(scanned + at, tl.cumsum(tile, 1).to(tile.dtype))
    tl.store(scanned + ROWS * COLUMNS + at, tl.cumsum(tile, 0, reverse=True).to(tile.dtype))
    tl.store(scanned + 2 * ROWS * COLUMNS + tl.trans(at), tl.trans(tl.sort(tile)))


@on_two_processors
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", *FLOATS])
def test_reductions_and_scans(dtype: str, target: str) -> None:
    x = numbers(dtype, 16 * 53)
    if dtype in FLOATS:
        x = torch.nan_to_num(x.double(), 0, 0, 0).clamp(-50, 50).to(x.dtype)
    if dtype in ("float16", "bfloat16"):
        x = x.clamp(-2, 2).round()  # exact sums
    out = torch.zeros(3 * 16 + 64, dtype=x.dtype)
    places = torch.zeros(80, dtype=torch.int32)
    scanned = torch.zeros(3, 16, 64, dtype=x.dtype)
    tolerance = {"float32": 1e-4, "float64": 1e-10}.get(dtype, 0.0)
    launch = lambda *a: reduce[(1,)](*a, ROWS=16, COLUMNS=64, n=53)  # noqa: E731
    agree(target, launch, x, out, places, scanned, tolerance=tolerance)


@tilewright.jit
def update(x, y, n, IS_INTEGER: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, i < n)
    tl.atomic_add(y + i % 7, value, i < n)
    if IS_INTEGER:
        tl.atomic_max(y + 8 + i % 7, value, i < n)
        tl.atomic_xor(y + 16 + i % 7, value, i < n)
        tl.atomic_cas(y + 24 + i % 8, tl.zeros((BLOCK,), value.dtype), value)
    tl.atomic_add(y + 33, tl.sum(value, 0).to(value.dtype))


@on_two_processors
@pytest.mark.parametrize("dtype", ["int32", "int64", *FLOATS])
def test_atomics(dtype: str, target: str) -> None:
    x, y = numbers(dtype, 93), torch.zeros(34, dtype=getattr(torch, dtype))
    if dtype in FLOATS:
        x = (torch.nan_to_num(x.double(), 0, 0, 0) % 4).round().to(x.dtype)  # exact sums
    launch = lambda *a: update[(1,)](*a, 93, dtype not in FLOATS, BLOCK=128)  # noqa: E731
    agree(target, launch, x, y)


@on_two_processors
@pytest.mark.parametrize("seed", range(5))
def test_random_kernels(seed: int, target: str, tmp_path: Path) -> None:
    """Random kernels agree with an evaluation in NumPy; see test/python/fuzz."""
    with on_aarch64.launching(target):
        assert fuzz.check(seed, [target], tmp_path) in (None, fuzz.INEXACT)


def test_registers_of_256_bits() -> None:
    """The same code is correct where SVE's registers are longer than it needs."""
    for dtype in ("int8", "float16", "float64"):
        test_gathers_and_scatters(dtype, "cpu:neoverse-v1")
        test_reductions_and_scans(dtype, "cpu:neoverse-v1")
        test_conversions(dtype, "cpu:neoverse-v1")


@tilewright.jit
def collatz(x, steps, n, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    if i < n:
        value = tl.load(x + i)
        count = 0
        while value != 1:
            if value % 2 == 0:
                value = value // 2
                count += 1
            else:
                value = (3 * value + 1) // 2
                count += 2
        tile = tl.arange(0, BLOCK)
        for _ in range(count % 5):
            tile = tile * 3 + count
        tl.store(steps + i * BLOCK + tl.arange(0, BLOCK), tile + count)


@on_two_processors
def test_control_flow(target: str) -> None:
    x, steps = torch.arange(1, 24), torch.zeros(23, 16, dtype=torch.int32)
    agree(target, lambda *a: collatz[(25,)](*a, 23, BLOCK=16), x, steps)


@tilewright.jit
def gather(x, places, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.load(places + i, i < n, other=0)
    value = tl.load(x + at, (i < n) & (at % 3 != 0), other=7)
    tl.store(out + at, value, (i < n) & (at % 2 == 0))


@on_two_processors
@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "float32", "float64", "bfloat16"])
def test_gathers_and_scatters(dtype: str, target: str) -> None:
    places = torch.randperm(N, generator=torch.Generator().manual_seed(1), dtype=torch.int32)
    x = numbers(dtype)
    agree(target, lambda *a: gather[(1,)](*a, N, BLOCK=256), x, places, torch.zeros_like(x))


@tilewright.jit
def explain(x, n):
    i = tl.arange(0, 4)
    tl.device_print("x", tl.load(x + i))
    tl.device_assert(tl.load(x + i) < n, "too large")


@on_two_processors
def test_prints(target: str, capfd: Any) -> None:
    x = torch.tensor([1.5, -2.0, 0.1, float("inf")])
    printed = []
    explain[(1,)](x, 9)
    printed.append(capfd.readouterr().out)
    with on_aarch64.launching(target):
        explain[(1,)](x, 9)
    printed.append(capfd.readouterr().out)
    assert printed[0] == printed[1] and "0.1" in printed[0]


@on_two_processors
def test_a_failed_assertion_fails_the_launch(target: str) -> None:
    x = torch.arange(4.0)
    with on_aarch64.launching(target), pytest.raises(Exception, match="too large"):
        explain[(1,)](x, 2, debug=True)


@on_two_processors
def test_accesses_outside_of_arrays_are_noticed(target: str) -> None:
    """The arrays' pages end where they do, so the masks of other tests are known to work."""
    x, y = torch.zeros(16), torch.zeros(64)
    with on_aarch64.launching(target), pytest.raises(RuntimeError, match="exit status"):
        floats[(1,)](x, x, y, torch.zeros(16, dtype=torch.int8), 64, BLOCK=64)
