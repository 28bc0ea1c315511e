"""The output that kernels print to the standard output of the process."""

import re
import subprocess
import sys

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl


@pytest.fixture
def printed(capfd):
    """The lines that a launch printed; all of them are written when it returns."""

    def run(kernel, grid, *args, **kwargs):
        capfd.readouterr()
        kernel[grid](*args, **kwargs)
        return capfd.readouterr().out.splitlines()

    return run


@pytest.fixture
def agree(launch_target):
    """Checks the output for a tile; a GPU prints in any order."""

    def check(lines, expected):
        in_order = launch_target == "cpu"
        assert lines == expected if in_order else sorted(lines) == sorted(expected)

    return check


@tilewright.jit
def show(x, BLOCK: tl.constexpr, PREFIX: tl.constexpr):
    tl.device_print(PREFIX, tl.load(x + tl.arange(0, BLOCK)))


@pytest.mark.parametrize(
    ("dtype", "values", "texts"),
    [
        (torch.int8, [-128, 127], ["-128", "127"]),
        (torch.int16, [-3, 300], ["-3", "300"]),
        (torch.int32, [-(2**31), 7], ["-2147483648", "7"]),
        (torch.int64, [-(2**63), 2**63 - 1], ["-9223372036854775808", "9223372036854775807"]),
        (torch.uint8, [0, 255], ["0", "255"]),
        (torch.uint32, [0, 2**32 - 1], ["0", "4294967295"]),
        (torch.uint64, [1, 2**64 - 1], ["1", "18446744073709551615"]),
        (torch.bool, [True, False], ["1", "0"]),
        (torch.float16, [0.5, -65504.0], ["0.5", "-65504"]),
        (torch.bfloat16, [1.0, 2.0**-100], ["1", "7.889e-31"]),
        (torch.float32, [0.1, float("nan")], ["0.100000001", "nan"]),
        (torch.float32, [-float("inf"), -0.0], ["-inf", "-0"]),
        (torch.float64, [0.1, 1e300], ["0.10000000000000001", "1.0000000000000001e+300"]),
    ],
)
def test_elements(printed, agree, dtype, values, texts):
    x = torch.tensor(values, dtype=dtype)
    lines = printed(show, (1,), x, BLOCK=2, PREFIX="x")
    expected = [f"pid (0, 0, 0) idx ({i}) x: {text}" for i, text in enumerate(texts)]
    agree(lines, expected)


@pytest.mark.parametrize("prefix", ["x", "x:", " x: "])
def test_the_prefix_ends_in_a_colon(printed, prefix):
    x = np.array([5], np.int32)
    assert printed(show, (1,), x, BLOCK=1, PREFIX=prefix) == ["pid (0, 0, 0) idx (0) x: 5"]


def test_no_prefix(printed):
    x = np.array([5], np.int32)
    assert printed(show, (1,), x, BLOCK=1, PREFIX="") == ["pid (0, 0, 0) idx (0) 5"]


@tilewright.jit
def show_hexadecimal(x, n, flag):
    tl.device_print("x", x + tl.arange(0, 2))
    tl.device_print("n", n, (n > 0), n.to(tl.int8), 1.5, hex=True)


def test_pointers_and_hexadecimal(printed, launch_target):
    x = np.zeros(2, np.float32)
    lines = printed(show_hexadecimal, (1,), x, -2, True)
    # A thread of a GPU may print all of its lines before another one starts.
    addresses = [line for line in lines if " x: " in line]
    pointers = [re.fullmatch(r"(.*) (0x[0-9a-f]{16})", line).groups() for line in addresses]
    assert sorted(head for head, _ in pointers) == [f"pid (0, 0, 0) idx ({i}) x:" for i in (0, 1)]
    first, second = sorted(int(address, 16) for _, address in pointers)
    assert second - first == 4
    assert first == x.ctypes.data or launch_target == "cuda"
    assert [line for line in lines if line not in addresses] == [
        "pid (0, 0, 0) idx () n: (operand 0) 0xfffffffe",
        "pid (0, 0, 0) idx () n: (operand 1) 0x00",
        "pid (0, 0, 0) idx () n: (operand 2) 0xfe",
        "pid (0, 0, 0) idx () n: (operand 3) 1.5",
    ]


@tilewright.jit
def show_with_print(n, NAME: tl.constexpr):
    print("begin")
    for i in range(n):
        if i % 2 == 1:
            print(f"{NAME} of the loop", i)
    print(n)


def test_print_in_loops_and_branches(printed):
    assert printed(show_with_print, (1,), 4, NAME="index") == [
        "pid (0, 0, 0) begin",
        "pid (0, 0, 0) idx () index of the loop: 1",
        "pid (0, 0, 0) idx () index of the loop: 3",
        "pid (0, 0, 0) idx () 4",
    ]


@tilewright.jit
def show_computed(BLOCK: tl.constexpr):
    i, j = tl.arange(0, 2)[:, None], tl.arange(0, BLOCK)[None, :]
    product = (i * 100 + j).to(tl.float32) / 2
    tl.device_print("tile", product)
    tl.device_print("sum", tl.sum(product, axis=1))


def test_a_computed_tile_in_row_major_order(printed, agree):
    lines = printed(show_computed, (1,), BLOCK=128)
    tile = (np.arange(2)[:, None] * 100 + np.arange(128)) / 2
    expected = [f"idx ({i}, {j}) tile: {tile[i, j]:.9g}" for i in range(2) for j in range(128)]
    expected += [f"idx ({i}) sum: {tile[i].sum():.9g}" for i in range(2)]
    agree(lines, [f"pid (0, 0, 0) {text}" for text in expected])


@tilewright.jit
def show_program(BLOCK: tl.constexpr):
    tl.device_print("z", tl.program_id(2) * 1000 + tl.arange(0, BLOCK))


def test_lines_of_concurrent_programs_stay_whole(printed):
    lines = printed(show_program, (3, 5, 20), BLOCK=64)
    pattern = re.compile(r"pid \((\d+), (\d+), (\d+)\) idx \((\d+)\) z: (\d+)")
    found = [tuple(map(int, pattern.fullmatch(line).groups())) for line in lines]
    assert len(set(found)) == len(found) == 3 * 5 * 20 * 64
    assert all(value == z * 1000 + i for _, _, z, i, value in found)


@tilewright.jit(debug=True)
def show_and_fail(n):
    tl.device_print("n", n)
    assert n > 0


@pytest.mark.cpu_only("after a failed assertion the process can't use its GPU")
def test_what_was_printed_before_a_failure_is_there(capfd):
    with pytest.raises(AssertionError):
        show_and_fail[(1,)](-5)
    assert capfd.readouterr().out == "pid (0, 0, 0) idx () n: -5\n"


def test_into_a_pipe(tmp_path):
    script = tmp_path / "show.py"
    script.write_text(
        "import tilewright, tilewright.language as tl\n"
        "@tilewright.jit\n"
        "def show(n):\n"
        "    tl.device_print('n', n)\n"
        "show[(2,)](6)\n"
        "import os; os._exit(0)\n"
    )
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert sorted(run.stdout.splitlines()) == [f"pid ({i}, 0, 0) idx () n: 6" for i in range(2)]
