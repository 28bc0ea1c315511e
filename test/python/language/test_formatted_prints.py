"""f-strings of run-time values: what device_print prints, and the messages of assertions."""

import re

import numpy as np
import pytest
import torch
from inputs import fresh

import tilewright
import tilewright.language as tl
from tilewright.errors import (
    CompileError,
    ConstantError,
    LoopTypeError,
    ShapeMismatchError,
    StaticAssertError,
    TypeMismatchError,
    UnsupportedError,
)


@pytest.fixture
def printed(capfd):
    """The lines that a launch printed, sorted: the threads of a GPU print in any order."""

    def run(kernel, grid, *args, **kwargs):
        capfd.readouterr()
        kernel[grid](*args, **kwargs)
        return sorted(capfd.readouterr().out.splitlines())

    return run


@tilewright.jit
def show_elements(x, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.device_print(f"x = {value} at {i} of {N}")


@pytest.mark.parametrize("size", [1, 2, 12, 64])
def test_each_element_has_a_line(printed, size):
    x = np.arange(size, dtype=np.int32)[::-1].copy()
    lines = [f"pid (0, 0, 0) idx ({i}) x = {x[i]} at {i} of {size}" for i in range(size)]
    assert printed(show_elements, (1,), x, N=size) == sorted(lines)


@tilewright.jit
def show_scalars(n, x):
    tl.device_print(f"100% of {n}: {tl.load(x)} ({n - 1}) {'{braces}'}; %d")


def test_scalars(printed):
    x = np.array([0.5], np.float32)
    assert printed(show_scalars, (2,), -7, x) == [
        f"pid ({i}, 0, 0) idx () 100% of -7: 0.5 (-8) {{braces}}; %d" for i in range(2)
    ]


@tilewright.jit
def show_broadcast(x, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    tile = tl.load(x + i[:, None] * N + j[None, :])
    tl.device_print(f"{tl.program_id(1)}: row {i[:, None]}: {tile}, column {j}")


@pytest.mark.parametrize("shape", [(2, 4), (3, 5), (1, 8)])
def test_values_are_broadcast_to_one_shape(printed, shape):
    x = np.arange(shape[0] * shape[1], dtype=np.int64).reshape(shape) * 10**12
    lines = [
        f"pid (0, {p}, 0) idx ({i}, {j}) {p}: row {i}: {x[i, j]}, column {j}"
        for p in range(2)
        for i in range(shape[0])
        for j in range(shape[1])
    ]
    assert printed(show_broadcast, (1, 2), x, M=shape[0], N=shape[1]) == sorted(lines)


@tilewright.jit
def show_formatted(x, FORMAT: tl.constexpr):
    tl.device_print(f"<{tl.load(x):{FORMAT}}>")


INTEGERS = ["", "d", "5", "<5", ">6d", "05", "+", " d", "x", "X", "o", "#x", "#X", "#o", "#06x"]
FLOATS = [".3f", "8.2f", "<9.1e", "+.0f", "g", ".3g", "#.3g", "010.4f", "E", "G", "F", " .1f"]


@pytest.mark.parametrize("specification", INTEGERS)
@pytest.mark.parametrize("dtype", ["int8", "int64"])
@pytest.mark.parametrize("value", [0, 93])
def test_formats_of_integers_are_those_of_python(printed, specification, dtype, value):
    x = np.array([value], dtype)
    want = f"pid (0, 0, 0) idx () <{value:{specification}}>"
    assert printed(show_formatted, (1,), x, FORMAT=specification) == [want]


@pytest.mark.parametrize("specification", FLOATS)
@pytest.mark.parametrize("dtype", ["float16", "float64"])
@pytest.mark.parametrize("value", [0.0, -123.25])
def test_formats_of_floats_are_those_of_python(printed, specification, dtype, value):
    x = np.array([value], dtype)
    want = f"pid (0, 0, 0) idx () <{value:{specification}}>"
    assert printed(show_formatted, (1,), x, FORMAT=specification) == [want]


@pytest.mark.parametrize(
    ("dtype", "value", "specification", "text"),
    [
        (torch.int8, -2, "x", "fe"),
        (torch.int16, -1, "#o", "0o177777"),
        (torch.int64, -1, "X", "F" * 16),
        (torch.uint8, 255, "", "255"),
        (torch.uint32, 2**32 - 1, "12", "  4294967295"),
        (torch.uint64, 2**64 - 1, "#x", "0x" + "f" * 16),
        (torch.bool, True, "x", "1"),
        (torch.bool, False, "", "0"),
        (torch.bfloat16, 1.5, ".2f", "1.50"),
        (torch.float32, 8.0, "12", "           8"),
        (torch.float16, 0.1, "<9", "0.099976 "),
        (torch.float8_e5m2, 2.0**-14, "", "6.1e-05"),
        (torch.float8_e5m2, -1.5, ".2f", "-1.50"),
        (torch.float32, float("inf"), "6.1f", "   inf"),
        (torch.float64, 1e300, ".0f", f"{1e300:.0f}"),
    ],
)
def test_other_values(printed, dtype, value, specification, text):
    x = torch.tensor([value], dtype=dtype)
    lines = printed(show_formatted, (1,), x, FORMAT=specification)
    assert lines == [f"pid (0, 0, 0) idx () <{text}>"]


@tilewright.jit
def show_pointer(x):
    tl.device_print(f"at {x + tl.arange(0, 2)}!")


def test_pointers(printed):
    lines = printed(show_pointer, (1,), np.zeros(2, np.float32))
    found = [re.fullmatch(r".* idx \((\d)\) at 0x([0-9a-f]{16})!", line).groups() for line in lines]
    first, second = (int(address, 16) for _, address in sorted(found))
    assert second - first == 4


@tilewright.jit
def helper(text):
    tl.device_print(text)


@tilewright.jit
def passes_texts_on(n):
    at = n
    text = f"at {at}"
    for i in range(n):
        if i % 2 == 0:
            helper(text)
        at = i
        text = f"at {at}"
    helper(text)
    print(f"{n=}, {n!s:>4}")


@tilewright.jit
def changes_text(n):
    text = f"{n}"
    for i in range(n):
        text = f"at {i}"
    tl.device_print(text)


def test_the_error_of_a_changed_text_shows_both():
    message = "is f'{n}' before the loop .* and f'at {i}' at its end"
    with pytest.raises(LoopTypeError, match=message):
        changes_text[(1,)](3)


def test_texts_pass_through_loops_and_calls(printed):
    texts = ["at 3", "at 1", "at 2", "n=3,    3"]
    want = sorted(f"pid (0, 0, 0) idx () {text}" for text in texts)
    assert printed(passes_texts_on, (1,), 3) == want


@tilewright.jit
def show_constants(x, N: tl.constexpr):
    tl.device_print(f"{N:03d} {N / 2:.2f}", tl.load(x))
    tl.device_print(f"{N:x} only")


def test_texts_of_constants_are_prefixes(printed):
    assert printed(show_constants, (1,), np.array([4], np.int32), N=10) == [
        "pid (0, 0, 0) a only",
        "pid (0, 0, 0) idx () 010 5.00: 4",
    ]


@tilewright.jit(debug=True)
def checks(x, MASKED: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    if MASKED:
        tl.device_assert(value > 0, f"{value} at {i} is not {0}", mask=i != 1)
    else:
        assert tl.sum(value) > 0, f"the sum is {tl.sum(value)} at {i[0]}"


def test_a_condition_that_holds_prints_nothing(printed):
    assert printed(checks, (1,), np.array([3, -1, 2], np.int32), MASKED=True, N=3) == []


@pytest.mark.cpu_only("after a failed assertion the process can't use its GPU")
def test_a_failed_assertion_prints_its_elements(capfd):
    x = np.array([3, -1, -2, 5, -4], np.int32)
    with pytest.raises(AssertionError, match=re.escape("{value} at {i} is not 0")):
        checks[(1,)](x, MASKED=True, N=5)
    assert capfd.readouterr().out.splitlines() == [
        "pid (0, 0, 0) idx (2) -2 at 2 is not 0",
        "pid (0, 0, 0) idx (4) -4 at 4 is not 0",
    ]
    with pytest.raises(AssertionError, match=re.escape("the sum is {tl.sum(value)} at {i[0]}")):
        checks[(1,)](-x, MASKED=False, N=3)
    assert capfd.readouterr().out == "pid (0, 0, 0) idx () the sum is 0 at 0\n"


def compile_text(body):
    """Compiles a kernel with the given expression."""
    source = f"import tilewright.language as tl\ndef kernel(x, n, flag):\n    {body}\n"
    namespace = {}
    import linecache

    name = f"<{body}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), namespace)
    kernel = tilewright.jit(namespace["kernel"])
    kernel.warmup(fresh("fp32", (8,)), 7, True, grid=(1,))


@pytest.mark.parametrize(
    ("body", "error", "message"),
    [
        ("tl.device_print(f'{n:.3f}')", TypeMismatchError, "'.3f' does not apply to int32"),
        ("tl.device_print(f'{tl.load(x):d}')", TypeMismatchError, "'d' does not apply to fp32"),
        ("tl.device_print(f'{x:x}')", TypeMismatchError, "does not apply to"),
        ("tl.device_print(f'{flag:+}')", TypeMismatchError, "a sign only if it is signed"),
        ("tl.device_print(f'{n:^5}')", CompileError, "alignment by < or >"),
        ("tl.device_print(f'{n:,}')", CompileError, "no separators"),
        ("tl.device_print(f'{n:*>5}')", CompileError, "with spaces"),
        ("tl.device_print(f'{n:99}')", CompileError, "a width of at most 60"),
        ("tl.device_print(f'{n:b}')", TypeMismatchError, "d, x, X or o"),
        ("tl.device_print(f'{n:5!}')", CompileError, "invalid format specification '5!'"),
        ("tl.device_print(f'{tl.load(x):.3}')", CompileError, "e, f or g after"),
        ("tl.device_print(f'{n:{n}}')", ConstantError, "known at compile time"),
        ("tl.device_print(f'{(n, 1)}')", TypeMismatchError, "found \\(int32"),
        ("tl.device_print(f'{n}', n)", TypeMismatchError, "neither other values nor hex"),
        ("tl.device_print(f'{n}', hex=True)", TypeMismatchError, "neither other values nor hex"),
        (
            "tl.device_print(f'{tl.arange(0, 2)} {tl.arange(0, 4)}')",
            ShapeMismatchError,
            "broadcast|match",
        ),
        ("tl.device_print(f'" + "{n}" * 30 + "')", UnsupportedError, "at most 29 .* found 30"),
        ("tl.static_assert(n == n, f'{n}')", ConstantError, "known at compile time"),
        ("tl.static_assert(False, f'found {n}')", StaticAssertError, r"found tensor\(int32\)"),
        ("tl.zeros([4], f'{n}')", TypeMismatchError, "an f-string of run-time values"),
    ],
)
def test_errors_are_at_the_line(body, error, message):
    with pytest.raises(error, match=message) as raised:
        compile_text(body)
    assert raised.value.line == 3


def test_static_print_shows_types(capsys):
    compile_text("tl.static_print(f'n is {n}, and {3}')")
    # Each target for which the kernel is compiled prints a line.
    assert set(capsys.readouterr().out.splitlines()) == {"n is tensor(int32), and 3"}
