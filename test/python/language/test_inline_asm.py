"""tl.inline_asm_elementwise: registers, packs, several results, shapes, and control flow.

On the CPU the functions `cpu=` replace the assembly, so that each result is checked on all targets.
"""

import numpy as np
import pytest
from inputs import fresh, poisoned
from seeds import generator

import tilewright
import tilewright.language as tl

PACKS = [1, 2, 4]


@tilewright.jit
def identity(x):
    return x


@tilewright.jit
def apply_asm(
    x, out, N: tl.constexpr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, PACK: tl.constexpr,
    CPU: tl.constexpr,
):  # fmt: skip
    i = tl.arange(0, N)
    y = tl.inline_asm_elementwise(
        ASM, CONSTRAINTS, [tl.load(x + i)], out.dtype.element_ty, True, PACK, cpu=CPU
    )
    tl.store(out + i, y)


def moves(width: int, registers: int) -> str:
    lines = [f"mov.b{width} ${i}, ${registers + i};" for i in range(registers)]
    return "\n".join(lines)


WIDTHS = {
    "int8": 8, "uint8": 8, "int16": 16, "float16": 16, "bfloat16": 16, "int32": 32, "uint32": 32,
    "float32": 32, "int64": 64, "uint64": 64, "float64": 64, "float8e4nv": 8, "float8e5": 8,
}  # fmt: skip


def registers_of(bits: int, pack: int) -> tuple[int, str, int]:
    """The number of registers, their letter and their width."""
    per_register = min(max(32 // bits, 1), pack)
    width = 64 if bits == 64 else 32 if bits * per_register > 16 else 16
    return pack // per_register, {16: "h", 32: "r", 64: "l"}[width], width


@tilewright.jit
def copy_through_asm(
    x, out, N: tl.constexpr, TYPE: tl.constexpr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr,
    PACK: tl.constexpr,
):  # fmt: skip
    i = tl.arange(0, N)
    value = tl.load(x + i).to(TYPE, bitcast=True)
    y = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [value], TYPE, True, PACK, cpu=identity)
    tl.store(out + i, y.to(out.dtype.element_ty, bitcast=True))


@pytest.mark.parametrize("pack", [1, 2, 4, 8])
@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("size", [32, 1024])
def test_elements_of_all_dtypes_keep_their_order(dtype, pack, size):
    bits = WIDTHS[dtype]
    count, letter, width = registers_of(bits, pack)
    constraints = ",".join([f"={letter}"] * count + [letter] * count)
    x, out = fresh(f"uint{bits}", (size,)), poisoned(f"uint{bits}", (size,))
    copy_through_asm[(1,)](x, out, size, getattr(tl, dtype), moves(width, count), constraints, pack)
    assert np.array_equal(out, x)


@tilewright.jit
def add_one_to_low(x):
    return x + 1


@pytest.mark.parametrize("num_warps", [1, 2, 4, 8])
@pytest.mark.parametrize("shape", [(1,), (2,), (64,), (16, 8), (1, 128), (4, 2, 32)])
@pytest.mark.parametrize("pack", PACKS)
def test_shapes_and_warps(shape, pack, num_warps):
    """A thread with fewer elements than a pack fills the rest with copies."""

    @tilewright.jit
    def kernel(x, out, S: tl.constexpr, N: tl.constexpr, ASM: tl.constexpr, C: tl.constexpr,
               PACK: tl.constexpr):  # fmt: skip
        i = tl.arange(0, N)
        tile = tl.reshape(tl.load(x + i), S)
        y = tl.inline_asm_elementwise(ASM, C, [tile], tl.int32, True, PACK, cpu=add_one_to_low)
        tl.store(out + i, tl.reshape(y, [N]))

    size = int(np.prod(shape))
    text = "".join(f"add.s32 ${i}, ${pack + i}, 1;" for i in range(pack))
    constraints = ",".join(["=r"] * pack + ["r"] * pack)
    x, out = fresh("int32", (size,), -1000, 1000), poisoned("int32", (size,))
    kernel[(1,)](x, out, shape, size, text, constraints, pack, num_warps=num_warps)
    assert np.array_equal(out, x + 1)


@tilewright.jit
def sum_and_difference(a, b):
    return a + b, a - b


def test_several_results_and_broadcast_operands():
    @tilewright.jit
    def kernel(x, y, total, difference, M: tl.constexpr, N: tl.constexpr):
        rows = tl.load(x + tl.arange(0, M))[:, None]
        columns = tl.load(y + tl.arange(0, N))[None, :]
        t, d = tl.inline_asm_elementwise(
            "add.f32 $0, $2, $3;  // a comment; with a semicolon\n sub.f32 $1, $2, $3;",
            "=&f,=&f,f,f", [rows, columns], (tl.float32, tl.float32), is_pure=True, pack=1,
            cpu=sum_and_difference,
        )  # fmt: skip
        at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
        tl.store(total + at, t)
        tl.store(difference + at, d)

    x = generator().standard_normal(16).astype(np.float32)
    y = generator().standard_normal(32).astype(np.float32)
    total, difference = np.full((16, 32), np.nan, np.float32), np.full((16, 32), np.nan, np.float32)
    kernel[(1,)](x, y, total, difference, 16, 32)
    assert np.array_equal(total, x[:, None] + y[None, :])
    assert np.array_equal(difference, x[:, None] - y[None, :])


@tilewright.jit
def mixed(a, b):
    return (a + b).to(tl.int16), a.to(tl.float64) * 2


@pytest.mark.parametrize("pack", [1, 2])
def test_results_of_other_widths(pack):
    """int8 and int32 operands, int16 and float64 results."""

    @tilewright.jit
    def kernel(x, y, low, high, N: tl.constexpr, ASM: tl.constexpr, C: tl.constexpr,
               PACK: tl.constexpr):  # fmt: skip
        i = tl.arange(0, N)
        a, b = tl.load(x + i), tl.load(y + i)
        s, t = tl.inline_asm_elementwise(
            ASM, C, [a, b], [tl.int16, tl.float64], is_pure=True, pack=PACK, cpu=mixed
        )
        tl.store(low + i, s)
        tl.store(high + i, t)

    one = """{
        .reg .s32 a, s;
        cvt.s32.s8 a, $2;
        add.s32 s, a, $3;
        cvt.u16.u32 $0, s;
        add.s32 s, a, a;
        cvt.rn.f64.s32 $1, s;
    }"""
    two = """{
        .reg .s32 a<2>, s<2>;
        bfe.s32 a0, $3, 0, 8;
        bfe.s32 a1, $3, 8, 8;
        add.s32 s0, a0, $4;
        add.s32 s1, a1, $5;
        prmt.b32 $0, s0, s1, 0x5410;
        shl.b32 s0, a0, 1;
        shl.b32 s1, a1, 1;
        cvt.rn.f64.s32 $1, s0;
        cvt.rn.f64.s32 $2, s1;
    }"""
    text, constraints = (one, "=h,=d,r,r") if pack == 1 else (two, "=r,=d,=d,r,r,r")
    x, y = fresh("int8", (256,)), fresh("int32", (256,), -30000, 30000)
    low, high = poisoned("int16", (256,)), np.full(256, np.nan)
    kernel[(1,)](x, y, low, high, 256, text, constraints, pack)
    assert np.array_equal(low, (x.astype(np.int32) + y).astype(np.int16))
    assert np.array_equal(high, x.astype(np.float64) * 2)


@tilewright.jit
def is_above(a, b):
    return a > b


@tilewright.jit
def choose(p, a, b):
    return tl.where(p, a, b)


def test_predicates_are_registers_of_one_bit():
    @tilewright.jit
    def kernel(x, out, N: tl.constexpr):
        i = tl.arange(0, N)
        a = tl.load(x + i)
        p = tl.inline_asm_elementwise(
            "setp.gt.s32 $0, $1, $2;", "=b,r,r", [a, 5], tl.int1, True, 1, cpu=is_above
        )
        q = tl.inline_asm_elementwise(
            "selp.b32 $0, $2, $3, $1;", "=r,b,r,r", [p, a, -1], tl.int32, True, 1, cpu=choose
        )
        tl.store(out + i, q)

    x, out = fresh("int32", (128,), -10, 20), poisoned("int32", (128,))
    kernel[(1,)](x, out, 128)
    assert np.array_equal(out, np.where(x > 5, x, -1))


@tilewright.jit
def triple(x):
    return x * 3


@tilewright.jit
def tripled(x):
    return tl.inline_asm_elementwise("mul.lo.s32 $0, $1, 3;", "=r,r", [x], tl.int32, True, 1,
                                     cpu=triple)  # fmt: skip


def test_in_loops_helpers_and_branches():
    @tilewright.jit
    def kernel(x, out, n, N: tl.constexpr):
        i = tl.arange(0, N)
        value = tl.load(x + i)
        for step in range(n):
            if step % 2 == 0:
                value = tripled(value) + 1
            else:
                other = tripled(step)
                value = value - other
        tl.store(out + i, value)

    x, out = fresh("int32", (64,), -5, 5), poisoned("int32", (64,))
    kernel[(1,)](x, out, 7, 64)
    expected = x.copy()
    for step in range(7):
        expected = expected * 3 + 1 if step % 2 == 0 else expected - 3 * step
    assert np.array_equal(out, expected)


def test_scalars():
    @tilewright.jit
    def kernel(out, n):
        value = tripled(n)
        tl.store(out, value + tripled(4))
        tl.store(out + 1, tl.sum(tripled(tl.arange(0, 16) + value), axis=0))

    out = poisoned("int32", (2,))
    kernel[(1,)](out, 10)
    assert out.tolist() == [42, sum(3 * (i + 30) for i in range(16))]


def test_layouts_of_dots_and_reductions():
    """The operands have the layout of a matrix instruction, of a reduction and of a transpose."""

    @tilewright.jit
    def kernel(x, out, total, M: tl.constexpr):
        at = tl.arange(0, M)[:, None] * M + tl.arange(0, M)[None, :]
        a = tl.load(x + at)
        c = tl.dot(a, tl.trans(a)).to(tl.int32)
        c = tripled(c)
        tl.store(total + tl.arange(0, M), tripled(tl.sum(c, axis=1)))
        tl.store(out + at, tl.trans(tripled(c)))

    x = generator().integers(-4, 5, (32, 32)).astype(np.float16)
    out, total = poisoned("int32", (32, 32)), poisoned("int32", (32,))
    kernel[(1,)](x, out, total, 32)
    c = (x.astype(np.float64) @ x.astype(np.float64).T).astype(np.int64)
    assert np.array_equal(out, 9 * c.T)
    assert np.array_equal(total, 9 * c.sum(axis=1))


def test_more_elements_than_a_vector_has():
    """A thread with 256 elements, which the compiler splits."""
    x, out = fresh("int8", (8192,)), poisoned("int8", (8192,))
    apply_asm[(1,)](x, out, 8192, "xor.b32 $0, $1, 0;", "=r,r", 4, identity, num_warps=1)
    assert np.array_equal(out, x)


@tilewright.jit
def plus(a, b):
    return a + b


@tilewright.jit
def plus_by_asm(a, b):
    return tl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r,r,r", [a, b], tl.int32, True, 1,
                                     cpu=plus)  # fmt: skip


def test_combiners_of_reductions_and_scans():
    @tilewright.jit
    def kernel(x, total, sums, N: tl.constexpr):
        i = tl.arange(0, N)
        value = tl.load(x + i)
        tl.store(total, tl.reduce(value, 0, plus_by_asm))
        tl.store(sums + i, tl.associative_scan(value, 0, plus_by_asm))

    x = fresh("int32", (512,), -1000, 1000)
    total, sums = poisoned("int32", (1,)), poisoned("int32", (512,))
    kernel[(1,)](x, total, sums, 512)
    assert total[0] == x.sum()
    assert np.array_equal(sums, np.cumsum(x))


def test_as_a_function_of_elements():
    @tilewright.jit
    def kernel(x, out, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + i, tl.map_elementwise(tripled, tl.load(x + i)))

    x, out = fresh("int32", (256,), -1000, 1000), poisoned("int32", (256,))
    kernel[(1,)](x, out, 256)
    assert np.array_equal(out, 3 * x)
