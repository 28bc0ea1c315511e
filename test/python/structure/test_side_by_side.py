"""Tilewright, PyTorch and Triton, each with its own LLVM, compile in one process."""

import shutil
import subprocess
import sys

import pytest

OURS = """
import tilewright, tilewright.language as tl

@tilewright.jit
def double(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)

def ours():
    x = torch.rand(100)
    out = torch.empty_like(x)
    double[(1,)](x, out, 100, BLOCK=128)
    assert torch.equal(out, 2 * x)
"""

TORCH = """
import torch

def torchs():
    x = torch.rand(100)
    compiled = torch.compile(lambda x: torch.sin(x) * 2)
    torch.testing.assert_close(compiled(x), torch.sin(x) * 2)
"""

TRITON = """
import torch
import triton, triton.language as ttl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def triple(x, BLOCK: ttl.constexpr):
    i = ttl.arange(0, BLOCK)
    ttl.store(x + i, 3 * ttl.load(x + i))

def tritons():
    source = ASTSource(triple, {"x": "*fp32"}, {(1,): 128})
    assert "ptx" in triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm
"""


def run(tmp_path, *parts: str) -> None:
    # The source of a kernel is read from its file, so it must be written to one.
    script = tmp_path / "side_by_side.py"
    script.write_text("\n".join(parts))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("order", ["ours(); torchs(); ours()", "torchs(); ours(); torchs()"])
def test_beside_pytorch(tmp_path, order: str) -> None:
    pytest.importorskip("torch")
    if shutil.which("g++") is None:
        pytest.skip("torch.compile needs g++")
    run(tmp_path, TORCH, OURS, order)


@pytest.mark.parametrize("order", ["ours(); tritons(); ours()", "tritons(); ours(); tritons()"])
def test_beside_triton(tmp_path, order: str) -> None:
    pytest.importorskip("triton")
    run(tmp_path, TRITON, OURS, order)
