"""Tensor maps that launches make for kernels on emulated GPUs, as the kernels find them."""

from __future__ import annotations

import pickle
from typing import Any

import map_bytes
import numpy as np
import pytest
import tensor_map_words as words
from box_kernels import BOX_ROWS, COLUMNS, ROWS, THREADS
from faults_of_boxes import kernel as box_kernel
from map_bytes import (
    MAP_BYTES,
    Decoded,
    attributes,
    compile_text,
    decode,
    module_of,
    replace_core,
)

import tilewright
import tilewright.language as tl
from tilewright import _core
from tilewright.compiler import pipeline

TARGETS = ("emulator:cuda:90a", "emulator:cuda:90a+checks")
# x, rows, columns in the slots 1, 2 and 3.
STEPS = [
    words.step(words.ARGUMENT, 3, bits=32),
    words.step(words.ARGUMENT, 2, bits=32),
    words.step(words.CONSTANT, 4, bits=32),
    words.step(words.MULTIPLY, 0, 2, bits=32),
]
MATRIX = words.Map([0, 1], [3], [8, 4], "fp32", slot=1, swizzle=32)


def make_kernel() -> Any:
    @tilewright.jit(do_not_specialize=["rows", "columns"])
    def kernel(out, x, rows, columns):
        tl.store(out, rows + columns)

    return kernel


def text_of(options: dict[str, Any]) -> str:
    maps = [MATRIX] if options["specialize_ranges"] and options["tensor_maps"] else []
    return module_of(maps, STEPS, [0, 2, 3], ["i32", "i32"])


@pytest.fixture
def compiled(monkeypatch, tmp_path) -> Any:
    """The options of the compilations, in a cache of their own."""
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    yield replace_core(monkeypatch, text_of)
    pipeline._kernels.clear()


def launch(kernel: Any, x: np.ndarray, rows: int, columns: int, target: str = TARGETS[1]) -> Any:
    """The decoded map, or the sum that the code without a map stores first."""
    out = np.zeros(32, np.int64)
    kernel[(2,)](out, x, rows, columns, target=target, num_warps=1)
    if out[0] == rows + columns:
        return int(out[0])
    assert out[16] == rows + columns and not out[17:].any()
    return decode(out[:16])


def expected(x: np.ndarray, rows: int, columns: int) -> Decoded:
    return Decoded("fp32", x.ctypes.data, (columns, rows), (4 * columns,), (8, 4), 32, False)


def aligned(elements: int, offset: int = 0) -> np.ndarray:
    whole = np.zeros(elements + 16, np.float32)
    start = -whole.ctypes.data // 4 % 16
    return whole[start + offset : start + offset + elements]


@pytest.mark.parametrize("target", TARGETS)
def test_the_map_arrives(compiled, target) -> None:
    kernel, x = make_kernel(), aligned(64)
    for rows, columns in ((4, 16), (1, 4), (100000, 40000)):
        assert launch(kernel, x, rows, columns, target) == expected(x, rows, columns)
    other = aligned(32, 4)
    assert launch(kernel, other, 2, 16, target) == expected(other, 2, 16)
    assert len(compiled) == 1


def test_what_has_no_map_runs_the_general_code(compiled) -> None:
    kernel, x = make_kernel(), aligned(64)
    for _ in range(2):
        assert launch(kernel, x, 4, 15) == 19
        assert launch(kernel, x, 0, 16) == 16
        assert launch(kernel, x, 4, -16) == -12
        assert launch(kernel, x, 1, 2**30) == 2**30 + 1  # the stride wraps
        assert launch(kernel, x, 4, 16) == expected(x, 4, 16)
        assert launch(kernel, aligned(64, 1), 4, 16) == 20
    # The unaligned address has a variant of its own, which fails, too.
    assert [options["tensor_maps"] for options in compiled].count(False) == 2


def test_arrays_without_elements(compiled) -> None:
    assert launch(make_kernel(), aligned(0), 0, 0) == 0


def test_kernels_of_the_disk_cache(compiled) -> None:
    kernel, x = make_kernel(), aligned(64)
    assert launch(kernel, x, 4, 16) == expected(x, 4, 16)
    del kernel
    pipeline._kernels.clear()
    again = make_kernel()
    assert launch(again, x, 4, 16) == expected(x, 4, 16)
    assert launch(again, x, 4, 15) == 19
    assert len(compiled) == 2


def test_compiled_kernels_keep_their_maps(compiled) -> None:
    kernel, x, out = make_kernel(), aligned(64), np.zeros(32, np.int64)
    arguments = (out, x, 4, 16)
    made = kernel.warmup(*arguments, grid=(1,), target=TARGETS[0], num_warps=1)
    assert made.tensor_maps == words.encode(STEPS, [MATRIX])
    copy = pickle.loads(pickle.dumps(made))
    assert copy.tensor_maps == made.tensor_maps == copy.metadata["tensor_maps"]
    for direct in (made, copy):
        out[:] = 0
        direct[(1,)](*arguments)
        assert decode(out[:16]) == expected(x, 4, 16)
    made[(1,)](out, x, 4, 15)
    assert out[0] == 19
    assert not any(options["tensor_maps"] for options in compiled[1:])


#
# The parameter's bytes
#


def store_maps(
    maps: list[words.Map], steps: Any, fn: Any, arguments: Any, checks: Any = None, **kernel: Any
) -> Any:
    """What the kernel stores for these maps, with its output as the first argument."""
    out = np.zeros(16 * len(maps) + 1, np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILEWRIGHT_CACHE", "0")
        replace_core(patch, lambda options: module_of(maps, steps, **kernel))
        fn[(1,)](out, *arguments, target=TARGETS[1], checks=checks)
    pipeline._kernels.clear()
    found = [decode(out[16 * i : 16 * (i + 1)]) for i in range(len(maps))]
    return found, int(out[-1]) - (out.ctypes.data if checks else 0)


def test_maps_behind_odd_arguments() -> None:
    @tilewright.jit
    def kernel(out, flag: tl.int8, x, n: tl.int16, y):
        tl.store(out, flag + n)

    steps = [words.step(words.CONSTANT, 100), words.step(words.CONSTANT, -32)]
    maps = [
        words.Map([0], [], [16], "i8", slot=4, offset=1),
        words.Map([0], [], [8], "fp16", slot=2, nan_fill=True),
        words.Map([0], [], [2], "i64", slot=2),
    ]
    x, y = aligned(64), aligned(64, 8)
    arguments = (-3, x, 1000, y)
    found, total = store_maps(
        maps, steps, kernel, arguments, slots=[0, 1, 3], scalars=["i8", "i16"]
    )
    assert total == 997
    assert found == [
        Decoded("i8", y.ctypes.data - 32, (100,), (), (16,), 0, False),
        Decoded("fp16", x.ctypes.data, (100,), (), (8,), 0, True),
        Decoded("i64", x.ctypes.data, (100,), (), (2,), 0, False),
    ]


def test_maps_beside_bounds() -> None:
    """The last array's bounds, which the code does not read, have slots of the map."""

    @tilewright.jit
    def kernel(out, x, n, y):
        tl.store(out, n)

    x, steps = aligned(4), [words.step(words.CONSTANT, 16)]
    maps = [words.Map([0], [], [4], slot=1)]
    arguments = (x, 7, aligned(8))
    found, rest = store_maps(
        maps, steps, kernel, arguments, "bounds", slots=[0, -2], scalars=["i64"]
    )
    assert rest == 0  # hidden slot 1 is the address of the output
    assert found == [Decoded("fp32", x.ctypes.data, (16,), (), (4,), 0, False)]


@pytest.mark.parametrize("dtype", sorted(map_bytes._MLIR_TYPES))
def test_ranks_of_each_type(dtype) -> None:
    @tilewright.jit
    def kernel(out, x):
        tl.store(out, 1)

    maps, steps = [], [words.step(words.CONSTANT, 48 * (i + 1)) for i in range(6)]
    for rank in range(1, 6):
        box = [32, *range(2, rank + 1)]
        maps.append(words.Map(range(rank), range(1, rank), box, dtype, slot=1))
    x = aligned(4)
    found, _ = store_maps(maps, steps, kernel, (x,), slots=[0])
    sizes = [48 * (i + 1) for i in range(6)]
    for rank, (map, given) in enumerate(zip(found, maps, strict=True), 1):
        extents, strides = tuple(sizes[:rank]), tuple(sizes[1:rank])
        assert map == Decoded(dtype, x.ctypes.data, extents, strides, tuple(given.box), 0, False)


#
# Copies
#


@pytest.mark.parametrize("rows", [16, 5])
@pytest.mark.parametrize("target", TARGETS)
def test_a_kernel_copies_a_box_by_its_map(monkeypatch, target, rows) -> None:
    @tilewright.jit(do_not_specialize=["rows"])
    def kernel(x, out, rows):
        tl.store(out, tl.load(x) + rows)

    steps = [
        words.step(words.CONSTANT, COLUMNS),
        words.step(words.ARGUMENT, 2, bits=32),
        words.step(words.CONSTANT, 4 * COLUMNS),
    ]
    box = words.Map([0, 1], [2], [COLUMNS, BOX_ROWS], "i32")
    maps = [box, box._replace(slot=1), box]
    text = box_kernel("init fence barrier expect copy wait use").module()
    slots = "tilegpu.slots = array<i32: 0, 1"
    described = f"{slots}>, {', '.join(attributes(maps, steps))}"
    text = text.replace(f"{slots}, 8, 24, 40>", described)

    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    monkeypatch.delenv("TILEWRIGHT_VERIFY_LOCATIONS")  # terminators have no location
    replace_core(monkeypatch, lambda options: text, THREADS // 32)
    x = np.arange(ROWS * COLUMNS, dtype=np.int32).reshape(ROWS, COLUMNS)
    out = np.zeros_like(x)
    kernel[(1,)](x, out, rows, target=target)
    pipeline._kernels.clear()
    expected = np.zeros_like(x)
    expected[: min(rows, BOX_ROWS)] = x[: min(rows, BOX_ROWS)]
    np.testing.assert_array_equal(out, expected)


#
# Compiled code
#


def test_the_parameters_of_a_cubin() -> None:
    made = compile_text(module_of([MATRIX], STEPS, [0, 2, 3], ["i8", "i32"]), "cuda:90a")
    assert made.metadata["tensor_maps"] == words.encode(STEPS, [MATRIX])
    assert made.metadata["slots"] == [0, 2, 3]
    assert f".param .align 64 .b8 kernel_param_3[{MAP_BYTES}]" in made.texts["ptx"]


def test_kernels_without_maps_have_none() -> None:
    made = compile_text(module_of([], [], [0]), "cuda:90a")
    assert made.metadata["tensor_maps"] == []
    made = compile_text(module_of([], [], [0]), "emulator:cuda:90a")
    assert made.metadata["tensor_maps"] == made.metadata["tensor_map_slots"] == []


def test_a_map_that_is_no_parameter_by_value() -> None:
    text = module_of([MATRIX], STEPS, [0, 2, 3], ["i32", "i32"])
    with pytest.raises(_core.IRError, match="parameter 3 is a tensor map, and must be 128 bytes"):
        compile_text(text.replace(" {thread.tensor_map}", ""), "cuda:90a")


@pytest.mark.parametrize("target", ["cuda:90a", TARGETS[0]])
def test_a_map_that_nothing_describes(target) -> None:
    text = module_of([MATRIX], STEPS, [0, 2, 3], ["i32", "i32"])
    described, end = text.index(", tilegpu.tensor_maps"), text.index("} {\n  %tid")
    with pytest.raises(_core.IRError, match="has 4 parameters, but 3 slots and 0 tensor maps"):
        compile_text(text[:described] + text[end:], target)
