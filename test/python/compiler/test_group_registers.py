"""Products on Hopper whose accumulators need more registers than a thread has.

The assembler can't spill accumulators of wgmma: such kernels use mma.sync.
"""

import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler import Options, resolve_target
from tilewright.compiler.request import Request
from tilewright.compiler.schedule import explain
from tilewright.errors import CompileWarning


@tilewright.jit
def two_sums(a, b, out, steps, tiles):
    """The sums are in flight at the same time: 512 registers of each of 128 threads."""
    row, column, k = tl.arange(0, 128)[:, None], tl.arange(0, 256)[None, :], tl.arange(0, 16)
    total, other = tl.zeros((128, 256), tl.float32), tl.zeros((128, 256), tl.float32)
    pa, pb = a + row * 64 + k[None, :], b + k[:, None] * 256 + column
    for _ in range(1, steps):
        total = tl.dot(tl.load(pa), tl.load(pb), total)
        total = tl.minimum(tl.maximum(total, -8.0), 8.0)
        pa += 1
        pb += 256
    for tile in tl.range(0, tiles, num_stages=3):
        total = tl.zeros((128, 256), tl.float32)
        for step in range(steps * 2):
            at = step * 16 + tile * 16
            x = tl.load(a + row * 64 + k[None, :] + at)
            y = tl.load(b + k[:, None] * 256 + column + at * 256)
            total = tl.dot(x, y, total)
            other += tl.dot(x, y)
        tl.store(out + tile * 32768 + row * 256 + column, total)
    tl.store(out + 524288 + row * 256 + column, total)
    tl.store(out + 557056 + row * 256 + column, other)


def test_falls_back() -> None:
    torch = pytest.importorskip("torch")
    a, b = torch.zeros(1, dtype=torch.float8_e4m3fn), torch.zeros(1, dtype=torch.float8_e5m2)
    with pytest.warns(CompileWarning, match="uses mma.sync"):
        made = two_sums.warmup(
            a, b, torch.zeros(1), 0, 4, num_warps=4, num_stages=2, target="cuda:90a"
        )
    assert "mma.sync" in made.assembly() and "wgmma" not in made.assembly()


def test_explains_the_fallback() -> None:
    signature = ("*fp8e4nv:D", "*fp8e5:D", "*fp32:D", "i32", "i32")
    options = Options.make({"num_warps": 4, "num_stages": 2})
    request = Request(two_sums, signature, resolve_target("cuda:90a"), options, noalias=False)
    report, failure = explain(request)
    assert failure is None
    if not report["registers"]:
        pytest.skip("no assembler")
    operations = [op for loop in report["loops"] for op in loop["operations"]]
    reasons = {found["reason"] for loop in report["loops"] for found in loop["rejected"]}
    assert {op["dot"]["unit"] for op in operations if "dot" in op} == {"mma.sync"}
    assert "the accumulators of the kernel's dots would not fit the registers" in reasons
