"""The computations that gpu.py times: their inputs, references and launches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

import tilewright

DEVICE = "cuda"  # a test sets it to "meta": tensors without memory
Tensors = torch.Tensor | Sequence[torch.Tensor]
HALF, BRAIN, BYTE = torch.float16, torch.bfloat16, torch.float8_e5m2


@dataclass
class Case:
    """One computation; `run(kernels)` launches it and returns its results.

    `work` is the amount that one call moves or computes, in `unit`; `error` is the largest accepted
    distance of each result from its reference, as a relative norm. What `run` does beside its
    launches is timed too.
    """

    name: str
    run: Callable[[Any], Tensors]
    torch: Callable[[], torch.Tensor] | None
    reference: Callable[[], Tensors]
    work: float
    unit: str
    error: float
    goal: str = ""


def random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, device=DEVICE).to(dtype)


def add_cases(small: bool) -> Iterator[Case]:
    for exponent in (12,) if small else (20, 28):
        n = 1 << exponent
        x, y, out = random(n), random(n), random(n)

        def run(kernels: Any, x=x, y=y, out=out, n=n) -> torch.Tensor:
            kernels.add[(tilewright.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
            return out

        yield Case(
            f"add 2^{exponent}", run, lambda x=x, y=y, out=out: torch.add(x, y, out=out),
            lambda x=x, y=y: x.double() + y.double(), 12 * n / 1e9, "GB/s", 1e-6, "torch 0.99",
        )  # fmt: skip


def row_warps(columns: int) -> int:
    return 4 if columns <= 2048 else 8 if columns <= 4096 else 16


def softmax_cases(small: bool) -> Iterator[Case]:
    for columns in (100, 781) if small else (1024, 4096, 8192, 12544):
        rows = 16 if small else 4096
        x, out = random(rows, columns), random(rows, columns)

        def run(kernels: Any, x=x, out=out, rows=rows, columns=columns) -> torch.Tensor:
            block = tilewright.next_power_of_2(columns)
            kernels.softmax[(rows,)](
                out, x, x.stride(0), columns, BLOCK=block, num_warps=row_warps(columns)
            )
            return out

        yield Case(
            f"softmax {rows}x{columns}", run, lambda x=x: torch.softmax(x, 1),
            lambda x=x: torch.softmax(x.double(), 1), 8 * rows * columns / 1e9, "GB/s", 1e-5,
            "Triton 1.0",
        )  # fmt: skip


def layer_norm_cases(small: bool) -> Iterator[Case]:
    rows, columns = (8, 300) if small else (4096, 8192)
    half = torch.float16
    x, y, w, b = (
        random(*s, dtype=half) for s in ((rows, columns), (rows, columns), (columns,), (columns,))
    )
    mean = x.float().mean(1)
    rstd = (x.float().var(1, correction=0) + 1e-5).rsqrt()
    block = tilewright.next_power_of_2(columns)

    def forward(kernels: Any) -> torch.Tensor:
        kernels.layer_norm[(rows,)](
            x, y, w, b, mean, rstd, x.stride(0), columns, 1e-5, BLOCK=block, num_warps=8
        )
        return y

    def reference() -> torch.Tensor:
        return torch.nn.functional.layer_norm(x.double(), (columns,), w.double(), b.double())

    yield Case(
        f"layer norm {rows}x{columns} fp16", forward,
        lambda: torch.nn.functional.layer_norm(x, (columns,), w, b), reference,
        4 * rows * columns / 1e9, "GB/s", 2e-3, "Triton 1.0",
    )  # fmt: skip

    yield from layer_norm_backward_cases(x, w, b, mean, rstd)


def layer_norm_backward_cases(
    x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, mean: torch.Tensor, rstd: torch.Tensor
) -> Iterator[Case]:
    """The weights' gradients in sums of each program, or of groups of rows under a lock each."""
    rows, columns = x.shape
    dy, dx, dw, db = random(*x.shape, dtype=x.dtype), *map(torch.empty_like, (x, w, b))
    block, programs = tilewright.next_power_of_2(columns), min(rows, 132)
    dw_parts, db_parts = random(programs, columns), random(programs, columns)

    def of_programs(kernels: Any) -> Tensors:
        kernels.layer_norm_backward[(programs,)](
            x, dy, dx, w, mean, rstd, dw_parts, db_parts, x.stride(0), rows, columns,
            BLOCK=block, num_warps=16,
        )  # fmt: skip
        kernels.sum_rows[(tilewright.cdiv(columns, 128),)](
            dw_parts, db_parts, dw, db, programs, columns, ROWS=32, COLUMNS=128
        )
        return dx, dw, db

    groups = 96
    half_parts = torch.empty(2, groups, columns, dtype=x.dtype, device=x.device)
    locks = torch.zeros(2, groups, dtype=torch.int32, device=x.device)

    def under_locks(kernels: Any) -> Tensors:
        locks.zero_()
        kernels.layer_norm_backward_locked[(rows,)](
            x, dy, dx, w, mean, rstd, half_parts[0], half_parts[1], locks[0], locks[1], x.stride(0),
            columns, GROUPS=groups, BLOCK=block, num_warps=8,
        )  # fmt: skip
        kernels.sum_rows[(tilewright.cdiv(columns, 128),)](
            half_parts[0], half_parts[1], dw, db, min(rows, groups), columns, ROWS=32, COLUMNS=128
        )
        return dx, dw, db

    def reference() -> Tensors:
        inputs = [t.double().requires_grad_() for t in (x, w, b)]
        out = torch.nn.functional.layer_norm(inputs[0], (columns,), *inputs[1:])
        return torch.autograd.grad(out, inputs, dy.double())

    for run, kind in ((of_programs, "sums of 132 programs"), (under_locks, "sums under 96 locks")):
        yield Case(
            f"layer norm backward {rows}x{columns} fp16, {kind}", run, None, reference,
            6 * rows * columns / 1e9, "GB/s", 4e-3, "Triton 1.2",
        )  # fmt: skip


def loop_cases(small: bool) -> Iterator[Case]:
    """The same with loops: over rows, of which some are loaded ahead, and over blocks of a row."""
    rows = 16 if small else 4096
    for columns, programs in ((100, 4),) if small else ((1024, 132), (1024, 1056), (8192, 264)):
        x, out = random(rows, columns), random(rows, columns)

        def run(kernels: Any, x=x, out=out, columns=columns, programs=programs) -> torch.Tensor:
            kernels.softmax_in_a_loop[(programs,)](
                out, x, x.stride(0), rows, columns,
                BLOCK=tilewright.next_power_of_2(columns), STAGES=4, num_warps=8,
            )  # fmt: skip
            return out

        yield Case(
            f"softmax in a loop {rows}x{columns}, {programs} programs", run,
            lambda x=x: torch.softmax(x, 1), lambda x=x: torch.softmax(x.double(), 1),
            8 * rows * columns / 1e9, "GB/s", 1e-5, "Triton 1.05",
        )  # fmt: skip

    half, columns = torch.float16, 300 if small else 8192
    x, y = random(rows, columns, dtype=half), random(rows, columns, dtype=half)
    w, b = random(columns, dtype=half), random(columns, dtype=half)
    mean, rstd = random(rows), random(rows)
    for block, warps in ((128, 4),) if small else ((1024, 4), (8192, 8)):

        def forward(kernels: Any, block=block, warps=warps) -> torch.Tensor:
            kernels.layer_norm_in_blocks[(rows,)](
                x, y, w, b, mean, rstd, x.stride(0), columns, 1e-5, BLOCK=block, num_warps=warps
            )
            return y

        yield Case(
            f"layer norm in blocks of {block} {rows}x{columns} fp16", forward,
            lambda: torch.nn.functional.layer_norm(x, (columns,), w, b),
            lambda: torch.nn.functional.layer_norm(x.double(), (columns,), w.double(), b.double()),
            4 * rows * columns / 1e9, "GB/s", 2e-3, "Triton 1.2",
        )  # fmt: skip


MATMULS = [
    # size, dtype, block sizes m n k, warps, stages
    (1024, HALF, 64, 64, 64, 4, 4),
    (1024, HALF, 128, 64, 64, 4, 4),
    (1024, HALF, 64, 128, 64, 4, 4),
    (1024, HALF, 64, 128, 128, 4, 4),
    (2048, HALF, 128, 256, 64, 8, 3),
    (2048, HALF, 128, 256, 64, 8, 4),
    (4096, HALF, 128, 128, 64, 4, 4),
    (4096, HALF, 128, 128, 64, 8, 3),
    (4096, HALF, 128, 256, 64, 8, 3),
    (8192, HALF, 128, 256, 64, 8, 3),
    (2048, BRAIN, 128, 256, 64, 8, 3),
    (4096, BRAIN, 128, 256, 64, 8, 3),
    (8192, BRAIN, 128, 256, 64, 8, 3),
    (4096, torch.float32, 128, 128, 32, 8, 3),
    (4096, torch.float32, 256, 128, 32, 8, 4),
    (4096, BYTE, 128, 256, 128, 8, 3),
    (4096, BYTE, 128, 256, 128, 8, 4),
    (8192, BYTE, 128, 256, 128, 8, 3),
    (4096, torch.int8, 128, 256, 128, 8, 3),
]


def matmul_cases(small: bool) -> Iterator[Case]:
    for size, dtype, m, n, k, warps, stages in MATMULS:
        shape = (192, 160, 200) if small else (size, size, size)
        yield matmul_case(shape, dtype, (m, n, k, warps, stages))


def matmul_case(shape: tuple[int, int, int], dtype: torch.dtype, blocks: tuple[int, ...]) -> Case:
    m, n, k = shape
    block_m, block_n, block_k, warps, stages = blocks
    if dtype == torch.int8:
        a, b = (torch.randint(-128, 128, s, dtype=dtype, device=DEVICE) for s in ((m, k), (n, k)))
        c = torch.empty(m, n, dtype=torch.int32, device=DEVICE)
    else:
        a, b = random(m, k, dtype=dtype), random(n, k, dtype=dtype)
        c = random(m, n, dtype=dtype if dtype in (HALF, BRAIN) else torch.float32)

    b = b.T if dtype.itemsize == 1 else b.T.contiguous()  # matrix instructions read bytes along K

    def run(kernels: Any) -> torch.Tensor:
        grid = (tilewright.cdiv(m, block_m) * tilewright.cdiv(n, block_n),)
        kernels.matmul[grid](
            a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), BLOCK_M=block_m,
            BLOCK_N=block_n, BLOCK_K=block_k, GROUP=8, num_warps=warps, num_stages=stages,
        )  # fmt: skip
        return c

    product = {BYTE: None, torch.int8: torch._int_mm}.get(dtype, torch.matmul)
    name = f"{str(dtype).removeprefix('torch.')} {block_m}x{block_n}x{block_k} w{warps} s{stages}"
    return Case(
        f"matmul {m} {name}", run, (lambda: product(a, b)) if product else None,
        lambda: a.double() @ b.double(), 2 * m * n * k / 1e12, "TFLOP/s",
        {BRAIN: 1e-2, BYTE: 2e-3}.get(dtype, 1e-3),
    )  # fmt: skip


def sort_cases(small: bool) -> Iterator[Case]:
    rows, columns = 64 if small else 1 << 14, 1024
    for dtype in (torch.float32, torch.int32):
        x = random(rows, columns) if dtype.is_floating_point else random_bits(rows, columns)
        out = torch.empty_like(x)

        def run(kernels: Any, x=x, out=out) -> torch.Tensor:
            kernels.sort[(rows,)](x, out, BLOCK=columns, num_warps=4)
            return out

        yield Case(
            f"sort {rows}x{columns} {str(dtype).removeprefix('torch.')}", run,
            lambda x=x: torch.sort(x, 1), lambda x=x: torch.sort(x.double(), 1)[0],
            rows * columns / 1e9, "G/s", 0.0, "Triton 1.0",
        )  # fmt: skip


def random_bits(*shape: int) -> torch.Tensor:
    return torch.randint(-(1 << 31), (1 << 31) - 1, shape, dtype=torch.int32, device=DEVICE)


def histogram_cases(small: bool) -> Iterator[Case]:
    rows, columns, bins = 64 if small else 1 << 14, 1024, 256
    x = torch.randint(0, bins, (rows, columns), dtype=torch.int32, device=DEVICE)
    out = torch.zeros(rows, bins, dtype=torch.int32, device=DEVICE)

    def run(kernels: Any) -> torch.Tensor:
        kernels.histogram[(rows,)](x, out, BLOCK=columns, BINS=bins, num_warps=4)
        return out

    def reference() -> torch.Tensor:
        places = x.long() + bins * torch.arange(rows, device=DEVICE)[:, None]
        return torch.bincount(places.flatten(), minlength=rows * bins).view(rows, bins).double()

    yield Case(
        f"histogram {rows}x{columns} {bins} bins", run, None, reference, rows * columns / 1e9,
        "G/s", 0.0, "Triton 1.0",
    )  # fmt: skip


def scaled_cases(small: bool) -> Iterator[Case]:
    """Products of blocks of 32 values with exponents in common: e4m3 and e2m1 beside bf16."""
    size = 256 if small else 4096
    for left, right in (("e4m3", "e4m3"), ("e2m1", "e2m1"), ("e4m3", "e2m1")):
        (a, a_scale, a_value), (b, b_scale, b_value) = (
            random_blocks(size, size, kind) for kind in (left, right)
        )
        c = torch.empty(size, size, dtype=BRAIN, device=DEVICE)

        def run(kernels: Any, a=a, a_scale=a_scale, b=b, b_scale=b_scale, c=c,
                left=left, right=right) -> torch.Tensor:  # fmt: skip
            kernels.scaled_matmul[(size // 128, size // 128)](
                a, a_scale, b, b_scale, c, size, LEFT=left, RIGHT=right,
                BLOCK_M=128, BLOCK_N=128, BLOCK_K=128, num_warps=8, num_stages=2,
            )  # fmt: skip
            return c

        yield Case(
            f"dot_scaled {size} {left} {right} 128x128x128 w8", run, None,
            lambda x=a_value, y=b_value: x @ y.T, 2 * size**3 / 1e12, "TFLOP/s", 1e-2, "Triton 1.0",
        )  # fmt: skip


def random_blocks(rows: int, columns: int, kind: str) -> tuple[torch.Tensor, ...]:
    """Random bytes of values, those of scales of 32 values each, and what they mean in float64."""
    scale = torch.randint(120, 134, (rows, columns // 32), dtype=torch.uint8, device=DEVICE)
    if kind == "e4m3":
        value = random(rows, columns).to(torch.float8_e4m3fn)
        data = value
    else:
        data = torch.randint(0, 256, (rows, columns // 2), dtype=torch.uint8, device=DEVICE)
        codes = torch.stack([data & 15, data >> 4], dim=-1).view(rows, columns).long()
        table = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
        value = torch.tensor(table + [-v for v in table], device=DEVICE)[codes]
    factors = torch.exp2(scale.double() - 127).repeat_interleave(32, dim=1)
    return data, scale, value.double() * factors


ATTENTIONS = [
    # head dimension, causal, block sizes m n, warps, stages
    (64, False, 128, 64, 8, 3),
    (64, True, 128, 64, 8, 3),
    (64, False, 64, 128, 4, 2),
    (64, True, 64, 128, 4, 2),
    (128, False, 128, 128, 8, 3),
    (128, True, 128, 128, 8, 3),
]


def attention_cases(small: bool) -> Iterator[Case]:
    """Forward attention by its textbook loop, 4 batches of 32 heads of 4,096 queries."""
    batches, heads, length = (1, 2, 384) if small else (4, 32, 4096)
    for depth, causal, block_m, block_n, warps, stages in ATTENTIONS:
        q, k, v = (random(batches, heads, length, depth, dtype=HALF) for _ in range(3))
        out = torch.empty_like(q)

        def run(kernels: Any, q=q, k=k, v=v, out=out, depth=depth, causal=causal,
                blocks=(block_m, block_n, warps, stages)) -> torch.Tensor:  # fmt: skip
            block_m, block_n, warps, stages = blocks
            kernels.attention[(length // block_m, batches * heads)](
                q, k, v, out, length, depth**-0.5, DEPTH=depth, CAUSAL=causal,
                BLOCK_M=block_m, BLOCK_N=block_n, num_warps=warps, num_stages=stages,
            )  # fmt: skip
            return out[:1, :2]

        def reference(q=q, k=k, v=v, causal=causal) -> torch.Tensor:
            return attend(*(x[:1, :2].double() for x in (q, k, v)), causal)

        flops = 4 * batches * heads * length**2 * depth / (2 if causal else 1)
        kind = f"D{depth}{' causal' if causal else ''}"
        yield Case(
            f"attention {kind} {block_m}x{block_n} w{warps} s{stages}", run,
            lambda q=q, k=k, v=v, causal=causal: cudnn_attention(q, k, v, causal), reference,
            flops / 1e12, "TFLOP/s", 2e-3, "torch 1.0",
        )  # fmt: skip


BACKWARDS = [
    # head dimension, causal, then block sizes m n, warps and stages of dk_dv and of dq
    (64, False, (64, 64, 4, 3), (64, 64, 4, 3)),
    (64, True, (64, 64, 4, 3), (64, 64, 4, 3)),
    (128, False, (64, 128, 8, 3), (128, 64, 8, 3)),
    (128, True, (64, 128, 8, 3), (128, 64, 8, 3)),
]


def attention_backward_cases(small: bool) -> Iterator[Case]:
    """The gradients of attention; the sums of exponentials are given, as a forward leaves them."""
    batches, heads, length = (1, 2, 384) if small else (4, 32, 4096)
    for depth, causal, of_keys, of_queries in BACKWARDS:
        q, k, v, d_out = (random(batches, heads, length, depth, dtype=HALF) for _ in range(4))
        inputs = [t.requires_grad_() for t in (q, k, v)]
        gradients = [torch.empty_like(t) for t in (q, k, v)]
        out = cudnn_attention(q, k, v, causal) if DEVICE == "cuda" else torch.empty_like(q)
        sums = log2_sums(q.detach(), k.detach(), causal)
        backward = AttentionBackward(
            q.detach(), k.detach(), v.detach(), out.detach(), d_out, sums, gradients,
            causal, of_keys, of_queries,
        )  # fmt: skip

        def reference(inputs=inputs, d_out=d_out, causal=causal) -> Tensors:
            doubles = [t.detach()[:1, :2].double().requires_grad_() for t in inputs]
            of_doubles = torch.autograd.grad(attend(*doubles, causal), doubles, d_out[:1, :2])
            return of_doubles

        def cudnn(out=out, inputs=inputs, d_out=d_out) -> torch.Tensor:
            return torch.autograd.grad(out, inputs, d_out, retain_graph=True)[0]

        flops = 10 * batches * heads * length**2 * depth / (2 if causal else 1)
        kind = f"D{depth}{' causal' if causal else ''}"
        yield Case(
            f"attention backward {kind}", backward.run, cudnn, reference, flops / 1e12, "TFLOP/s",
            2e-3, "torch 1.0",
        )  # fmt: skip


@dataclass
class AttentionBackward:
    """Three launches that make the gradients of q, k and v from that of `out`."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    out: torch.Tensor
    d_out: torch.Tensor
    sums: torch.Tensor
    gradients: list[torch.Tensor]
    causal: bool
    of_keys: tuple[int, ...]
    of_queries: tuple[int, ...]

    def run(self, kernels: Any) -> Tensors:
        batches, heads, length, depth = self.q.shape
        dots = torch.empty_like(self.sums)
        kernels.row_dots[(dots.numel() // 32,)](self.out, self.d_out, dots, DEPTH=depth, BLOCK=32)
        dq, dk, dv = self.gradients
        inputs = (self.q, self.k, self.v, self.d_out, self.sums, dots)
        scale = depth**-0.5
        block_m, block_n, warps, stages = self.of_keys
        kernels.attention_dk_dv[(length // block_n, batches * heads)](
            *inputs, dk, dv, length, scale, DEPTH=depth, CAUSAL=self.causal,
            BLOCK_M=block_m, BLOCK_N=block_n, num_warps=warps, num_stages=stages,
        )  # fmt: skip
        block_m, block_n, warps, stages = self.of_queries
        kernels.attention_dq[(length // block_m, batches * heads)](
            *inputs, dq, length, scale, DEPTH=depth, CAUSAL=self.causal,
            BLOCK_M=block_m, BLOCK_N=block_n, num_warps=warps, num_stages=stages,
        )  # fmt: skip
        return [t[:1, :2] for t in self.gradients]


def log2_sums(q: torch.Tensor, k: torch.Tensor, causal: bool) -> torch.Tensor:
    """The logarithm to base 2 of each query's sum of exponentials, one head at a time."""
    sums = torch.empty(q.shape[:3], device=DEVICE)
    for batch, head in itertools.product(*map(range, q.shape[:2])):
        scores = scaled_scores(q[batch, head].float(), k[batch, head].float(), causal)
        sums[batch, head] = scores.logsumexp(-1) / math.log(2)
    return sums


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    return torch.softmax(scaled_scores(q, k, causal), -1) @ v


def scaled_scores(q: torch.Tensor, k: torch.Tensor, causal: bool) -> torch.Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=DEVICE).triu(1)
        scores = scores.masked_fill(hidden, -math.inf)
    return scores


def cudnn_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool
) -> torch.Tensor:
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.CUDNN_ATTENTION):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)


ALL_CASES = (
    add_cases, softmax_cases, layer_norm_cases, loop_cases, matmul_cases, sort_cases,
    histogram_cases, scaled_cases, attention_cases, attention_backward_cases,
)  # fmt: skip
