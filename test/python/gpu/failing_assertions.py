"""Launches a kernel with several assertions, one of which fails in one program of a GPU's grid."""

import sys
import time

import torch

import tilewright
import tilewright.language as tl
from tilewright.errors import CheckError, DeviceAssertError


@tilewright.jit(noinline=True)
def successor(value, limit):
    tl.device_assert(value < limit, "the function")  # function
    return value + 1


@tilewright.jit(debug=True)
def several(x, out, in_tile, in_scalar, in_function, in_loop, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    number = tl.program_id(0) + 5 * tl.program_id(1) + 20 * tl.program_id(2)
    value = tl.load(x + i) + number
    tl.device_assert(value < in_tile, "the tile", mask=i < BLOCK - 1)  # tile
    if number > 3:
        tl.device_assert(number < in_scalar, "the scalar")  # scalar
    for step in range(number):
        tl.device_assert(step < in_loop, "the loop")  # loop
        value += tl.load(x + i)
    tl.store(out + successor(number, in_function) * BLOCK + i, value)  # bounds, the bounds


NEVER, BLOCK, GRID = 1000, 256, (5, 4, 2)
CASES = {
    "tile": {"in_tile": 39},
    "scalar": {"in_scalar": 39},
    "function": {"in_function": 39},
    "loop": {"in_loop": 38},
    "bounds": {"checks": "bounds"},
    "none": {},
}


def launch(case: str) -> None:
    limits = dict.fromkeys(("in_tile", "in_scalar", "in_function", "in_loop"), NEVER)
    x = torch.zeros(BLOCK, dtype=torch.int32, device="cuda")
    out = torch.zeros(41 - (case == "bounds"), BLOCK, dtype=torch.int32, device="cuda")
    several[GRID](x, out, BLOCK=BLOCK, **{**limits, **CASES[case]})
    # The failure is reported once the device has executed the assertion.
    for _ in range(200 if case != "none" else 3):
        time.sleep(0.01)
        several[GRID](x, out, BLOCK=BLOCK, **limits)
    torch.cuda.synchronize()
    assert out[1:].tolist() == [[n] * BLOCK for n in range(len(out) - 1)]
    print("no failure")


if __name__ == "__main__":
    try:
        launch(sys.argv[1])
    except DeviceAssertError as error:
        print(error.program, error, sep="\n")
    except CheckError as error:
        print(error.findings[0].program, error, "the bounds", sep="\n")
