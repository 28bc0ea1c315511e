"""The rows of the CPU benchmark: what is computed, by Tilewright and by PyTorch."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import cpu_kernels
import torch
import torch.nn.functional as F

import tilewright
import tilewright.language as tl
from tilewright import cdiv, next_power_of_2

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "programs"))

import attention
import cross_entropy
import embedding

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"

Call = Callable[[], torch.Tensor]


@dataclass(frozen=True)
class Case:
    """Two functions with equal results; one call moves or computes `work`, in `unit`.

    Attributes:
        eager: `theirs` without `out=`, for `torch.compile`; None if there is no such function.
        limit: The largest relative error of `ours`; None if the results are random.
    """

    name: str
    ours: Call
    theirs: Call
    work: float
    unit: str
    eager: Call | None = None
    limit: float | None = 1e-5
    goal: float = 1.0


def tutorial(name: str) -> ModuleType:
    """The tutorial as a module: the benchmark measures the kernels that the tutorials show."""
    spec = importlib.util.spec_from_file_location(name, TUTORIALS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def moved(name: str, ours: Call, theirs: Call, count: float, **options: Any) -> Case:
    """A case that reads and writes `count` bytes."""
    return Case(name, ours, theirs, count / 1e9, "GB/s", **options)


def elementwise_cases() -> Iterator[Case]:
    add, dropout = tutorial("01_vector_add"), tutorial("03_dropout")
    n, block = 1 << 24, 16384
    x, y, ours, theirs = torch.rand(n), torch.rand(n), torch.empty(n), torch.empty(n)

    def add_ours() -> torch.Tensor:
        add.add_kernel[(cdiv(n, block),)](x, y, ours, n, BLOCK=block)
        return ours

    yield moved(
        "add 2^24", add_ours, lambda: torch.add(x, y, out=theirs), 12 * n,
        eager=lambda: x + y, goal=0.95,
    )  # fmt: skip
    d = torch.randn(1 << 22)
    yield moved(
        "dropout 2^22", lambda: dropout.dropout(d, 0.5, 7), lambda: torch.dropout(d, 0.5, True),
        8 * 2**22, limit=None,
    )  # fmt: skip


def softmax_case(rows: int, n: int) -> Case:
    softmax = tutorial("02_fused_softmax").softmax_kernel
    x = torch.randn(rows, n)
    out, theirs = torch.empty_like(x), torch.empty_like(x)

    def ours() -> torch.Tensor:
        softmax[(rows,)](out, x, n, n, n, BLOCK=next_power_of_2(n))
        return out

    return moved(
        f"softmax {rows}x{n}", ours, lambda: torch.softmax(x, 1, out=theirs), 8 * x.numel(),
        eager=lambda: torch.softmax(x, 1),
    )  # fmt: skip


def layer_norm_case(rows: int, n: int) -> Case:
    norm = tutorial("04_layer_norm").forward_kernel
    x, weight, bias = torch.randn(rows, n), torch.rand(n), torch.rand(n)
    out, theirs = torch.empty_like(x), torch.empty_like(x)
    mean, rstd = torch.empty(rows), torch.empty(rows)
    places = {"out0": theirs, "out1": mean.view(rows, 1), "out2": rstd.view(rows, 1)}

    def ours() -> torch.Tensor:
        norm[(rows,)](x, weight, bias, out, mean, rstd, n, n, 1e-5, BLOCK=next_power_of_2(n))
        return out

    def norm_theirs() -> torch.Tensor:
        torch.ops.aten.native_layer_norm.out(x, [n], weight, bias, 1e-5, **places)
        return theirs

    return moved(
        f"layer norm {rows}x{n}", ours, norm_theirs, 8 * x.numel(),
        eager=lambda: F.layer_norm(x, [n], weight, bias),
    )  # fmt: skip


def row_cases() -> Iterator[Case]:
    for rows, n in ((512, 1024), (4096, 1024), (512, 781), (4096, 781), (64, 50257)):
        yield softmax_case(rows, n)
    for rows, n in ((512, 1024), (4096, 1024), (512, 781), (4096, 781), (64, 50257)):
        yield layer_norm_case(rows, n)


BLOCKS = [
    (8, 256, 128), (32, 64, 128), (64, 64, 64), (64, 128, 128), (128, 256, 64), (128, 256, 256),
    (256, 256, 128), (256, 512, 128),
]  # fmt: skip


def tuned(kernel: Any, key: list[str], **fixed: Any) -> Any:
    """The kernel, tuned over a few block sizes."""
    configs = [
        tilewright.Config({"BM": m, "BN": n, "BK": k, **fixed}, num_warps=1) for m, n, k in BLOCKS
    ]
    return tilewright.autotune(configs, key=key)(kernel)


# The errors that rounding the results allows.
LIMITS = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 1e-2}


def matmul_case(dtype: torch.dtype, m: int, n: int, k: int, layout: str = "nn") -> Case:
    """One product; a `t` in the layout stands for an operand that is stored transposed."""
    a = torch.randn(m, k) if layout[0] == "n" else torch.randn(k, m).T
    b = torch.randn(k, n) if layout[1] == "n" else torch.randn(n, k).T
    a, b = a.to(dtype), b.to(dtype)
    out, theirs = torch.empty(m, n, dtype=dtype), torch.empty(m, n, dtype=dtype)
    kernel = tuned(tutorial("05_matmul").matmul_kernel, ["M", "N", "K"], GROUP=8)

    def grid(meta: dict[str, int]) -> tuple[int]:
        return (cdiv(m, meta["BM"]) * cdiv(n, meta["BN"]),)

    def ours() -> torch.Tensor:
        kernel[grid](a, b, out, m, n, k, *a.stride(), *b.stride(), *out.stride())
        return out

    size = f"{m}^3" if m == n == k else f"{m}x{n}x{k}"
    transposed = "" if layout == "nn" else f" {layout}"
    return Case(
        f"{str(dtype)[6:]} matmul {size}{transposed}", ours, lambda: torch.mm(a, b, out=theirs),
        2 * m * n * k / 1e9, "GFLOP/s", limit=LIMITS[dtype], eager=lambda: torch.mm(a, b),
    )  # fmt: skip


def batched_case(name: str, a: Any, b: Any, out: Any, theirs: Call, eager: Call | None) -> Case:
    batch, m, k = a.shape
    n = b.shape[2]
    acc = tl.int32 if out.dtype == torch.int32 else tl.float32
    kernel = tuned(cpu_kernels.batched_matmul_kernel, ["M", "N", "K"], ACC=acc)

    def grid(meta: dict[str, int]) -> tuple[int, int, int]:
        return cdiv(m, meta["BM"]), cdiv(n, meta["BN"]), batch

    def ours() -> torch.Tensor:
        kernel[grid](a, b, out, m, n, k)
        return out

    work = 2 * batch * m * n * k / 1e9
    return Case(f"{name} matmul {batch} of {m}^3", ours, theirs, work, "GFLOP/s", eager=eager)


def batch_of_floats(batch: int, size: int) -> Case:
    a, b = torch.randn(batch, size, size), torch.randn(batch, size, size)
    out, theirs = torch.empty_like(a), torch.empty_like(a)
    multiply = lambda: torch.bmm(a, b, out=theirs)  # noqa: E731
    return batched_case("float32", a, b, out, multiply, lambda: torch.bmm(a, b))


def product_of_bytes(size: int) -> Case:
    a, b = (torch.randint(-128, 128, (1, size, size), dtype=torch.int8) for _ in range(2))
    out = torch.empty(1, size, size, dtype=torch.int32)
    return batched_case("int8", a, b, out, lambda: torch._int_mm(a[0], b[0])[None], None)


def matmul_cases() -> Iterator[Case]:
    for size in (128, 256, 512, 1000, 1024, 2048, 4096):
        yield matmul_case(torch.float32, size, size, size)
    yield matmul_case(torch.float32, 333, 777, 555)
    yield matmul_case(torch.float32, 1024, 1024, 1024, "tn")
    yield matmul_case(torch.float32, 1024, 1024, 1024, "nt")
    yield matmul_case(torch.float32, 8, 4096, 1024)
    yield batch_of_floats(64, 64)
    yield batch_of_floats(16, 256)
    for size in (256, 512, 1024):
        yield matmul_case(torch.bfloat16, size, size, size)
    yield matmul_case(torch.float16, 256, 256, 256)  # PyTorch takes seconds for 1024^3
    for size in (256, 512, 1024):
        yield product_of_bytes(size)


def attention_case(depth: int, causal: bool, length: int = 1024, heads: int = 8) -> Case:
    q, k, v = (torch.randn(1, heads, length, depth) for _ in range(3))
    out, lse = torch.empty_like(q), torch.empty(heads, length)
    strides = [s for x in (q, k, v, out) for s in x.stride()]
    blocks = {"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_D": depth}
    grid = (cdiv(length, blocks["BLOCK_M"]), heads)

    def ours() -> torch.Tensor:
        attention.attention_forward_kernel[grid](
            q, k, v, out, lse, *strides, heads, length, length, depth**-0.5,
            GROUP=1, HEAD_DIM=depth, CAUSAL=causal, PRECISION="ieee", **blocks,
        )  # fmt: skip
        return out

    def theirs() -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    flops = 4 * heads * length**2 * depth / (2 if causal else 1)
    name = f"attention {heads}x{length}x{depth}{' causal' if causal else ''}"
    return Case(name, ours, theirs, flops / 1e9, "GFLOP/s", eager=theirs)


def attention_cases() -> Iterator[Case]:
    for depth in (64, 128):
        for causal in (False, True):
            yield attention_case(depth, causal)


def column_cases() -> Iterator[Case]:
    for rows, n in ((4096, 1024), (50257, 64)):
        x = torch.randn(rows, n)
        out, theirs = torch.empty(n), torch.empty(n)
        bn = 64 if n == 64 else 128

        def ours(x: Any = x, out: Any = out, rows: int = rows, n: int = n, bn: int = bn) -> Any:
            cpu_kernels.column_sums_kernel[(cdiv(n, bn),)](x, out, rows, n, BM=32, BN=bn)
            return out

        yield moved(
            f"sum of columns {rows}x{n}", ours,
            lambda x=x, theirs=theirs: torch.sum(x, 0, out=theirs), 4 * x.numel(),
            eager=lambda x=x: x.sum(0), limit=1e-4,
        )  # fmt: skip
    for rows, n in ((1024, 4096), (2000, 3000)):
        x = torch.randn(rows, n)
        out, theirs = torch.empty(n, rows), torch.empty(n, rows)
        grid = (cdiv(rows, 32), cdiv(n, 64))

        def turn(x: Any = x, out: Any = out, grid: Any = grid) -> torch.Tensor:
            cpu_kernels.transpose_kernel[grid](x, out, *x.shape, BM=32, BN=64)
            return out

        yield moved(
            f"transpose {rows}x{n}", turn, lambda x=x, theirs=theirs: theirs.copy_(x.T),
            8 * x.numel(), eager=lambda x=x: x.T.contiguous(),
        )  # fmt: skip


def long_row_cases() -> Iterator[Case]:
    rows, n = 64, 50257
    x = torch.randn(rows, n)
    block = next_power_of_2(n)
    where, where_theirs = (torch.empty(rows, dtype=torch.int64) for _ in range(2))
    sums, sums_theirs = torch.empty_like(x), torch.empty_like(x)

    def argmax() -> torch.Tensor:
        cpu_kernels.argmax_kernel[(rows,)](x, where, n, BLOCK=block)
        return where

    def cumsum() -> torch.Tensor:
        cpu_kernels.cumsum_kernel[(rows,)](x, sums, n, BLOCK=block)
        return sums

    yield moved(
        f"argmax {rows}x{n}", argmax, lambda: torch.argmax(x, 1, out=where_theirs), 4 * x.numel(),
        eager=lambda: torch.argmax(x, 1),
    )  # fmt: skip
    yield moved(
        f"cumsum {rows}x{n}", cumsum, lambda: torch.cumsum(x, 1, out=sums_theirs), 8 * x.numel(),
        eager=lambda: torch.cumsum(x, 1), limit=1e-3,
    )  # fmt: skip


def cross_entropy_case() -> Case:
    rows, n = 64, 50257
    logits, labels = torch.randn(rows, n), torch.randint(0, n, (rows,))

    def run(function: Any) -> torch.Tensor:
        leaf = logits.detach().requires_grad_()
        function(leaf, labels).backward()
        assert leaf.grad is not None
        return leaf.grad

    return moved(
        f"cross entropy with gradient {rows}x{n}", lambda: run(cross_entropy.cross_entropy),
        lambda: run(F.cross_entropy), 16 * logits.numel(),
    )  # fmt: skip


def embedding_cases() -> Iterator[Case]:
    table, tokens = torch.randn(50257, 768), torch.randint(0, 50257, (4096,))
    out, theirs = torch.empty(4096, 768), torch.empty(4096, 768)
    sums, sums_theirs = torch.zeros(1024, 768), torch.zeros(1024, 768)
    near = tokens % 1024
    blocks = {"BLOCK_M": 4, "BLOCK_N": 1024}
    grid = (4096 // blocks["BLOCK_M"], 1)

    def lookup() -> torch.Tensor:
        embedding.lookup_kernel[grid](table, tokens, out, 768, 768, 4096, 768, **blocks)
        return out

    def accumulate() -> torch.Tensor:
        sums.zero_()
        embedding.accumulate_kernel[grid](out, near, sums, 768, 768, 4096, 768, -1, **blocks)
        return sums

    yield moved(
        "embedding 4096x768", lookup, lambda: torch.index_select(table, 0, tokens, out=theirs),
        8 * out.numel(), eager=lambda: table[tokens],
    )  # fmt: skip
    yield moved(
        "embedding gradient 4096x768", accumulate,
        lambda: sums_theirs.zero_().index_add_(0, near, out), 12 * out.numel(),
    )  # fmt: skip


def cases() -> Iterator[Case]:
    yield from elementwise_cases()
    yield from row_cases()
    yield from matmul_cases()
    yield from attention_cases()
    yield from column_cases()
    yield from long_row_cases()
    yield cross_entropy_case()
    yield from embedding_cases()
