"""triton.language.target_info: constants in kernels, values of the active target in Python."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.compat import target_info
from tilewright.errors import ConstantError
from tilewright.language.extra import cuda


@tilewright.jit
def describe(out):
    if target_info.is_cuda():
        tl.store(out, 1)
    else:
        tl.store(out, 2)
    if target_info.cuda_capability_geq(9):
        tl.store(out + 1, 1)
    elif target_info.cuda_capability_geq(8, minor=6):
        tl.store(out + 1, 2)
    else:
        tl.store(out + 1, 3)
    tl.store(out + 2, target_info.current_target().warp_size)
    is_amd: tl.constexpr = target_info.is_hip() or target_info.is_hip_cdna3()
    tl.static_assert(not target_info.is_hip_gfx1250())
    tl.store(out + 3, is_amd or target_info.is_hip_cdna4())
    tl.store(out + 4, cuda.num_warps() * 1000 + cuda.num_threads())


def launch(**options):
    out = np.zeros(5, np.int32)
    describe[(1,)](out, **options)
    return out.tolist()


def test_on_the_cpu() -> None:
    assert launch(num_warps=8)[:4] == [2, 3, 1, 0]


@pytest.mark.parametrize(("target", "expected"), [("80", 3), ("86", 2), ("90a", 1), ("100a", 1)])
def test_on_emulated_gpus(target, expected) -> None:
    """The same kernel, compiled for each."""
    with tilewright.emulate(f"cuda:{target}"):
        assert launch(num_warps=2) == [1, expected, 32, 0, 2064]
        assert launch(num_warps=4)[4] == 4128


def test_in_python_code() -> None:
    assert target_info.is_cuda() is False and target_info.cuda_capability_geq(1) is False
    with tilewright.emulate("cuda:90a"):
        assert target_info.is_cuda() is True
        assert target_info.cuda_capability_geq(9, 0) is True
        assert target_info.cuda_capability_geq(10) is False
        assert target_info.current_target().arch == 90


def test_a_capability_that_is_not_constant_is_an_error() -> None:
    @tilewright.jit
    def kernel(x):
        if target_info.cuda_capability_geq(tl.load(x)):
            tl.store(x, 1)

    with pytest.raises(ConstantError, match="major must be an integer known at compile time"):
        kernel[(1,)](np.zeros(1, np.int32))
