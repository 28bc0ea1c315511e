"""Loops over tiles with pipelined loops in them, whose first copies are started a tile ahead."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler import compile

SIDE, STEP, TILES = 64, 32, 7
OUTER = tl.constexpr(2)  # with one stage, the loops over tiles are left alone
COLUMNS = tl.constexpr(128)


@tilewright.jit
def matmul_kernel(a, b, c, tiles, steps, SIDE: tl.constexpr, STEP: tl.constexpr):
    """Each program computes every second tile of rows; tile t has (steps + t) % 4 steps."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    for tile in tl.range(tl.program_id(0), tiles, 2, num_stages=OUTER):
        rows = tile * SIDE + i
        total = tl.zeros((SIDE, SIDE), tl.float32)
        for step in range((steps + tile) % 4):
            at = step * STEP + k
            x = tl.load(a + rows[:, None] * COLUMNS + at[None, :])
            y = tl.load(b + at[:, None] * SIDE + i[None, :])
            total = tl.dot(x, y, total)
        tl.store(c + rows[:, None] * COLUMNS + i[None, :], total.to(tl.float16))


@tilewright.jit
def two_loops_kernel(a, b, c, tiles, steps, SIDE: tl.constexpr, STEP: tl.constexpr):
    """The same in two loops, the second of which is not executed for every third tile."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    for tile in tl.range(tl.program_id(0), tiles, 2, num_stages=OUTER):
        rows = tile * SIDE + i
        total = tl.zeros((SIDE, SIDE), tl.float32)
        count = (steps + tile) % 4
        for step in range(count // 2):
            at = step * STEP + k
            x = tl.load(a + rows[:, None] * COLUMNS + at[None, :])
            total = tl.dot(x, tl.load(b + at[:, None] * SIDE + i[None, :]), total)
        if tile % 3 != 0:
            for step in range(count // 2, count):
                at = step * STEP + k
                x = tl.load(a + rows[:, None] * COLUMNS + at[None, :])
                total = tl.dot(x, tl.load(b + at[:, None] * SIDE + i[None, :]), total)
        tl.store(c + rows[:, None] * COLUMNS + i[None, :], total.to(tl.float16))


@tilewright.jit
def advanced_kernel(a, b, c, tiles, steps, SIDE: tl.constexpr, STEP: tl.constexpr):
    """The same with pointers that the loop over tiles advances, and a store before the loop."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    first = tl.program_id(0)
    place = a + (first * SIDE + i)[:, None] * COLUMNS + k[None, :]
    for tile in tl.range(first, tiles, 2, num_stages=OUTER):
        rows = tile * SIDE + i
        out = c + rows[:, None] * COLUMNS + i[None, :]
        tl.store(out, tl.zeros((SIDE, SIDE), tl.float16))
        total = tl.zeros((SIDE, SIDE), tl.float32)
        for step in range((steps + tile) % 4):
            y = tl.load(b + (step * STEP + k)[:, None] * SIDE + i[None, :])
            total = tl.dot(tl.load(place + step * STEP), y, total)
        tl.store(out, total.to(tl.float16))
        place += 2 * SIDE * COLUMNS


def expected(a: np.ndarray, b: np.ndarray, tile: int, steps: int, skips: bool) -> np.ndarray:
    count = (steps + tile) % 4
    if skips and tile % 3 == 0:
        count //= 2
    rows = slice(tile * SIDE, (tile + 1) * SIDE)
    part = a[rows, : count * STEP].astype(np.float32)
    return (part @ b[: count * STEP].astype(np.float32)).astype(np.float16)


KERNELS = {"one": matmul_kernel, "two": two_loops_kernel, "advanced": advanced_kernel}


def operands() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    a = rng.integers(-3, 4, ((TILES + 2) * SIDE, 128)).astype(np.float16)
    return a, rng.integers(-3, 4, (128, SIDE)).astype(np.float16)


@pytest.mark.parametrize("stages", [2, 3, 5])
@pytest.mark.parametrize("tiles", [0, 1, TILES])
@pytest.mark.parametrize("name", KERNELS)
def test_tiles(name: str, tiles: int, stages: int) -> None:
    a, b = operands()
    c = np.full((TILES * SIDE, 128), 7, np.float16)
    for steps in range(4):
        KERNELS[name][(2,)](a, b, c, tiles, steps, SIDE, STEP, num_stages=stages)
        for tile in range(tiles):
            part = c[tile * SIDE : (tile + 1) * SIDE]
            np.testing.assert_array_equal(
                part[:, :SIDE], expected(a, b, tile, steps, name == "two")
            )
            assert (part[:, SIDE:] == 7).all()


@pytest.mark.parametrize("name", KERNELS)
def test_results_may_be_operands_of_the_next_tile(name: str) -> None:
    """The rows of tile t of the result are those of tile t + 2 of the left operand."""
    memory, _ = operands()
    b = np.eye(128, SIDE, k=-1, dtype=np.float16)  # the product is the left operand, shifted
    memory[2 * SIDE :] = 0
    want = memory.copy()
    for tile in range(TILES):
        rows = slice((tile + 2) * SIDE, (tile + 3) * SIDE)
        want[rows, :SIDE] = expected(want, b, tile, 3, name == "two")
    a, c = memory, memory[2 * SIDE :]
    KERNELS[name][(2,)](a, b, c, TILES, 3, SIDE, STEP, num_stages=3)
    np.testing.assert_array_equal(memory, want)


@pytest.mark.parametrize("noalias", [False, True])
@pytest.mark.parametrize("name", KERNELS)
def test_copies_are_in_flight_while_results_are_stored(name: str, noalias: bool) -> None:
    """Unless the results may be operands."""
    signature = ["*fp16:D", "*fp16:D", "*fp16:D", "i32", "i32", SIDE, STEP]
    compiled = compile(KERNELS[name], signature, "cuda:80", {"num_stages": 3}, noalias=noalias)
    lines = compiled.ir("tilegpu").splitlines()
    copies = [number for number, line in enumerate(lines) if "async_copy" in line]
    outer = next(number for number, line in enumerate(lines) if "scf.for" in line)
    store = max(number for number, line in enumerate(lines) if "tile.store" in line)
    dot = next(number for number, line in enumerate(lines) if "tilegpu.mma" in line)
    end = next(n for n, line in enumerate(lines) if n > dot and line.strip().startswith("}"))
    following = lines[end:store]
    assert (min(copies) < outer) == noalias
    next_tile = following[: next((n for n, x in enumerate(following) if "scf." in x), None)]
    assert any("async_copy" in line for line in next_tile) == noalias


@tilewright.jit
def attention_kernel(
    q, k, v, out, tiles, steps, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr
):
    i, j, d = tl.arange(0, ROWS), tl.arange(0, COLUMNS), tl.arange(0, DEPTH)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        queries = tl.load(q + (tile * ROWS + i)[:, None] * DEPTH + d[None, :])
        total = tl.zeros((ROWS, DEPTH), tl.float32)
        for step in range(steps):
            places = (step * COLUMNS + j)[:, None] * DEPTH + d[None, :]
            scores = tl.dot(queries, tl.trans(tl.load(k + places)))
            total = tl.dot(tl.exp2(scores).to(tl.float16), tl.load(v + places), total)
        tl.store(out + (tile * ROWS + i)[:, None] * DEPTH + d[None, :], total)


@pytest.mark.parametrize("stages", [2, 3])
def test_queries_of_each_tile(stages: int) -> None:
    rng = np.random.default_rng(5)
    q, k, v = (rng.standard_normal((64, 32)).astype(np.float16) for _ in range(3))
    out = np.zeros((64, 32), np.float32)
    attention_kernel[(2,)](q / 8, k, v, out, 4, 4, 16, 16, 32, num_warps=4, num_stages=stages)
    scores = (q / 8).astype(np.float64) @ k.astype(np.float64).T
    np.testing.assert_allclose(out, np.exp2(scores) @ v.astype(np.float64), rtol=0.01, atol=0.1)


@pytest.mark.cpu_only("fills the shared memory of an H200", compiles=False)
@pytest.mark.parametrize(("depth", "stages"), [(64, 2), (64, 5), (128, 2), (128, 3)])
def test_copies_of_the_outer_loop_get_what_is_left(depth: int, stages: int) -> None:
    """Shared memory has room for the keys and values of all stages, but not for as many queries."""
    arrays = [np.empty(128 * depth, np.float16)] * 3
    attention_kernel.warmup(
        *arrays, np.empty(128 * depth, np.float32), 4, 4, 128, 128, depth,
        num_warps=8, num_stages=stages, target="cuda:90a",
    )  # fmt: skip
