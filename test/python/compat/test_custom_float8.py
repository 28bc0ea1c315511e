"""triton.language.extra.cuda.convert_custom_float8_sm70 and _sm80."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.language.extra import cuda


@tilewright.jit
def convert(x, codes, back, N: tl.constexpr, OLD: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    if OLD:
        narrow = cuda.convert_custom_float8_sm70(value, tl.float8e4b15)
    else:
        narrow = cuda.convert_custom_float8_sm80(value, tl.float8e4b15, fp_downcast_rounding="rtz")
    tl.store(codes + i, narrow.to(tl.uint8, bitcast=True))
    tl.store(back + i, cuda.convert_custom_float8_sm80(narrow, tl.float32))


@pytest.mark.parametrize("target", ["cpu", "emulator:cuda:80"])
@pytest.mark.parametrize("old, last", [(True, 1.125), (False, 1.0)])
def test_both_directions(old, last, target):
    x = np.array([0, 1, -0.5, 3, -1.75, 1.5, 0.125, 1.1], np.float32)
    codes, back = np.zeros(8, np.uint8), np.zeros(8, np.float32)
    convert[(1,)](x, codes, back, N=8, OLD=old, target=target)
    assert back.tolist() == [0, 1, -0.5, 1.75, -1.75, 1.5, 0.125, last]
    assert codes.tolist()[:5] == [0, 0x78, 0xF0, 0x7E, 0xFE]
