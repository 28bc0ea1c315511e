"""tl.dot_scaled against float64."""

from itertools import product as pairs

import numpy as np
import pytest
import torch
from inputs import poisoned, wide
from microscaled import E2M1, FORMATS, of_e8m0, product, rounded, tile

import tilewright
import tilewright.language as tl

ALL = ["e2m1", *FORMATS]


@tilewright.jit
def load(x, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i, j = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    return tl.load(x + i[:, None] * COLUMNS + j[None, :])


@tilewright.jit
def store(x, value, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i, j = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    tl.store(x + i[:, None] * COLUMNS + j[None, :], value)


@tilewright.jit
def load_scales(x, SIDE: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr):
    if GROUP is None:
        return None
    else:
        return load(x, SIDE, K // GROUP)


@tilewright.jit
def product_kernel(a, sa, b, sb, out, FA: tl.constexpr, FB: tl.constexpr, GA: tl.constexpr,
                   GB: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                   A_ALONG_K: tl.constexpr = True, B_ALONG_K: tl.constexpr = True):  # fmt: skip
    PA: tl.constexpr = 2 if FA == "e2m1" else 1
    PB: tl.constexpr = 2 if FB == "e2m1" else 1
    x = load(a, M, K // PA) if A_ALONG_K else load(a, M // PA, K)
    y = load(b, K // PB, N) if B_ALONG_K else load(b, K, N // PB)
    s, t = load_scales(sa, M, K, GA), load_scales(sb, N, K, GB)
    z = tl.dot_scaled(x, s, FA, y, t, FB, lhs_k_pack=A_ALONG_K, rhs_k_pack=B_ALONG_K)
    store(out, z, M, N)


def run(left, right, formats, shape, groups, warps=4, **options):
    m, n, k = shape
    out = poisoned("fp32", (m, n))
    scales = [tile.scales if tile.scales is not None else tile.array for tile in (left, right)]
    product_kernel[(1,)](
        left.array, scales[0], right.array, scales[1], out, *formats, *groups, M=m, N=n, K=k,
        num_warps=warps, **options,
    )  # fmt: skip
    return wide(out)


def check(formats, shape, groups=(32, 32), warps=4, left_k_pack=True, right_k_pack=True):
    m, n, k = shape
    left = tile(formats[0], m, k, group=groups[0], k_pack=left_k_pack)
    right = tile(formats[1], n, k, group=groups[1], transposed=True, k_pack=right_k_pack)
    options = {"A_ALONG_K": left_k_pack, "B_ALONG_K": right_k_pack}
    found = run(left, right, formats, shape, groups, warps, **options)
    common = torch.float16 if "fp16" in formats else torch.bfloat16
    exact, bound = product(left, right, common)
    assert (np.abs(found - exact) <= bound).all()


@pytest.mark.parametrize("formats", list(pairs(ALL, ALL)), ids="-".join)
def test_pairs_of_formats(formats):
    groups = [None if format in ("bf16", "fp16") else 32 for format in formats]
    check(formats, (32, 16, 64), groups)


@pytest.mark.parametrize("warps", [1, 2, 8])
@pytest.mark.parametrize("shape", [(16, 16, 32), (64, 32, 128), (128, 16, 64), (1, 8, 32)])
def test_shapes_and_warps(shape, warps):
    check(("e4m3", "e2m1"), shape, warps=warps)


@pytest.mark.parametrize("shape", [(48, 16, 96), (16, 24, 64), (3, 5, 160)])
def test_sizes_that_are_no_powers_of_two(shape):
    check(("e4m3", "e2m1"), shape)
    check(("e2m1", "bf16"), shape, (16, None))


@pytest.mark.parametrize("shape", [(2, 32, 64), (32, 2, 64)])
@pytest.mark.parametrize("left, right", [(False, True), (True, False), (False, False)])
def test_packed_along_m_and_n(left, right, shape):
    check(("e2m1", "e2m1"), shape, left_k_pack=left, right_k_pack=right)


@pytest.mark.parametrize("groups", [(16, 16), (16, 32), (None, 16), (None, None)])
def test_groups(groups):
    check(("e2m1", "e2m1"), (32, 32, 64), groups)


@pytest.mark.parametrize("formats", [("bf16", "e2m1"), ("e5m2", "fp16")])
def test_scales_of_wider_floats(formats):
    check(formats, (32, 32, 64))


@pytest.mark.parametrize("common", ["bf16", "fp16"])
@pytest.mark.parametrize("format", ["e2m1", "e4m3", "e5m2"])
def test_every_code_with_every_scale(format, common):
    """The product with an identity matrix is the decoded tile itself."""
    scales = np.arange(256, dtype=np.uint8)[:, None]
    if format == "e2m1":
        codes, blocks = np.arange(16), 1
        packed = np.tile(codes[::2] | codes[1::2] << 4, (256, 2)).astype(np.uint8)
        values = np.tile(E2M1, (256, 2))
    else:
        codes, blocks = torch.arange(256).to(torch.uint8), 8
        packed, values = codes.numpy(), codes.view(FORMATS[format]).double().numpy()
    identity = torch.eye(32).to(FORMATS[common])
    for block in range(0, blocks, 3):
        x, y = packed, values
        if blocks > 1:
            part = slice(block * 32, block * 32 + 32)
            x, y = (np.tile(all[part], (256, 1)) for all in (packed, values))
        out = poisoned("fp32", (256, 32))
        product_kernel[(1,)](
            x, scales, identity, identity, out, format, common, 32, None, M=256, N=32, K=32
        )
        with np.errstate(invalid="ignore"):
            decoded = rounded(y * of_e8m0(scales), FORMATS[common])
            expected = decoded @ identity.double().numpy()
        assert np.array_equal(wide(out), expected, equal_nan=True)


@tilewright.jit
def loop_kernel(a, sa, b, sb, c, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                STEPS: tl.constexpr):  # fmt: skip
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[:, None]
    k, g = tl.arange(0, K // 2)[None, :], tl.arange(0, K // 32)[None, :]
    depth: tl.constexpr = K * STEPS
    acc = load(c, M, N)
    for step in range(STEPS):
        x = tl.load(a + m * (depth // 2) + step * (K // 2) + k)
        y = tl.load(b + n * (depth // 2) + step * (K // 2) + k)
        s = tl.load(sa + m * (depth // 32) + step * (K // 32) + g)
        t = tl.load(sb + n * (depth // 32) + step * (K // 32) + g)
        acc = tl.dot_scaled(x, s, "e2m1", y.T, t, "e2m1", acc)
    store(out, acc, M, N)


@pytest.mark.parametrize("stages", [1, 3])
def test_loop_over_transposed_operands(stages):
    m, n, k, steps = 32, 64, 64, 3
    left, right = tile("e2m1", m, k * steps), tile("e2m1", n, k * steps)
    start, out = torch.full((m, n), 0.5), poisoned("fp32", (m, n))
    loop_kernel[(1,)](
        left.array, left.scales, right.array, right.scales, start, out, M=m, N=n, K=k, STEPS=steps,
        num_stages=stages,
    )  # fmt: skip
    exact, bound = product(left, right)
    assert (np.abs(wide(out) - 0.5 - exact) <= bound + 2.0**-20).all()


@tilewright.jit
def batched_kernel(a, sa, b, sb, out, B: tl.constexpr, M: tl.constexpr, K: tl.constexpr):
    x = tl.reshape(load(a, B * M, K // 2), (B, M, K // 2))
    y = tl.reshape(load(b, B * K, M), (B, K, M))
    s = tl.reshape(load(sa, B * M, K // 32), (B, M, K // 32))
    t = tl.reshape(load(sb, B * M, K // 16), (B, M, K // 16))
    z = tl.dot_scaled(x, s, "e2m1", y, t, "e5m2", fast_math=True)
    store(out, tl.reshape(z, (B * M, M)), B * M, M)


def test_batches():
    b, m, k = 2, 16, 64
    left = [tile("e2m1", m, k) for _ in range(b)]
    right = [tile("e5m2", m, k, group=16, transposed=True) for _ in range(b)]
    out = poisoned("fp32", (b, m, m))
    batched_kernel[(1,)](
        np.stack([x.array for x in left]), np.stack([x.scales for x in left]),
        torch.stack([y.array.view(torch.uint8) for y in right]),
        torch.stack([y.scales.view(torch.uint8) for y in right]).view(torch.float8_e4m3fn),
        out, B=b, M=m, K=k,
    )  # fmt: skip
    for found, x, y in zip(wide(out), left, right, strict=True):
        exact, bound = product(x, y)
        assert (np.abs(found - exact) <= bound).all()


@tilewright.jit
def half_kernel(a, sa, b, c, out, M: tl.constexpr, K: tl.constexpr):
    x, s, y = load(a, M, K), load(sa, M, K // 32), load(b, K, M)
    z = x.dot_scaled(s, "e4m3", y, None, "fp16", load(c, M, M), out_dtype=tl.float16)
    store(out, z, M, M)


def test_float16_result():
    m, k = 16, 32
    left, right = tile("e4m3", m, k), tile("fp16", m, k, group=None, transposed=True)
    start, out = torch.full((m, m), 0.5).half(), poisoned("fp16", (m, m))
    half_kernel[(1,)](left.array, left.scales, right.array, start, out, M=m, K=k)
    exact, bound = product(left, right, torch.float16)
    assert (np.abs(wide(out) - 0.5 - exact) <= bound * 2**13 + 2.0**-9).all()


def test_a_scale_that_is_nan():
    left, right = tile("e2m1", 16, 64), tile("e2m1", 16, 64, transposed=True)
    left.scales[3, 1] = right.scales[5, 0] = 255
    found = run(left, right, ("e2m1", "e2m1"), (16, 16, 64), (32, 32))
    expected = np.zeros((16, 16), bool)
    expected[3, :] = expected[:, 5] = True
    assert np.array_equal(np.isnan(found), expected)
