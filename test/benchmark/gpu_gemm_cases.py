"""Persistent and grouped products of matrices that gpu.py times, by pointers and by descriptors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gpu_cases
import torch
from gpu_cases import HALF, Case, random

BYTE = torch.float8_e4m3fn

PERSISTENT = [
    # dtype, block sizes m n k, warps, stages
    (HALF, 128, 256, 64, 8, 3),
    (HALF, 128, 128, 64, 8, 4),
    (BYTE, 128, 256, 128, 8, 3),
    (BYTE, 128, 128, 128, 8, 4),
]


def multiprocessors() -> int:
    if gpu_cases.DEVICE != "cuda":
        return 132
    return torch.cuda.get_device_properties(0).multi_processor_count


def persistent_cases(small: bool) -> Iterator[Case]:
    """8192 x 8192 from few and from many products for each element."""
    for depth in (160,) if small else (512, 8192):
        for blocks in PERSISTENT:
            for by in ("pointers", "descriptors"):
                yield persistent_case(192 if small else 8192, depth, blocks, by)


def persistent_case(size: int, depth: int, blocks: tuple[Any, ...], by: str) -> Case:
    dtype, block_m, block_n, block_k, warps, stages = blocks
    a, b = random(size, depth, dtype=dtype), random(size, depth, dtype=dtype)
    c = torch.empty(size, size, dtype=dtype, device=gpu_cases.DEVICE)
    programs = min(multiprocessors(), -(-size // block_m) * -(-size // block_n))
    options = {
        "BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k, "GROUP": 8,
        "num_warps": warps, "num_stages": stages,
    }  # fmt: skip

    def run(kernels: Any) -> torch.Tensor:
        if by == "pointers":
            kernels.persistent_matmul[(programs,)](a, b, c, size, size, depth, **options)
        else:
            described = kernels.TensorDescriptor.from_tensor
            kernels.descriptor_matmul[(programs,)](
                described(a, [block_m, block_k]), described(b, [block_n, block_k]),
                described(c, [block_m, block_n]), size, size, depth, **options,
            )  # fmt: skip
        return c

    name = f"{'fp16' if dtype == HALF else 'fp8'} {block_m}x{block_n}x{block_k} w{warps} s{stages}"
    is_half = dtype == HALF
    return Case(
        f"persistent matmul K={depth} {by} {name}", run,
        (lambda: torch.matmul(a, b.T, out=c)) if is_half else None,
        lambda: a.double() @ b.double().T, 2 * size * size * depth / 1e12, "TFLOP/s",
        1e-3 if is_half else 4e-2, "Triton 1.1",
    )  # fmt: skip


def weight_cases(small: bool) -> Iterator[Case]:
    """float16 by weights of 8 bits, which the kernel converts, stored along N or along K."""
    size = 192 if small else 4096
    for dtype in (torch.int8, torch.float8_e5m2):
        for order in "NK":
            yield weight_case(size, dtype, order)


def weight_case(size: int, dtype: torch.dtype, order: str) -> Case:
    a = random(size, size, dtype=HALF)
    b = torch.randint(-64, 64, (size, size), device=gpu_cases.DEVICE).to(dtype)
    b = b.T if order == "K" else b
    c = torch.empty(size, size, dtype=HALF, device=gpu_cases.DEVICE)

    def run(kernels: Any) -> torch.Tensor:
        grid = ((-(-size // 128)) ** 2,)
        kernels.matmul[grid](
            a, b, c, size, size, size, *a.stride(), *b.stride(), *c.stride(), BLOCK_M=128,
            BLOCK_N=128, BLOCK_K=64, GROUP=8, num_warps=8, num_stages=4,
        )  # fmt: skip
        return c

    kind = "int8" if dtype == torch.int8 else "fp8"
    return Case(
        f"matmul {size} fp16 by {kind} along {order} 128x128x64 w8 s4", run, None,
        lambda: a.double() @ b.to(torch.float32).double(), 2 * size**3 / 1e12, "TFLOP/s", 1e-3,
    )  # fmt: skip


GROUPED = [
    # sides of the products, block sizes m n k, warps, stages
    ((1024, 1024, 1024, 1024), 128, 128, 64, 8, 3),
    ((4096, 2048, 1024, 512), 128, 128, 64, 8, 3),
    ((4096, 2048, 1024, 512), 128, 256, 64, 8, 3),
]


def grouped_cases(small: bool) -> Iterator[Case]:
    """Products of several sizes in one launch, whose addresses are in memory."""
    for sides, block_m, block_n, block_k, warps, stages in GROUPED:
        sides = (64, 32, 160, 16) if small else sides
        a, b = ([random(side, side, dtype=HALF) for side in sides] for _ in range(2))
        out = torch.empty(sum(side * side for side in sides), dtype=HALF, device=gpu_cases.DEVICE)
        c = list(out.split([side * side for side in sides]))

        def run(kernels: Any, a=a, b=b, c=c, out=out, sides=sides,
                blocks=(block_m, block_n, block_k, warps, stages)) -> torch.Tensor:  # fmt: skip
            block_m, block_n, block_k, warps, stages = blocks
            each = zip(a, b, c, strict=True)
            addresses = torch.tensor([[x.data_ptr() for x in xs] for xs in each])
            addresses = addresses.to(gpu_cases.DEVICE)
            sizes = torch.tensor(sides, dtype=torch.int32).to(gpu_cases.DEVICE)
            kernels.grouped_matmul[(multiprocessors(),)](
                addresses, sizes, len(sides), BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k,
                num_warps=warps, num_stages=stages,
            )  # fmt: skip
            return out

        def each(a=a, b=b, c=c, sides=sides) -> torch.Tensor:
            for x, y, z, side in zip(a, b, c, sides, strict=True):
                torch.matmul(x, y, out=z.view(side, side))
            return c[0]

        def reference(a=a, b=b) -> torch.Tensor:
            products = (x.double() @ y.double() for x, y in zip(a, b, strict=True))
            return torch.cat([product.flatten() for product in products])

        name = f"{'x'.join(map(str, sides))} {block_m}x{block_n}x{block_k} w{warps} s{stages}"
        yield Case(
            f"grouped matmul {name}", run, each, reference,
            sum(2 * side**3 for side in sides) / 1e12, "TFLOP/s", 1e-3, "Triton 1.2",
        )  # fmt: skip
