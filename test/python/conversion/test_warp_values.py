"""Layout changes, reductions and scans within a warp are correct for all layouts."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pytest
import thread_code
from numpy.typing import NDArray
from thread_layouts import Layout, random_layout

CASES = 60
SHAPES = [(64,), (256,), (2,), (8, 16), (4, 2, 16), (1, 32), (32, 32)]
ELEMENTS = ["i1", "i8", "f16", "i32", "f32", "i64", "f64", "!tile.ptr<f32>"]


def module(functions: list[str]) -> str:
    attributes = 'tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"'
    return f"module attributes {{{attributes}}} {{\n" + "\n".join(functions) + "\n}\n"


def values(random: Random, shape: tuple[int, ...], element: str) -> NDArray[np.generic]:
    numbers = np.random.default_rng(random.randrange(1 << 32)).integers(-100, 100, shape)
    dtype = thread_code.DTYPES.get(element, np.int64)
    return numbers.astype(dtype) if dtype is not np.bool_ else numbers > 0


@pytest.mark.parametrize("seed", range(4))
def test_convert_layout(seed: int) -> None:
    random = Random(seed)
    cases = []
    functions = []
    for case in range(CASES):
        shape, element = random.choice(SHAPES), random.choice(ELEMENTS)
        source, target = random_layout(random, shape), random_layout(random, shape)
        a, b = source.tensor(element), target.tensor(element)
        functions.append(f"""
        func.func @case{case}(%x: {a}) -> {b} {{
          %0 = tilegpu.convert_layout %x : {a} -> {b}
          return %0 : {b}
        }}""")
        cases.append((source, target, element))
    code = thread_code.lower(module(functions))
    for case, (source, target, element) in enumerate(cases):
        tile = values(random, source.shape, element)
        (result,) = thread_code.run(code[f"case{case}"], source.spread(tile))
        np.testing.assert_array_equal(result, target.spread(tile), functions[case])


ADD = """^bb0(%a: i32, %b: i32):
  %r = arith.addi %a, %b : i32
  tile.yield %r : i32"""
# The pair with the larger value; of equal values, the one with the smaller index.
ARGMAX = """^bb0(%a: f16, %i: i32, %b: f16, %j: i32):
  %0 = arith.cmpf ogt, %a, %b : f16
  %1 = arith.cmpf oeq, %a, %b : f16
  %2 = arith.cmpi slt, %i, %j : i32
  %3 = arith.andi %1, %2 : i1
  %4 = arith.ori %0, %3 : i1
  %5 = arith.select %4, %a, %b : f16
  %6 = arith.select %4, %i, %j : i32
  tile.yield %5, %6 : f16, i32"""


# x -> a x + b, then x -> c x + d: not commutative.
COMPOSE = """^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
  %0 = arith.muli %a, %c : i32
  %1 = arith.muli %b, %c : i32
  %2 = arith.addi %1, %d : i32
  tile.yield %0, %2 : i32, i32"""


def reduction(layout: Layout, axis: int, elements: list[str], body: str, name: str) -> str:
    tiles = ", ".join(layout.tensor(element) for element in elements)
    rest = layout.without(axis)
    made = ", ".join(rest.tensor(element) if rest.shape else element for element in elements)
    names = [f"%x{i}" for i in range(len(elements))]
    arguments = ", ".join(f"{x}: {layout.tensor(e)}" for x, e in zip(names, elements, strict=True))
    results = ", ".join(f"%r#{i}" for i in range(len(elements)))
    return f"""
    func.func @{name}({arguments}) -> ({made}) {{
      %r:{len(elements)} = tile.reduce({", ".join(names)}) {axis} {{
      {body}
      }} : ({tiles}) -> ({made})
      return {results} : {made}
    }}"""


def spread(layout: Layout, tile: NDArray[np.generic]) -> NDArray[np.generic]:
    """The values of each thread; a scalar is replicated in all threads."""
    return layout.spread(tile) if layout.shape else np.full(thread_code.LANES, tile)


@pytest.mark.parametrize("seed", range(4))
def test_reduce(seed: int) -> None:
    random = Random(seed)
    layouts, functions = [], []
    for case in range(CASES):
        shape = random.choice(SHAPES)
        # If a basis of the layout moves along two dimensions, elements that are combined may be
        # in different registers of different lanes; such layouts are converted before.
        layout = random_layout(random, shape, swizzled=len(shape) == 1)
        axis = random.randrange(len(shape))
        layouts.append((layout, axis))
        functions.append(reduction(layout, axis, ["i32"], ADD, f"sum{case}"))
        functions.append(reduction(layout, axis, ["f16", "i32"], ARGMAX, f"argmax{case}"))
    code = thread_code.lower(module(functions))
    for case, (layout, axis) in enumerate(layouts):
        rest = layout.without(axis)
        tile = values(random, layout.shape, "i32")
        (total,) = thread_code.run(code[f"sum{case}"], layout.spread(tile))
        expected = np.sum(tile, axis, dtype=np.int32)
        np.testing.assert_array_equal(total, spread(rest, expected), functions[2 * case])
        keys = values(random, layout.shape, "f16") // np.float16(50)  # many are equal
        places = np.indices(layout.shape, dtype=np.int32)[axis]
        best, where = thread_code.run(
            code[f"argmax{case}"], layout.spread(keys), layout.spread(places)
        )
        np.testing.assert_array_equal(best, spread(rest, keys.max(axis)), functions[2 * case + 1])
        np.testing.assert_array_equal(where, spread(rest, keys.argmax(axis)))


def scan(layout: Layout, axis: int, reverse: bool, name: str) -> str:
    tile = layout.tensor("i32")
    return f"""
    func.func @{name}(%x: {tile}, %y: {tile}) -> ({tile}, {tile}) {{
      %r:2 = tile.scan(%x, %y) {axis} {"reverse" if reverse else ""} {{
      {COMPOSE}
      }} : ({tile}, {tile}) -> ({tile}, {tile})
      return %r#0, %r#1 : {tile}, {tile}
    }}"""


def composed(
    factors: NDArray[np.int32], summands: NDArray[np.int32], axis: int, reverse: bool
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    factors, summands = (np.moveaxis(tile, axis, 0).copy() for tile in (factors, summands))
    order = range(len(factors))[:: -1 if reverse else 1]
    for before, this in itertools.pairwise(order):
        summands[this] += summands[before] * factors[this]
        factors[this] *= factors[before]
    return np.moveaxis(factors, 0, axis), np.moveaxis(summands, 0, axis)


@pytest.mark.parametrize("seed", range(4))
def test_scan(seed: int) -> None:
    random = Random(seed)
    cases, functions = [], []
    for case in range(CASES):
        shape = random.choice(SHAPES)
        layout = random_layout(random, shape, swizzled=False)
        axis, reverse = random.randrange(len(shape)), random.random() < 0.5
        cases.append((layout, axis, reverse))
        functions.append(scan(layout, axis, reverse, f"case{case}"))
    code = thread_code.lower(module(functions))
    for case, (layout, axis, reverse) in enumerate(cases):
        tiles = [values(random, layout.shape, "i32").astype(np.int32) for _ in range(2)]
        results = thread_code.run(code[f"case{case}"], *map(layout.spread, tiles))
        with np.errstate(over="ignore"):
            expected = composed(tiles[0], tiles[1], axis, reverse)
        for result, tile in zip(results, expected, strict=True):
            np.testing.assert_array_equal(result, layout.spread(tile), functions[case])


def gather(source: Layout, indices: Layout, axis: int, name: str) -> str:
    tile, index = source.tensor("f16"), indices.tensor("i32")
    result = indices.tensor("f16")
    return f"""
    func.func @{name}(%x: {tile}, %i: {index}) -> {result} {{
      %r = tile.gather %x[%i] {axis} : {tile}, {index} -> {result}
      return %r : {result}
    }}"""


@pytest.mark.parametrize("seed", range(4))
def test_gather(seed: int) -> None:
    random = Random(seed)
    cases, functions = [], []
    for case in range(CASES):
        shape = random.choice(SHAPES)
        layout = random_layout(random, shape, swizzled=False)
        axis = random.randrange(len(shape))
        cases.append((layout, axis))
        functions.append(gather(layout, layout, axis, f"case{case}"))
    code = thread_code.lower(module(functions))
    for case, (layout, axis) in enumerate(cases):
        tile = values(random, layout.shape, "f16")
        indices = values(random, layout.shape, "i32") % np.int32(layout.shape[axis])
        (result,) = thread_code.run(
            code[f"case{case}"], layout.spread(tile), layout.spread(indices)
        )
        expected = np.take_along_axis(tile, indices, axis)
        np.testing.assert_array_equal(result, layout.spread(expected), functions[case])
