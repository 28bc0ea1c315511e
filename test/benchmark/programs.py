"""The errors and times of the programs in test/python/programs, beside PyTorch's.

    python test/benchmark/programs.py                     on the CPU, or a GPU if there is one
    python test/benchmark/programs.py attention moe       programs whose names contain a word
    python test/benchmark/programs.py --target emulator:cuda:90a --no-times
    python test/benchmark/programs.py --markdown          a table for docs/programs.md

The relative error of a result is that of test/python/programs/program_errors.py against PyTorch in
float64. PyTorch's own error is that of the same computation in the dtype of the row; where it does
not compute in this dtype, it computes in float32.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

import tilewright
from tilewright.testing import compare

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "programs"))

import attention
import attention_backward
import block_scaled_matmul
import conv2d
import cross_entropy
import embedding
import grouped_gemm
import linear_attention
import moe
import paged_attention
import persistent_gemm
import quantized_matmul
import rms_norm
import rope
import selective_scan
from program_errors import doubles, relative_error

Call = Callable[[], Any]
FLOATS = (torch.float32, torch.float16, torch.bfloat16)
SHORT = {torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16"}


@dataclass
class Row:
    """A program with its inputs.

    Attributes:
        name: The program and its sizes.
        dtype: That of the inputs.
        ours: Launches the program; returns a tensor or a list of them.
        theirs: The same in PyTorch.
        exact: The same in PyTorch, in float64.
    """

    name: str
    dtype: str
    ours: Call
    theirs: Call
    exact: Call


def random(*shape: int, dtype: torch.dtype = torch.float32, scale: float = 1.0) -> torch.Tensor:
    return (scale * torch.randn(shape)).to(dtype)


def row(
    name: str, dtype: torch.dtype, ours: Any, reference: Any, *given: Any, **options: Any
) -> Row:
    """A row for functions with the same arguments, of which the tensors are in `given`."""
    exact = doubles(*(x for x in given if isinstance(x, torch.Tensor)))
    wide = iter(exact)
    widened = [next(wide) if isinstance(x, torch.Tensor) else x for x in given]
    return Row(
        name,
        SHORT[dtype],
        lambda: first(ours(*given, **options)),
        lambda: first(reference(*given, **options)),
        lambda: first(reference(*widened, **options)),
    )


def first(result: Any) -> Any:
    return result[0] if isinstance(result, tuple) else result


def gradients(name: str, dtype: torch.dtype, ours: Any, reference: Any, *given: Any) -> Row:
    """A row for the gradients of all inputs that are floats."""

    dout = torch.randn(())  # of the shape of the result, from the first call on

    def run(function: Any, inputs: list[Any]) -> list[torch.Tensor]:
        nonlocal dout
        leaves = [
            x.detach().clone().requires_grad_()
            if isinstance(x, torch.Tensor) and x.is_floating_point()
            else x
            for x in inputs
        ]
        out = first(function(*leaves))
        dout = dout if dout.shape == out.shape else random(*out.shape)
        out.backward(dout.to(out) if out.ndim else None)
        return [x.grad for x in leaves if isinstance(x, torch.Tensor) and x.requires_grad]

    wide = [doubles(x)[0] if isinstance(x, torch.Tensor) else x for x in given]
    return Row(
        name,
        SHORT[dtype],
        lambda: run(ours, list(given)),
        lambda: run(reference, list(given)),
        lambda: run(reference, wide),
    )


def attention_rows(dtype: torch.dtype, device: str) -> Iterator[Row]:
    for depth, causal in ((64, True), (128, False)):
        q, k, v = (random(1, h, 256, depth, dtype=dtype).to(device) for h in (8, 2, 2))
        name = f"attention {'causal ' if causal else ''}8x256x{depth}, 2 heads of K"
        given = (q, k, v, causal, depth**-0.5)
        yield row(name, dtype, attention.attention_forward, attention.reference, *given)
        ours = attention_backward.attention
        yield gradients(f"{name}, with gradient", dtype, ours, attention.reference, *given)


def matmul_rows(dtype: torch.dtype, device: str) -> Iterator[Row]:
    a, b = (random(n, 256, dtype=dtype).to(device) for n in (384, 320))
    name = "persistent GEMM 384x320x256"
    yield row(name, dtype, persistent_gemm.matmul, persistent_gemm.reference, a, b)
    sizes = ((200, 100, 64), (33, 300, 128), (128, 128, 128))
    lefts = [random(m, k, dtype=dtype).to(device) for m, _, k in sizes]
    rights = [random(k, n, dtype=dtype).to(device) for _, n, k in sizes]
    yield Row(
        "grouped GEMM, 3 sizes",
        SHORT[dtype],
        lambda: grouped_gemm.grouped_gemm(lefts, rights),
        lambda: grouped_gemm.reference(lefts, rights),
        lambda: grouped_gemm.reference(doubles(*lefts), doubles(*rights)),
    )
    yield from quantized_rows(dtype, device)


def quantized_rows(dtype: torch.dtype, device: str) -> Iterator[Row]:
    x = random(16, 512, dtype=dtype).to(device)
    q = torch.randint(0, 16, (512, 256)).to(device)
    scales, zeros = (random(4, 256, dtype=dtype).to(device) for _ in range(2))
    packed = quantized_matmul.pack_int4(q)
    args = (scales, zeros, 128)
    wide = doubles(x, scales, zeros)
    yield Row(
        "int4 matmul 16x256x512",
        SHORT[dtype],
        lambda: quantized_matmul.int4_matmul(x, packed, *args),
        lambda: quantized_matmul.int4_reference(x, q, *args),
        lambda: quantized_matmul.int4_reference(wide[0], q, wide[1], wide[2], 128),
    )
    a, b = (random(n, 256).to(torch.float8_e4m3fn).to(device) for n in (64, 256))
    scales_a, scales_b = random(64, 2).abs().to(device), random(2, 2).abs().to(device)
    operands = (a, b, scales_a, scales_b)
    yield Row(
        "float8 matmul 64x256x256",
        SHORT[dtype],
        lambda: quantized_matmul.float8_matmul(*operands, dtype),
        lambda: quantized_matmul.float8_reference(*operands, dtype),
        lambda: quantized_matmul.float8_reference(*operands, torch.float64),
    )


def scaled_rows(dtype: torch.dtype, device: str) -> Iterator[Row]:
    for left, right in (("e4m3", "e4m3"), ("e4m3", "e2m1"), ("bf16", "e2m1")):
        a, b = (block_scaled_matmul.random_matrix(n, 256, f) for n, f in ((64, left), (128, right)))
        a, b = (
            x._replace(
                values=x.values.to(device), scales=None if x.scales is None else x.scales.to(device)
            )
            for x in (a, b)
        )
        yield Row(
            f"block-scaled matmul {left} x {right} 64x128x256",
            SHORT[dtype],
            lambda a=a, b=b: block_scaled_matmul.block_scaled_matmul(a, b, dtype),
            lambda a=a, b=b: block_scaled_matmul.reference(a, b, dtype),
            lambda a=a, b=b: block_scaled_matmul.reference(a, b, torch.float64),
        )


def norm_rows(dtype: torch.dtype, device: str) -> Iterator[Row]:
    x = random(2, 128, 8, 64, dtype=dtype).to(device)
    cos, sin = (table.to(device) for table in rope.tables(128, 32))
    yield row("RoPE 2x128x8x64", dtype, rope.rope, rope.reference, x, cos, sin)
    x, w = random(256, 1000, dtype=dtype).to(device), random(1000, dtype=dtype).to(device)
    yield row("RMS norm 256x1000", dtype, rms_norm.rms_norm, rms_norm.reference, x, w)
    name = "RMS norm 256x1000, with gradient"
    yield gradients(name, dtype, rms_norm.rms_norm, rms_norm.reference, x, w)
    logits = random(64, 5000, dtype=dtype, scale=3.0).to(device)
    labels = torch.arange(64, device=device) * 71
    name = "cross entropy 64x5000, with gradient"
    yield gradients(
        name, dtype, cross_entropy.cross_entropy, cross_entropy.reference, logits, labels
    )
    table, tokens = random(500, 128, dtype=dtype).to(device), (labels * 37 % 500)
    name = "embedding 500x128, with gradient"
    yield gradients(name, dtype, embedding.embedding, embedding.reference, table, tokens)


def routed_rows(dtype: torch.dtype, device: str) -> Iterator[Row]:
    x, logits = random(64, 128, dtype=dtype).to(device), random(64, 8).to(device)
    w1 = random(8, 256, 128, dtype=dtype, scale=0.1).to(device)
    w2 = random(8, 128, 128, dtype=dtype, scale=0.1).to(device)
    yield row("MoE, 64 tokens, 2 of 8 experts", dtype, moe.moe, moe.reference, x, logits, w1, w2, 2)
    q = random(4, 8, 64, dtype=dtype).to(device)
    k, v = (random(64, 16, 2, 64, dtype=dtype).to(device) for _ in range(2))
    tables = torch.arange(64, dtype=torch.int32, device=device).view(4, 16).flip(0).contiguous()
    lengths = torch.tensor([256, 100, 1, 200], dtype=torch.int32, device=device)
    ours, reference = paged_attention.paged_attention, paged_attention.reference
    given = (q, k, v, tables, lengths, 0.125)
    yield row("paged attention, 4 sequences", dtype, ours, reference, *given)


def recurrent_rows(dtype: torch.dtype, device: str) -> Iterator[Row]:
    q, k, v = (random(1, 256, 4, n, dtype=dtype).to(device) for n in (64, 64, 32))
    g = -random(1, 256, 4).abs().to(device)
    name = "linear attention 256x4x64x32"
    ours, reference = linear_attention.linear_attention, linear_attention.reference
    yield row(name, dtype, ours, reference, q, k, v, g, 0.125)
    x, dt = random(2, 128, 64, dtype=dtype), random(2, 128, 65, dtype=dtype)[..., 1:].abs()
    b, c = random(2, 128, 16, dtype=dtype), random(2, 128, 17, dtype=dtype)[..., 1:]
    a = -random(64, 16).abs()
    moved = [tensor.contiguous().to(device) for tensor in (x, dt, a, b, c)]
    name = "selective scan 2x128x64, 16 states"
    yield row(name, dtype, selective_scan.selective_scan, selective_scan.reference, *moved)
    image, w = random(2, 32, 28, 28, dtype=dtype), random(48, 32, 3, 3, dtype=dtype)
    bias = random(48, dtype=dtype).to(device)
    given = (image.to(device), w.to(device), bias)
    name = "convolution 3x3, 2x32x28x28 to 48"
    yield row(name, dtype, conv2d.conv2d, conv2d.reference, *given, padding=(1, 1))


GROUPS = (attention_rows, matmul_rows, scaled_rows, norm_rows, routed_rows, recurrent_rows)


def rows(device: str) -> Iterator[Row]:
    for make in GROUPS:
        for dtype in FLOATS:
            torch.manual_seed(0)
            yield from make(dtype, device)


def error(result: Any, exact: Any) -> float:
    """The greatest relative error of a tensor, or of a list of them."""
    if isinstance(result, torch.Tensor):
        return relative_error(result, exact)
    return max(relative_error(x, y) for x, y in zip(result, exact, strict=True))


def torch_error(case: Row, exact: Any) -> float | None:
    """None if PyTorch does not compute this."""
    try:
        return error(case.theirs(), exact)
    except (RuntimeError, NotImplementedError):
        return None


def cells(case: Row, with_times: bool) -> list[str]:
    exact = case.exact()
    theirs = torch_error(case, exact)
    found = [case.name, case.dtype, f"{error(case.ours(), exact):.1e}"]
    found.append("" if theirs is None else f"{theirs:.1e}")
    if with_times:
        calls = {"ours": case.ours} | ({} if theirs is None else {"torch": case.theirs})
        times = compare(calls, rounds=5, warmup=1, calls=1)
        found += [f"{1e3 * times[name]:.3f}" if name in times else "" for name in ("ours", "torch")]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="parts of the names of programs")
    parser.add_argument("--target", help="an emulated GPU, such as emulator:cuda:90a+checks")
    parser.add_argument("--no-times", action="store_true", help="errors only")
    parser.add_argument("--markdown", action="store_true", help="a table in Markdown")
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() and not options.target else "cpu"
    emulated, plus, _ = (options.target or "").removeprefix("emulator:").partition("+")
    target = tilewright.emulate(emulated, checks=bool(plus)) if emulated else nullcontext()
    titles = ["program", "dtype", "error", "PyTorch's"]
    titles += [] if options.no_times else ["ms", "PyTorch's"]
    print_row(titles, options.markdown)
    if options.markdown:
        print("|" + "---|" * len(titles))
    with target:
        for case in rows(device):
            # An emulated GPU does not know the matrices whose addresses are in memory.
            is_known = not emulated or "grouped" not in case.name
            if is_known and all(word in case.name for word in options.words):
                print_row(cells(case, not options.no_times), options.markdown)


def print_row(texts: list[str], markdown: bool) -> None:
    if markdown:
        print("| " + " | ".join(texts) + " |", flush=True)
    else:
        print(f"{texts[0]:58}", *(f"{text:>9}" for text in texts[1:]), flush=True)


if __name__ == "__main__":
    main()
