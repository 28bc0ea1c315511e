"""The option ir_override: Tile IR in a file, in place of what the front end builds."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError, CompileError


@tilewright.jit
def double(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@pytest.fixture
def arrays():
    return np.arange(16, dtype=np.float32), np.zeros(16, np.float32)


@pytest.fixture
def changed(arrays, tmp_path):
    """A file with the kernel's IR, but with another factor."""
    source = double.warmup(*arrays, 16, BLOCK=16, grid=(1,)).ir("source")
    assert "2.000000e+00" in source
    file = tmp_path / "double.ttir"
    file.write_text(source.replace("2.000000e+00", "5.000000e+00"))
    return file


@pytest.mark.parametrize("target", ["cpu", "emulator:cuda:90a+checks"])
def test_the_file_is_run_in_place_of_the_source(arrays, changed, target) -> None:
    x, out = arrays
    for override, factor in ((changed, 5), (None, 2), (str(changed), 5)):
        double[1,](x, out, 16, BLOCK=16, ir_override=override, target=target)
        np.testing.assert_array_equal(out, x * factor)


def test_another_content_is_another_kernel(arrays, changed) -> None:
    x, out = arrays
    kernels = []
    for factor in ("5", "7"):
        changed.write_text(changed.read_text().replace("5.0000", f"{factor}.0000"))
        again = tilewright.jit(double.fn)
        again[1,](x, out, 16, BLOCK=16, ir_override=str(changed))
        np.testing.assert_array_equal(out, x * float(factor))
        kernels.append(again)


def test_other_parameters_are_refused(arrays, changed) -> None:
    x, out = arrays
    with pytest.raises(CompileError, match="does not have the parameters of the launch") as raised:
        double[1,](x[:15], out[:15], 15, BLOCK=16, ir_override=str(changed))
    assert "expected: func.func @double" in str(raised.value)
    with pytest.raises(CompileError, match="does not have the parameters"):
        double[1,](x, x, 16, BLOCK=16, ir_override=str(changed))  # they share memory
    with pytest.raises(CompileError, match="does not have the parameters"):
        double[1,](x.astype(np.float64), out.astype(np.float64), 16, 16, ir_override=str(changed))


@pytest.mark.parametrize("text", ["no IR", "module {}", "func.func @double() { return }"])
def test_other_texts_are_refused(arrays, tmp_path, text) -> None:
    file = tmp_path / "wrong.mlir"
    file.write_text(text)
    with pytest.raises(CompileError):
        double[1,](*arrays, 16, BLOCK=16, ir_override=str(file))


@pytest.mark.parametrize("path", ["kernel.ptx", 3, "missing.ttir"])
def test_other_paths_are_refused(arrays, path) -> None:
    with pytest.raises(ArgumentError, match="ir_override"):
        double[1,](*arrays, 16, BLOCK=16, ir_override=path)
