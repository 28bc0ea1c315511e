"""Every combination of hints of a load and a store assembles: PTX does not have all of them."""

import itertools

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler.assembler import find_assemblers

pytestmark = pytest.mark.skipif(not any(find_assemblers()), reason="there is no assembler")


@tilewright.jit
def copy_all(
    x,
    out,
    n,
    LOADS: tl.constexpr,
    STORES: tl.constexpr,
    BLOCK: tl.constexpr,
):
    i = tl.arange(0, BLOCK)
    for volatile in tl.static_range(2):
        for cache, eviction in LOADS:
            values = tl.load(
                x + i,
                i < n,
                0,
                cache_modifier=cache,
                eviction_policy=eviction,
                volatile=volatile == 1,
            )
            tl.store(out + i, values)
    for cache, eviction in STORES:
        tl.store(out + i, i, i < n, cache_modifier=cache, eviction_policy=eviction)


EVICTIONS = ("", "evict_first", "evict_last")
LOADS = tuple(itertools.product(("", ".ca", ".cg", ".cv"), EVICTIONS))
STORES = tuple(itertools.product(("", ".wb", ".cg", ".cs", ".wt"), EVICTIONS))


@pytest.mark.parametrize("target", ["cuda:80", "cuda:90a", "cuda:120a"])
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_hints_assemble(target, dtype) -> None:
    kernel = copy_all.warmup(dtype, dtype, 100, LOADS, STORES, 128, target=target)
    ptx = kernel.asm["ptx"]
    assert ".cg" in ptx and "L1::evict_first" in ptx and "ld.volatile" in ptx
    assert kernel.n_regs > 0
