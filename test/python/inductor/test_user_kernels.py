"""Kernels of the program inside of compiled functions."""

import pytest
from compiled_programs import succeeds

pytest.importorskip("torch")

KERNEL = """
import triton
import triton.language as tl

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)

x, y = torch.randn(1000), torch.randn(1000)
"""


def check(program: str, folder) -> None:
    done = succeeds(KERNEL + program, folder)
    assert "identify_accessed_tensors" not in done.stderr


def test_a_kernel_that_the_function_launches(tmp_path) -> None:
    program = """
def f(x, y):
    out = torch.empty_like(x)
    add[(triton.cdiv(x.numel(), 128),)](x, y, out, x.numel(), BLOCK=128)
    return out.relu() + 1

torch.testing.assert_close(torch.compile(f, fullgraph=True)(x, y), f(x, y))
"""
    check(program, tmp_path)


def test_an_operator_of_a_kernel(tmp_path) -> None:
    program = """
@torch.library.triton_op("tilewright_test::add", mutates_args={})
def op(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    launched = torch.library.wrap_triton(add)
    launched[(triton.cdiv(x.numel(), 128),)](x, y, out, x.numel(), BLOCK=128)
    return out

f = lambda x, y: op(x.sin(), y) * 2
torch.testing.assert_close(torch.compile(f, fullgraph=True)(x, y), f(x, y))
"""
    check(program, tmp_path)


def test_an_autotuned_kernel(tmp_path) -> None:
    program = """
tuned = triton.autotune([triton.Config({"BLOCK": n}) for n in (64, 256)], key=["n"])(add)

def f(x, y):
    out = torch.empty_like(x)
    tuned[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel())
    return out.relu() + 1

torch.testing.assert_close(torch.compile(f, fullgraph=True)(x, y), x.add(y).relu() + 1)
"""
    check(program, tmp_path)


def test_only_stored_arrays_count_as_written(tmp_path) -> None:
    program = """
from torch._higher_order_ops.triton_kernel_wrap import identify_accessed_tensors

arguments = {"x": x, "y": y, "out": x, "n": 1000, "BLOCK": 128}
found = identify_accessed_tensors(add, arguments, {}).read_writes
assert [access.name for access in found.writes] == ["out"]
assert [access.name for access in found.reads] == ["x", "y", "out"]
"""
    check(program, tmp_path)
