"""Launches a kernel whose assertion fails on a GPU, in a function that it calls."""

import time

import torch

import tilewright
import tilewright.language as tl
from tilewright.errors import DeviceAssertError


@tilewright.jit
def checked_sqrt(value):
    tl.device_assert(value >= 0, "root of a negative number")
    return tl.sqrt(value)


@tilewright.jit(debug=True)
def roots(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, checked_sqrt(tl.load(x + i)))


if __name__ == "__main__":
    x = torch.arange(128.0, device="cuda")
    out = torch.zeros_like(x)
    roots[(1,)](x, out, BLOCK=128)
    torch.testing.assert_close(out, x.sqrt())
    x[70] = -1
    roots[(1,)](x, out, BLOCK=128)
    try:
        # The failure is reported once the device has executed the assertion.
        for _ in range(1000):
            time.sleep(0.01)
            roots[(1,)](x, out, BLOCK=128)
    except DeviceAssertError as error:
        print(error)
