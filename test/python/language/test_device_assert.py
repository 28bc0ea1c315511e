"""Assertions in running kernels: where they are checked, and the error of a failed one."""

import inspect
import re
import runpy

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import DeviceAssertError

pytestmark = pytest.mark.loses_gpu


@tilewright.jit(debug=True)
def copy_positive(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    m = i < n
    value = tl.load(x + i, mask=m, other=-1.0)
    tl.device_assert(value > 0, f"not positive, of {BLOCK}", mask=m)
    tl.store(out + i, value, mask=m)


def positive(n):
    return np.arange(1, n + 1, dtype=np.float32), np.zeros(n, np.float32)


@pytest.mark.parametrize("n", [1, 37, 100])
@pytest.mark.parametrize("bad", [0, -1])
def test_a_tile_under_a_mask(n, bad, launch_target):
    x, out = positive(n)
    copy_positive[(1,)](x, out, n, BLOCK=128)
    assert np.array_equal(out, x)
    x[bad], out[:] = -3, 0
    with pytest.raises(DeviceAssertError, match="not positive, of 128"):
        copy_positive[(1,)](x, out, n, BLOCK=128)
    # On a GPU, threads whose own elements are valid may have continued.
    assert launch_target != "cpu" or not out.any(), "the program continued"


def test_the_message_shows_kernel_program_and_line(launch_target):
    x, out = positive(4)
    x[2] = 0
    with pytest.raises(DeviceAssertError) as raised:
        copy_positive[(1,)](x, out, 4, BLOCK=16)
    lines, first = inspect.getsourcelines(copy_positive.fn)
    line = next(i for i, text in enumerate(lines) if "device_assert" in text)
    error = raised.value
    assert (error.file, error.line, error.column) == (__file__, first + line, 5)
    assert error.program == (0, 0, 0)
    assert (error.thread is None) == ("cuda" not in launch_target)
    thread = f", thread {error.thread}" if "cuda" in launch_target else ""
    assert str(error).splitlines() == [
        f"{__file__}:{first + line}:5: an assertion failed in copy_positive "
        f"(test_device_assert.py:{first}), program (0, 0, 0){thread}: not positive, of 16",
        f"    {lines[line].strip()}",
        "    ^",
    ]


def test_the_same_kernel_in_two_folders_names_its_own(tmp_path):
    source = "import tilewright\nimport tilewright.language as tl\n\n"
    source += "@tilewright.jit(debug=True)\n"
    source += "def positive(n):\n    tl.device_assert(n > 0)\n"
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        file = folder / "kernel_of_two_folders.py"
        file.write_text(source)
        with pytest.raises(DeviceAssertError) as raised:
            runpy.run_path(str(file))["positive"][(1,)](-1)
        assert (raised.value.file, raised.value.line) == (str(file), 6)


def test_later_launches_live_on():
    x, out = positive(8)
    for _ in range(3):
        x[5] = -1
        with pytest.raises(AssertionError):
            copy_positive[(1,)](x, out, 8, BLOCK=16)
        x[5] = 1
        copy_positive[(1,)](x, out, 8, BLOCK=16)
        assert np.array_equal(out, x)


@tilewright.jit(debug=True)
def scalars(out, n):
    assert n < 10, "n is too large"
    assert n != 7
    tl.store(out, n)


def test_scalars_and_which_of_several_failed():
    out = np.zeros(1, np.int32)
    scalars[(1,)](out, 3)
    assert out[0] == 3
    with pytest.raises(DeviceAssertError, match="n is too large"):
        scalars[(1,)](out, 12)
    with pytest.raises(DeviceAssertError, match=r"\n    assert n != 7\n"):
        scalars[(1,)](out, 7)
    assert out[0] == 3


@tilewright.jit(debug=True)
def one_program_fails(x, y, z, BLOCK: tl.constexpr):
    here = (tl.program_id(0) == x) & (tl.program_id(1) == y) & (tl.program_id(2) == z)
    tl.device_assert((tl.arange(0, BLOCK) < 5) | (here == 0), "here")


@pytest.mark.parametrize("block", [1, 8])
def test_the_program_that_failed(block):
    one_program_fails[(5, 4, 3)](7, 0, 0, BLOCK=block)
    for program in [(4, 2, 1), (0, 3, 2)]:
        with pytest.raises(DeviceAssertError, match=re.escape(f"program {program}")) as raised:
            one_program_fails[(5, 4, 3)](*program, BLOCK=8)
        assert raised.value.program == program


@tilewright.jit(debug=True)
def prefix_sums(x, out, n):
    total = 0
    for i in range(n):
        total += tl.load(x + i)
        if total > 0:
            assert total < 100, "overflow"
        tl.store(out + i, total)


def test_in_a_branch_in_a_loop(launch_target):
    x, out = np.full(10, 30, np.int32), np.zeros(10, np.int32)
    with pytest.raises(DeviceAssertError, match="overflow"):
        prefix_sums[(1,)](x, out, 10)
    written = np.count_nonzero(out)
    assert written == 3 or (launch_target != "cpu" and written < 3)
    assert out.tolist() == [30, 60, 90][:written] + [0] * (10 - written)
    prefix_sums[(1,)](x, out, 3)


@tilewright.jit
def checked_sqrt(value):
    tl.device_assert(value >= 0, "root of a negative number")
    return tl.sqrt(value)


@tilewright.jit
def roots(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, checked_sqrt(tl.load(x + i)))


def test_in_a_called_function():
    x, out = positive(16)
    x[9] = -4
    with pytest.raises(DeviceAssertError, match=r"failed in roots .*root of a negative") as raised:
        roots[(1,)](x, out, BLOCK=16, debug=True)
    assert raised.value.line == inspect.getsourcelines(checked_sqrt.fn)[1] + 2


@tilewright.jit(debug=True)
def tile_of_two_dimensions(out, limit, BLOCK: tl.constexpr):
    i, j = tl.arange(0, BLOCK)[:, None], tl.arange(0, 4)[None, :]
    assert i * j < limit, "product"
    tl.store(out, 1)


def test_every_element_is_checked():
    out = np.zeros(1, np.int32)
    tile_of_two_dimensions[(1,)](out, 63 * 3 + 1, BLOCK=64)
    assert out[0] == 1
    with pytest.raises(DeviceAssertError, match="product"):
        tile_of_two_dimensions[(1,)](out, 63 * 3, BLOCK=64)


@tilewright.jit(debug=True)
def always_false(out):
    assert tl.program_id(0) < 100, "program"
    tl.store(out + tl.program_id(0), 1)


def test_the_first_failing_program_ends_the_launch():
    out = np.zeros(100, np.int32)
    with pytest.raises(DeviceAssertError, match="program") as raised:
        always_false[(2**31 - 1,)](out)
    x, y, z = raised.value.program
    assert x >= 100 and (y, z) == (0, 0)
    always_false[(100,)](out)
    assert out.all()


def test_assertions_are_left_out_by_default(capfd, monkeypatch, launch_target):
    monkeypatch.setenv("TILEWRIGHT_LOG", "compiles")
    monkeypatch.delenv("TILEWRIGHT_DEBUG", raising=False)
    x, out = positive(4)
    compiled = copy_positive[(1,)](x, out, 4, BLOCK=8, debug=False)
    assert compiled.omits_asserts and not compiled.asserts
    assert "its assertions were omitted: debug=True or TILEWRIGHT_DEBUG=1" in capfd.readouterr().err
    compiled = copy_positive[(1,)](x, out, 4, BLOCK=8)
    assert not compiled.omits_asserts
    if launch_target == "cpu":  # the code for a GPU contains the messages
        assert [check.message for check in compiled.asserts] == ["not positive, of 8"]
    assert "omitted" not in capfd.readouterr().err


def test_the_environment_compiles_them(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_DEBUG", "1")
    x, out = positive(32)
    x[31] = -1
    with pytest.raises(DeviceAssertError):
        roots[(1,)](x, out, BLOCK=32)


def test_a_kernel_from_the_disk_knows_its_assertions(tmp_path, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    signature = ["*fp32", "*fp32", "i32", 64]
    options = {"debug": True}
    first = tilewright.compiler.compile(copy_positive, signature, None, options)
    expected, origin = first.asserts, first.origin
    del first
    again = tilewright.compiler.compile(copy_positive, signature, None, options)
    assert (origin, again.origin) == ("compiled", "disk")
    assert again.asserts == expected and expected[0].message == "not positive, of 64"


@tilewright.jit
def underflowing(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.exp(tl.load(x + i) - n)
    tl.store(out + i, tl.expect_zero(value, i >= BLOCK // 2))
    tl.expect_zero(n - n, n > 0)


@pytest.mark.parametrize("size", [16, 48])
def test_values_that_are_expected_to_be_zero(size):
    x, out = np.zeros(size, np.float32), np.zeros(size, np.float32)
    x[size // 2 :] = -1000
    underflowing[(1,)](x, out, 3.0, BLOCK=size, debug=True)
    np.testing.assert_allclose(out, np.exp(x - 3), rtol=1e-5)
    for wrong in (1.0, float("nan")):
        x[-1] = wrong
        underflowing[(1,)](x, out, 3.0, BLOCK=size)
        with pytest.raises(DeviceAssertError, match="expected to be zero is not"):
            underflowing[(1,)](x, out, 3.0, BLOCK=size, debug=True)
