"""Accesses to tiles with dimensions of size 1, such as blocks of a batch's matrices.

Integers in float16 make sums exact.
"""

import pytest
import torch

import tilewright
import tilewright.language as tl


@tilewright.jit
def product_of_blocks(
    a_ptr, b_ptr, c_ptr, B, M, N, K, FORM: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """c[z] = a[z] @ b[z]; FORM says which matrix a program takes, and which ones it stores."""
    a = tl.make_tensor_descriptor(a_ptr, [B, M, K], [M * K, K, 1], [1, BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [B, K, N], [K * N, N, 1], [1, BK, BN])
    c = tl.make_tensor_descriptor(c_ptr, [B, M, N], [M * N, N, 1], [1, BM, BN])
    m, n, z = tl.program_id(0) * BM, tl.program_id(1) * BN, tl.program_id(2)
    source = z
    if FORM == "next":
        source = z + 1
    elif FORM == "previous":
        source = z - 1
    elif FORM == "first":
        source = 0
    elif FORM == "second":
        source = 1
    elif FORM == "twice":
        source = z * 2
    elif FORM == "half":
        source = z // 2
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = a.load([source, m, k]).reshape(BM, BK)
        y = b.load([source, k, n]).reshape(BK, BN)
        acc = tl.dot(x, y, acc)
    c.store([z, m, n], acc.to(tl.float16).reshape(1, BM, BN))


def integers(*shape: int) -> torch.Tensor:
    return torch.randint(-2, 3, shape).half()


def matrix(batch: torch.Tensor, index: int) -> torch.Tensor:
    """What a descriptor reads: zeros outside of the batch."""
    return batch[index] if 0 <= index < len(batch) else torch.zeros_like(batch[0])


SOURCES = {
    "same": lambda z: z, "next": lambda z: z + 1, "previous": lambda z: z - 1, "first": lambda z: 0,
    "second": lambda z: 1, "twice": lambda z: 2 * z, "half": lambda z: z // 2,
}  # fmt: skip


@pytest.mark.parametrize("form", SOURCES)
@pytest.mark.parametrize(
    ("shape", "blocks", "warps"),
    [
        ((3, 128, 64, 96), (64, 64, 32), 4),
        ((3, 100, 72, 80), (64, 64, 32), 4),
        ((2, 128, 128, 128), (128, 128, 64), 8),
        ((1, 65, 24, 40), (64, 32, 32), 4),
    ],
)
@pytest.mark.parametrize("persistent", [None, True])
def test_batches(form, shape, blocks, warps, persistent) -> None:
    """More programs than there are matrices: what they store is dropped."""
    batch, m, n, k = shape
    a, b = integers(batch, m, k), integers(batch, k, n)
    memory = torch.full((batch + 2, m, n), 7.0).half()
    c = memory[1 : 1 + batch]
    wanted = memory.cpu().clone()
    for z in range(batch):
        source = SOURCES[form](z)
        x, y = matrix(a.cpu(), source), matrix(b.cpu(), source)
        wanted[1 + z] = (x.float() @ y.float()).half()
    grid = (-(-m // blocks[0]), -(-n // blocks[1]), batch + 1)
    options = {} if persistent is None else {"persistent": persistent}
    product_of_blocks[grid](a, b, c, batch, m, n, k, form, *blocks, num_warps=warps, **options)
    assert torch.equal(memory.cpu(), wanted)


def test_a_batch_without_matrices() -> None:
    """The extent of the first dimension is an argument: all loads are masked, and all stores."""
    a, b = integers(2, 64, 64), integers(2, 64, 64)
    c = torch.full((2, 64, 64), 7.0).half()
    for count in (0, 1, 2):
        for form in ("first", "same"):
            before = c.cpu().clone()
            product_of_blocks[1, 1, 2](a, b, c, count, 64, 64, 64, form, 64, 64, 32)
            for z in range(count):
                source = SOURCES[form](z)
                before[z] = (a.cpu()[source].float() @ b.cpu()[source].float()).half()
            assert torch.equal(c.cpu(), before), (count, form)


@tilewright.jit
def product_by_expert(
    a_ptr, b_ptr, experts, c_ptr, E, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """Which matrix a program takes is in memory."""
    b = tl.make_tensor_descriptor(b_ptr, [E, K, N], [K * N, N, 1], [1, BK, BN])
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    m = tl.program_id(0) * BM
    expert = tl.load(experts + tl.program_id(0))
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m, k]), b.load([expert, k, 0]).reshape(BK, BN), acc)
    c = c_ptr + (m + tl.arange(0, BM))[:, None] * N + tl.arange(0, BN)[None, :]
    tl.store(c, acc.to(tl.float16), mask=(m + tl.arange(0, BM))[:, None] < M)


def test_experts() -> None:
    a, b = integers(256, 96), integers(3, 96, 64)
    experts = torch.tensor([2, 0, 5, -1], dtype=torch.int32)
    c = torch.empty(256, 64).half()
    product_by_expert[(4,)](a, b, experts, c, 3, 256, 64, 96, 64, 64, 32)
    for tile, expert in enumerate(experts.tolist()):
        rows = slice(64 * tile, 64 * tile + 64)
        wanted = a.cpu()[rows].float() @ matrix(b.cpu(), expert).float()
        assert torch.equal(c.cpu()[rows], wanted.half()), expert


@tilewright.jit
def scores_of_heads(
    q_ptr, k_ptr, s_ptr, Z, H, M, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    """Arrays of (batch, token, head, element), and so blocks with size 1 between other sizes."""
    q = tl.make_tensor_descriptor(q_ptr, [Z, M, H, D], [M * H * D, H * D, D, 1], [1, BM, 1, D])
    k = tl.make_tensor_descriptor(k_ptr, [Z, N, H, D], [N * H * D, H * D, D, 1], [1, BN, 1, D])
    s = tl.make_tensor_descriptor(s_ptr, [Z, H, M, N], [H * M * N, M * N, N, 1], [1, 1, BM, BN])
    m, z, h = tl.program_id(0) * BM, tl.program_id(1), tl.program_id(2)
    x = q.load([z, m, h, 0]).reshape(BM, D)
    for n in range(0, N, BN):
        y = k.load([z, n, h, 0]).reshape(BN, D)
        scores = tl.dot(x, y.T)
        s.store([z, h, m, n], scores.to(tl.float16)[None, None, :, :])


@pytest.mark.parametrize(("m", "n"), [(128, 128), (100, 72)])
@pytest.mark.parametrize("warps", [4, 8])
def test_heads_between(m, n, warps) -> None:
    q, k = integers(2, m, 3, 64), integers(2, n, 3, 64)
    s = torch.full((2, 3, m, n), 7.0).half()
    scores_of_heads[-(-m // 64), 3, 4](q, k, s, 2, 3, m, n, 64, 64, 64, num_warps=warps)
    wanted = torch.einsum("zmhd,znhd->zhmn", q.cpu().float(), k.cpu().float())
    assert torch.equal(s.cpu(), wanted.half())


@tilewright.jit
def several_uses(x_ptr, y_ptr, total_ptr, z, B, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """Pointers and masks with dimensions of size 1, and values used with them and without."""
    m, n = tl.arange(0, BM), tl.arange(0, BN)
    at = z * M * N + m[None, :, None] * N + n[None, None, :]
    mask = (z < B) & (m[None, :, None] < M) & (n[None, None, :] < N)
    x = tl.load(x_ptr + at, mask=mask, other=3.0)
    scaled = x * 2.0
    flat = scaled.reshape(BM, BN)
    tl.store(y_ptr + at, scaled + x, mask=mask)
    tl.store(total_ptr + m, tl.sum(flat, axis=1))
    tl.atomic_add(total_ptr + BM + m[None, :, None] * 0 + n[None, None, :], x, mask=mask)
    columns = tl.sum(x, axis=1)
    tl.store(total_ptr + BM + BN + tl.arange(0, 1)[:, None] + n[None, :], columns)


@pytest.mark.parametrize("z", [0, 1, 2])
@pytest.mark.parametrize(("m", "n"), [(32, 64), (30, 60), (7, 5)])
def test_several_uses(z, m, n) -> None:
    x = torch.randint(-4, 5, (2, m, n)).float()
    y = torch.zeros(2, m, n)
    total = torch.zeros(32 + 64 + 64)
    several_uses[(1,)](x, y, total, z, 2, m, n, 32, 64)
    tile = torch.full((32, 64), 3.0, device="cpu")
    if z < 2:
        tile[:m, :n] = x.cpu()[z]
        assert torch.equal(y.cpu()[z], 3 * x.cpu()[z])
    rows, atomics, columns = total.cpu().split([32, 64, 64])
    assert torch.equal(rows, 2 * tile.sum(1))
    assert torch.equal(columns, tile.sum(0))
    inside = tile[:m, :n].sum(0) if z < 2 else torch.zeros(n, device="cpu")
    assert torch.equal(atomics[:n], inside) and not atomics[n:].any()


@tilewright.jit
def accumulate(x_ptr, y_ptr, B, M, N, DTYPE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    y = tl.make_tensor_descriptor(y_ptr, [B, M, N], [M * N, N, 1], [1, BM, BN])
    x = tl.make_tensor_descriptor(x_ptr, [B, M, N], [M * N, N, 1], [1, BM, BN])
    z, m = tl.program_id(0), tl.program_id(1) * BM
    for n in range(0, N, BN):
        y.atomic_add([z // 2, m, n], x.load([z, m, n]))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32])
def test_atomics(dtype) -> None:
    x = torch.randint(-3, 4, (4, 50, 72)).to(dtype)
    y = torch.ones(4, 50, 72, dtype=dtype)
    accumulate[5, 2](x, y, 4, 50, 72, None, 32, 32)
    wanted = torch.ones(4, 50, 72, dtype=dtype, device="cpu")
    for z in range(4):
        wanted[z // 2] += x.cpu()[z]
    assert torch.equal(y.cpu(), wanted)


@tilewright.jit
def attention(
    q_ptr, k_ptr, v_ptr, o_ptr, Z, H, N, scale,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    q = tl.make_tensor_descriptor(q_ptr, [Z, H, N, D], [H * N * D, N * D, D, 1], [1, 1, BM, D])
    k = tl.make_tensor_descriptor(k_ptr, [Z, H, N, D], [H * N * D, N * D, D, 1], [1, 1, BN, D])
    v = tl.make_tensor_descriptor(v_ptr, [Z, H, N, D], [H * N * D, N * D, D, 1], [1, 1, BN, D])
    o = tl.make_tensor_descriptor(o_ptr, [Z, H, N, D], [H * N * D, N * D, D, 1], [1, 1, BM, D])
    m, z, h = tl.program_id(0) * BM, tl.program_id(1) // H, tl.program_id(1) % H
    x = q.load([z, h, m, 0]).reshape(BM, D)
    top = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for n in range(0, N, BN):
        scores = tl.dot(x, k.load([z, h, n, 0]).reshape(BN, D).T) * scale
        scores = tl.where((n + tl.arange(0, BN) < N)[None, :], scores, float("-inf"))
        higher = tl.maximum(top, tl.max(scores, 1))
        weights = tl.exp2(scores - higher[:, None])
        shrink = tl.exp2(top - higher)
        total = total * shrink + tl.sum(weights, 1)
        value = v.load([z, h, n, 0]).reshape(BN, D)
        acc = tl.dot(weights.to(tl.float16), value, acc * shrink[:, None])
        top = higher
    o.store([z, h, m, 0], (acc / total[:, None]).to(tl.float16).reshape(1, 1, BM, D))


@pytest.mark.parametrize("tokens", [128, 200])
@pytest.mark.parametrize(("blocks", "warps"), [((64, 64), 4), ((128, 64), 8)])
def test_attention(tokens, blocks, warps) -> None:
    q, k, v = (torch.randn(2, 3, tokens, 64).half() for _ in range(3))
    o = torch.full((2, 3, tokens, 64), 7.0).half()
    scale = 0.125
    grid = (-(-tokens // blocks[0]), 2 * 3)
    attention[grid](
        q, k, v, o, 2, 3, tokens, scale * 1.4426950408889634, 64, *blocks, num_warps=warps
    )
    scores = (q.cpu().double() @ k.cpu().double().transpose(2, 3)) * scale
    wanted = torch.softmax(scores, dim=-1) @ v.cpu().double()
    assert torch.allclose(o.cpu().double(), wanted, atol=4e-3, rtol=4e-3)
