"""Functions that compat adds to triton.language.core, .standard and .extra.cuda."""

import inspect

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright import compat
from tilewright.compat import core, paths
from tilewright.errors import CompileError, ConstantError, UnsupportedError
from tilewright.language.extra import cuda


@pytest.mark.parametrize(
    ("bits", "signed", "expected"),
    [(1, False, tl.int1), (1, True, tl.int1), (8, True, tl.int8), (16, False, tl.uint16),
     (32, True, tl.int32), (64, False, tl.uint64)],
)  # fmt: skip
def test_get_int_dtype(bits, signed, expected) -> None:
    assert tl.core.get_int_dtype(bitwidth=bits, signed=signed) is expected


def test_get_int_dtype_of_a_missing_width() -> None:
    with pytest.raises(ConstantError, match="no integer dtype of 24 bits"):
        tl.core.get_int_dtype(24, True)


def test_a_bit_pattern_in_a_kernel() -> None:
    """As PyTorch's Inductor finds the bits of a float."""

    @tilewright.jit
    def kernel(out, x):
        value = tl.load(x + tl.arange(0, 4))
        kind: tl.constexpr = tl.core.get_int_dtype(value.dtype.primitive_bitwidth, True)
        tl.store(out + tl.arange(0, 4), value.to(kind, bitcast=True))

    x = np.array([0, -0.0, 1, np.inf], np.float32)
    out = np.zeros(4, np.int32)
    kernel[(1,)](out, x)
    assert np.array_equal(out, x.view(np.int32))


@pytest.mark.parametrize(("value", "expected"), [(1, 0), (2, 1), (1024, 10), (1 << 40, 40)])
def test_log2(value, expected) -> None:
    assert core._log2(value).value == expected


@pytest.mark.parametrize("value", [0, -4, 2.0])
def test_log2_of_what_has_none(value) -> None:
    with pytest.raises(ConstantError):
        core._log2(value)


def test_view_has_the_parameter_that_inductor_looks_for() -> None:
    assert "_semantic" in inspect.signature(core.view).parameters

    @tilewright.jit
    def kernel(out, x):
        tile = core.view(tl.load(x + tl.arange(0, 8)), [2, 4])
        tl.store(out + tl.arange(0, 2), tl.sum(tile, axis=1))

    out = np.zeros(2, np.int32)
    kernel[(1,)](out, np.arange(8, dtype=np.int32))
    assert out.tolist() == [6, 22]


@pytest.mark.parametrize("target", ["cpu", "cuda:90a"])
def test_dependent_launches(target) -> None:
    """Without an overlap of launches, waiting for the previous one does nothing."""

    @tilewright.jit
    def kernel(x, PDL: tl.constexpr):
        if PDL:
            cuda.gdc_wait()
        value = tl.load(x)
        if PDL:
            cuda.gdc_launch_dependents()
        tl.store(x, value + 1)

    x = np.zeros(1, np.int32)
    launch = kernel[(1,)]
    if target == "cpu":
        launch(x, PDL=True, launch_pdl=True)
        launch(x, PDL=True, launch_pdl=True)
    else:
        with tilewright.emulate(target, checks=True):
            launch(x, PDL=True, launch_pdl=True)
            launch(x, PDL=True, launch_pdl=True)
    assert x[0] == 2


def test_number_of_warps_outside_of_a_kernel_is_an_error() -> None:
    with pytest.raises(CompileError, match="outside of a kernel"):
        cuda.num_warps()


def test_an_annotated_pointer_is_an_ordinary_one() -> None:
    @tilewright.jit
    def kernel(out, x: tl.const, n: tl.const = 3):
        tl.store(out, tl.load(x) + n)

    out = np.zeros(1, np.float32)
    kernel[(1,)](out, np.full(1, 2, np.float32))
    assert out[0] == 5


def test_an_external_function_fails_where_a_kernel_calls_it() -> None:
    """Modules define such functions when they are imported."""
    compat.install()
    import triton.language.core as names

    symbols = {(tl.float32,): ("mine", tl.float32)}

    @names.extern
    def external(x, _semantic=None):
        return names.extern_elementwise("", "", [x], symbols, is_pure=True, _semantic=_semantic)

    @tilewright.jit
    def kernel(x):
        tl.store(x, external(tl.load(x)))

    try:
        with pytest.raises(UnsupportedError, match="external function `mine` is not available"):
            kernel[(1,)](np.zeros(1, np.float32))
    finally:
        compat.uninstall()


def test_paths() -> None:
    tree = ("a", (1, ["b", 2]), (), 3)
    found = paths.find_paths_if(tree, lambda path, leaf: isinstance(leaf, int))
    assert found == [(1, 0), (1, 1, 1), (3,)]
    assert [paths.get_iterable_path(tree, path) for path in found] == [1, 2, 3]
    assert paths.find_paths_if((), lambda path, leaf: True) == []
