"""Autotuned kernels whose configurations set the block_shape of tensor descriptors."""

import numpy as np
import torch

import tilewright
import tilewright.language as tl
from tilewright.tools.tensor_descriptor import TensorDescriptor
from tilewright.tuning import placement


def set_block_shapes(arguments):
    m, n, k = (arguments[name] for name in ("BM", "BN", "BK"))
    arguments["a"].block_shape = [m, k]
    arguments["b"].block_shape = [k, n]
    arguments["c"].block_shape = [m, n]


CONFIGS = [
    tilewright.Config({"BM": m, "BN": n, "BK": 16}, pre_hook=set_block_shapes)
    for m, n in ((16, 16), (32, 16), (16, 32))
]


@tilewright.autotune(configs=CONFIGS, key=["M", "N"], cache_results=False)
@tilewright.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m, k]), b.load([k, n]), acc)
    c.store([m, n], acc.to(c.dtype))


def grid(arguments):
    sizes = ((arguments["M"], arguments["BM"]), (arguments["N"], arguments["BN"]))
    return tuple(tilewright.cdiv(size, block) for size, block in sizes)


def test_a_pre_hook_sets_block_shapes_that_do_not_compile_before():
    rng = np.random.default_rng(3)
    x, y = (torch.from_numpy(rng.integers(-4, 5, s)).float() for s in ((40, 64), (64, 36)))
    out = torch.zeros(40, 36)
    a, b, c = (TensorDescriptor.from_tensor(t, [1, 1]) for t in (x, y, out))
    for _ in range(2):
        out.zero_()
        matmul[grid](a, b, c, 40, 36, 64)
        assert torch.equal(out, x @ y)
    assert a.block_shape == [matmul.best_config.kwargs["BM"], 16]
    timings = matmul.configs_timings
    assert len(timings) == 3 and all(np.isfinite(t).all() for t in timings.values())


def test_the_device_of_a_descriptor_is_that_of_its_array():
    class Base:
        device, dtype = "cuda:1", torch.float32

        def data_ptr(self):
            return 0

    assert placement.device_of([1, TensorDescriptor(Base(), [4], [1], [4])]) == "cuda:1"
