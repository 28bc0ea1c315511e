"""What programs write as inline assembly: conversions of narrow types, approximations."""

import numpy as np
import pytest
import torch
from seeds import generator

import tilewright
import tilewright.language as tl

N = 512


def fresh_floats(scale=1.0):
    return torch.from_numpy(generator().standard_normal(N) * scale).float()


@tilewright.jit
def to_e4m3(x):
    return tl.clamp(x, -448.0, 448.0).to(tl.float8e4nv)


@pytest.mark.gpu_refuses("e4m3x2", architectures=("80", "86"))
def test_floats_to_e4m3_four_at_a_time():
    @tilewright.jit
    def kernel(x, out, SIZE: tl.constexpr):
        i = tl.arange(0, SIZE)
        y = tl.inline_asm_elementwise(
            """{
                .reg .b16 low, high;
                cvt.rn.satfinite.e4m3x2.f32 low, $2, $1;
                cvt.rn.satfinite.e4m3x2.f32 high, $4, $3;
                mov.b32 $0, {low, high};
            }""",
            "=r,f,f,f,f", [tl.load(x + i)], dtype=tl.float8e4nv, is_pure=True, pack=4,
            cpu=to_e4m3,
        )  # fmt: skip
        tl.store(out + i, y.to(tl.int8, bitcast=True))

    x, out = fresh_floats(200), torch.zeros(N, dtype=torch.int8)
    kernel[(1,)](x, out, N)
    expected = x.clamp(-448, 448).to(torch.float8_e4m3fn).view(torch.int8)
    assert torch.equal(out, expected)


@tilewright.jit
def expand_nibbles(x):
    low = (((x & 15) ^ 8) - 8).to(tl.float16)
    high = ((((x >> 4) & 15) ^ 8) - 8).to(tl.float16)
    return low, high


def test_pairs_of_4_bit_integers_to_halves():
    """Exponents of 1024 are joined with lop3, and their value is subtracted."""

    @tilewright.jit
    def kernel(x, out, SIZE: tl.constexpr):
        i = tl.arange(0, SIZE)
        low, high = tl.inline_asm_elementwise(
            """{
                .reg .b32 low, high, bias;
                mov.b32 bias, 0x64086408;
                lop3.b32 low, $2, 0x000f000f, 0x64006400, 0xea;
                shr.u32 high, $2, 4;
                lop3.b32 high, high, 0x000f000f, 0x64006400, 0xea;
                xor.b32 low, low, 0x00080008;
                xor.b32 high, high, 0x00080008;
                sub.f16x2 $0, low, bias;
                sub.f16x2 $1, high, bias;
            }""",
            "=r,=r,r", [tl.load(x + i).to(tl.int16)], dtype=(tl.float16, tl.float16),
            is_pure=True, pack=2, cpu=expand_nibbles,
        )  # fmt: skip
        tl.store(out + i, low)
        tl.store(out + SIZE + i, high)

    x = generator().integers(0, 256, N).astype(np.uint8)
    out = np.full((2, N), np.nan, np.float16)
    kernel[(1,)](x, out, N)
    signed = lambda v: np.where(v < 8, v, v - 16.0)  # noqa: E731
    assert np.array_equal(out[0], signed((x & 15).astype(np.float64)))
    assert np.array_equal(out[1], signed((x >> 4).astype(np.float64)))


@tilewright.jit
def tanh(x):
    return tl.tanh(x)


@pytest.mark.parametrize("size", [1, 8, 512])
def test_tanh(size):
    @tilewright.jit
    def kernel(x, out, SIZE: tl.constexpr):
        i = tl.arange(0, SIZE)
        y = tl.inline_asm_elementwise(
            "tanh.approx.f32 $0, $1;", "=f,f", [tl.load(x + i)], tl.float32, True, 1, cpu=tanh
        )
        tl.store(out + i, y)

    x, out = fresh_floats()[:size].clone(), torch.full((size,), torch.nan)
    kernel[(1,)](x, out, size)
    assert torch.allclose(out, torch.tanh(x), atol=1e-3)


@tilewright.jit
def multiply_add_bf16(a, b, c):
    return tl.fma(a.to(tl.float32), b.to(tl.float32), c.to(tl.float32)).to(tl.bfloat16)


def test_pairs_of_bf16():
    @tilewright.jit
    def kernel(x, y, z, out, SIZE: tl.constexpr):
        i = tl.arange(0, SIZE)
        values = [tl.load(x + i), tl.load(y + i), tl.load(z + i)]
        r = tl.inline_asm_elementwise(
            "fma.rn.bf16x2 $0, $1, $2, $3;", "=r,r,r,r", values, tl.bfloat16, True, 2,
            cpu=multiply_add_bf16,
        )  # fmt: skip
        tl.store(out + i, r)

    x, y, z = (fresh_floats().bfloat16() for _ in "xyz")
    out = torch.full((N,), torch.nan, dtype=torch.bfloat16)
    kernel[(1,)](x, y, z, out, N)
    exact = x.double() * y.double() + z.double()
    assert torch.allclose(out.double(), exact, rtol=2.0**-8, atol=0)


@tilewright.jit
def bytes_to_floats(x):
    return x.to(tl.float32), x.to(tl.float32) * 2


def test_bytes_to_floats_with_two_results():
    @tilewright.jit
    def kernel(x, out, SIZE: tl.constexpr):
        i = tl.arange(0, SIZE)
        one, two = tl.inline_asm_elementwise(
            """{
                .reg .b32 t<4>;
                .reg .f32 f;
                prmt.b32 t0, $8, 0, 0x4440;
                prmt.b32 t1, $8, 0, 0x4441;
                prmt.b32 t2, $8, 0, 0x4442;
                prmt.b32 t3, $8, 0, 0x4443;
                cvt.rn.f32.u32 $0, t0;
                cvt.rn.f32.u32 $1, t1;
                cvt.rn.f32.u32 $2, t2;
                cvt.rn.f32.u32 $3, t3;
                add.f32 $4, $0, $0;
                add.f32 $5, $1, $1;
                add.f32 $6, $2, $2;
                add.f32 $7, $3, $3;
            }""",
            "=&f,=&f,=&f,=&f,=f,=f,=f,=f,r", [tl.load(x + i)], (tl.float32, tl.float32),
            is_pure=True, pack=4, cpu=bytes_to_floats,
        )  # fmt: skip
        tl.store(out + i, one)
        tl.store(out + SIZE + i, two)

    x = generator().integers(0, 256, N).astype(np.uint8)
    out = np.full((2, N), np.nan, np.float32)
    kernel[(1,)](x, out, N)
    assert np.array_equal(out, np.stack([x, x * 2.0]))


@tilewright.jit
def arc_tangent(x):
    return x * 0.5 + 1.0


def test_floats_in_registers_of_both_kinds():
    """Programs pass floats as r, and as f."""

    @tilewright.jit
    def kernel(x, out, SIZE: tl.constexpr):
        i = tl.arange(0, SIZE)
        y = tl.inline_asm_elementwise(
            "{ .reg .f32 h; mov.f32 h, 0f3F000000; fma.rn.f32 $0, $1, h, 0f3F800000; }",
            "=f,r", [tl.load(x + i)], tl.float32, True, 1, cpu=arc_tangent,
        )  # fmt: skip
        tl.store(out + i, y)

    x, out = fresh_floats(), torch.full((N,), torch.nan)
    kernel[(1,)](x, out, N)
    assert torch.allclose(out, x * 0.5 + 1, rtol=1e-6, atol=0)
