"""Stores of results of dots outside of loops: on Hopper by boxes (TMA), in parts of columns."""

import pytest
import torch
from group_matmul import takes_boxes

import tilewright
import tilewright.language as tl


@tilewright.jit
def product(
    x, y, out, rows, columns, down, right, scale,
    M: tl.constexpr, N: tl.constexpr, ALONG: tl.constexpr, MASK: tl.constexpr,
):  # fmt: skip
    """A tile of M rows and N columns per program, stored along its rows (1) or columns (0)."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, 32)
    at = tl.program_id(0) * M + m
    to = tl.program_id(1) * N + n
    a = tl.load(x + at[:, None] * 32 + k[None, :])
    b = tl.load(y + k[:, None] * N * tl.num_programs(1) + to[None, :])
    total = tl.dot(a, b) * scale
    place = out + at[:, None] * (down if ALONG else 1) + to[None, :] * (1 if ALONG else right)
    result = total.to(out.dtype.element_ty)
    if MASK:
        tl.store(place, result, mask=(at[:, None] < rows) & (to[None, :] < columns))
    else:
        tl.store(place, result)


def run(dtype, m, n, warps, along=1, mask=True, cut=(0, 0), pitch=16):
    """Compares four tiles with products of small integers; nothing else may be written."""
    x, y = torch.randint(-3, 4, (2 * m, 32)).half(), torch.randint(-3, 4, (32, 2 * n)).half()
    shape = (2 * m, 2 * n + pitch) if along else (2 * n, 2 * m + pitch)
    out = torch.full(shape, 7).to(dtype)
    rows, columns = 2 * m - cut[0], 2 * n - cut[1]
    made = product[(2, 2)](
        x, y, out, rows, columns, out.stride(0), out.stride(0), 2.0, m, n, along, mask,
        num_warps=warps,
    )  # fmt: skip
    wanted = torch.full(shape, 7).to(dtype)
    found = (2 * (x.float() @ y.float())).to(dtype)[:rows, :columns]
    if along:
        wanted[:rows, :columns] = found
    else:
        wanted[:columns, :rows] = found.T
    assert torch.equal(out.cpu(), wanted.cpu())
    return made


def stores(made) -> int:
    return made.ir("tilegpu").count("tilegpu.box_store ")


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.float16, torch.int8])
@pytest.mark.parametrize(
    ("m", "n", "warps"), [(64, 32, 4), (64, 128, 4), (128, 64, 8), (128, 128, 8), (64, 256, 4)]
)
def test_shapes(dtype, m, n, warps) -> None:
    run(dtype, m, n, warps)


@pytest.mark.parametrize("cut", [(0, 1), (1, 0), (63, 31), (5, 33), (127, 127), (64, 96)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_where_rows_and_columns_end(dtype, cut) -> None:
    run(dtype, 64, 64, 4, cut=cut)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("warps", [4, 8])
def test_columns(dtype, warps) -> None:
    """Memory is contiguous along the columns of the tile: its rows are no parts."""
    run(dtype, 128, 64, warps, along=0, cut=(3, 5))


@pytest.mark.parametrize("pitch", [0, 1, 2, 4, 8])
def test_strides_that_no_map_takes(pitch) -> None:
    run(torch.float32, 64, 64, 4, pitch=pitch)


def test_parts(launch_target) -> None:
    made = run(torch.float32, 64, 64, 4)
    assert not takes_boxes(launch_target) or stores(made) == 2


@tilewright.jit
def read_back(x, y, out, again, M: tl.constexpr):
    m, k = tl.arange(0, M), tl.arange(0, 64)
    place = out + m[:, None] * 64 + k[None, :]
    total = tl.dot(
        tl.load(x + m[:, None] * 64 + k[None, :]), tl.load(y + k[:, None] * 64 + k[None, :])
    )
    tl.store(place, total)
    tl.store(again + m[:, None] * 64 + k[None, :], tl.load(place) + 1)
    tl.store(place, total * 2)


@pytest.mark.parametrize("warps", [4, 8])
def test_what_is_read_back(warps) -> None:
    x, y = torch.randint(-3, 4, (128, 64)).half(), torch.randint(-3, 4, (64, 64)).half()
    out, again = torch.zeros(128, 64), torch.zeros(128, 64)
    read_back[(1,)](x, y, out, again, 128, num_warps=warps)
    wanted = (x.float() @ y.float()).cpu()
    assert torch.equal(again.cpu(), wanted + 1)
    assert torch.equal(out.cpu(), wanted * 2)
