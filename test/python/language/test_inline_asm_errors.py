"""Errors of tl.inline_asm_elementwise, each with the user's line."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright import compiler
from tilewright.compiler import Options, resolve_target
from tilewright.errors import (
    AssemblyError,
    CompileError,
    ConstantError,
    ShapeMismatchError,
    TypeMismatchError,
    UnsupportedError,
)


@tilewright.jit
def kernel(
    x, out, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, DTYPE: tl.constexpr, PACK: tl.constexpr,
    PURE: tl.constexpr,
):  # fmt: skip
    i = tl.arange(0, 64)
    y = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [tl.load(x + i), 7], DTYPE, PURE, PACK)
    tl.store(out + i, y)


def build(asm, constraints="=r,r,r", dtype=tl.int32, pack=1, pure=True, x="*i32",
          target="emulator:cuda:90a"):  # fmt: skip
    signature = [x, "*i32", asm, constraints, dtype, pack, pure]
    return compiler.compile(kernel, signature, resolve_target(target), Options())


GPUS = ["emulator:cuda:80", "cuda:90a"]


@pytest.mark.parametrize("target", GPUS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"constraints": "=r,r"}, r"has 1 registers for results and 2 for operands, but its "
                                  r"constraints are for 1 and 1, in '=r,r'"),
        ({"constraints": "=r,=r,r,r"}, "constraints are for 2 and 2"),
        ({"pack": 2}, "has 2 registers for results and 4 for operands"),
        ({"constraints": "=r,r,l"}, r"register \$2 of inline assembly, an operand, has 32 bits, "
                                    r"but its constraint 'l' is a register of 64"),
        ({"constraints": "=h,r,r"}, r"register \$0 of inline assembly, a result, has 32 bits"),
        ({"constraints": "=r,d,r"}, "its constraint 'd' is a float of 64"),
        ({"constraints": "=r,b,r"}, "its constraint 'b' is a register of 1"),
        ({"x": "*fp64"}, r"register \$1 of inline assembly, an operand, has 64 bits"),
        ({"x": "*fp16", "constraints": "=r,f,r"}, "its constraint 'f' is a float"),
        ({"constraints": "=r,q,r"}, "unknown constraint 'q'"),
        ({"constraints": "=r,rr,r"}, "unknown constraint 'rr'"),
        ({"constraints": "=r,+r,r"}, r"unknown constraint '\+r'"),
        ({"constraints": "=r,1,r"}, "unknown constraint '1'"),
        ({"constraints": ""}, "unknown constraint ''"),
        ({"constraints": "r,=r,r"}, "results of inline assembly must precede the others"),
        ({"asm": "mov.b32 $0, $3;"}, r"uses register \$3, but has 3, which are counted from \$0"),
        ({"asm": "mov.b32 $0, ${7};"}, r"uses register \$7"),
        ({"asm": "mov.b32 $0, $x;"}, r"has a '\$' that no register's number follows"),
        ({"asm": "mov.b32 $0, ${1:x};"}, r"has a '\$' that no register's number follows"),
        ({"asm": "mov.b32 $0, $"}, r"write '\$\$' for the character"),
    ],
)  # fmt: skip
def test_constraints_and_registers(target, options, message) -> None:
    with pytest.raises(AssemblyError, match=message) as error:
        build(**{"asm": "mov.b32 $0, $1;", "target": target} | options)
    check_position(error.value)


def check_position(error) -> None:
    """The error names the call, and shows neither IR nor a reproducer."""
    place, text, caret = str(error).splitlines()
    assert place.startswith(f"{__file__}:{error.line}:{error.column}: ")
    assert text.strip().startswith("y = tl.inline_asm_elementwise(ASM, CONSTRAINTS")
    assert caret.index("^") == text.index("tl.inline")


@pytest.mark.parametrize(
    ("asm", "message"),
    [
        ("vadd4.s32.s32.s32 $0, $1, $2, 0;", "does not support the instruction 'vadd4"),
        ("add.rz.f32 $0, $1, $2;", "does not support the instruction 'add.rz.f32'"),
        ("prmt.b32.f4e $0, $1, $2, 0;", "does not support the instruction 'prmt.b32.f4e'"),
        ("mov.b32 $0, %nosuch;", "'%nosuch' of inline assembly is not declared"),
        ("add.s32 $0, $1, t;", "'t' of inline assembly is not declared"),
        ("{ .reg .b32 t; mov.b32 u, $1; }", "writes to 'u', which is not a declared register"),
        ("add.s32 5, $1, $2;", "writes to '', which is not a declared register"),
        ("add.s32 $0, $1;", "does not support the instruction 'add.s32'"),
        ("mov.b32 {}, $1;", "cannot parse the assembly"),
        ("mov.b32 {$0, $0, $0}, $1;", "does not support the instruction 'mov.b32'"),
        ("ld.global.b32 $0;", "has no address"),
        ("@p mov.b32 $0, $1;", "'p' of inline assembly is not declared"),
        ("ld.global.b32 $0, [];", "cannot parse the assembly"),
        ("bra L1;", "does not support the instruction 'bra'"),
    ],
)
def test_what_the_emulator_does_not_execute(asm, message) -> None:
    with pytest.raises(AssemblyError, match=message) as error:
        build(asm)
    check_position(error.value)


def test_the_assembler_rejects_other_texts() -> None:
    with pytest.raises(CompileError, match=r"no\.such"):
        build("no.such.instruction $0, $1;", target="cuda:90a")


def test_the_cpu_without_a_function() -> None:
    with pytest.raises(UnsupportedError, match="cannot be executed on the CPU") as error:
        build("mov.b32 $0, $1;", target="cpu")
    assert "tl.inline_asm_elementwise(ASM, CONSTRAINTS" in str(error.value)
    assert "pass cpu=" in str(error.value)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"pack": 3}, ConstantError, "pack must be a power of two, found 3"),
        ({"pack": 0}, ConstantError, "pack must be a power of two, found 0"),
        ({"pack": "2"}, ConstantError, "pack must be an integer"),
        ({"asm": 5}, ConstantError, "asm must be a constant string, found"),
        ({"constraints": None}, ConstantError, "constraints must be a constant string"),
        ({"pure": "yes"}, ConstantError, "is_pure must be"),
        ({"dtype": 5}, TypeMismatchError, "expected a dtype"),
        ({"dtype": ()}, TypeMismatchError, "must have a result, found an empty dtype"),
        ({"dtype": tl.pointer_type(tl.int32)}, TypeMismatchError, "is a number, found dtype"),
        ({"dtype": tl.int1, "pack": 2}, TypeMismatchError, "does not pack elements of int1"),
    ],
)
def test_arguments(options, kind, message) -> None:
    with pytest.raises(kind, match=message) as error:
        build(**{"asm": "mov.b32 $0, $1;"} | options)
    assert "test_inline_asm_errors.py:" in str(error.value)


@tilewright.jit
def returns_a_float(a):
    return a.to(tl.float32)


@tilewright.jit
def returns_two(a):
    return a, a


@tilewright.jit
def returns_another_shape(a):
    return tl.arange(0, 8)


@tilewright.jit
def fall_back(out, CPU: tl.constexpr):
    i = tl.arange(0, 64)
    y = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [i], tl.int32, True, 1, cpu=CPU)
    tl.store(out + i, y)


@pytest.mark.cpu_only("GPUs execute the assembly", compiles=False)
@pytest.mark.parametrize(
    ("function", "message"),
    [
        (returns_a_float, r"returns .*fp32.* where int32 of shape \[64\] is expected"),
        (returns_two, "returns 2 values where dtype has 1"),
        (returns_another_shape, r"returns .* where int32 of shape \[64\] is expected"),
        (5, "cpu must be a @jit function, found"),
    ],
)
def test_functions_for_the_cpu(function, message) -> None:
    with pytest.raises(TypeMismatchError, match=message):
        fall_back[(1,)](np.zeros(64, np.int32), function)


def test_shapes_that_do_not_broadcast() -> None:
    @tilewright.jit
    def unequal(out):
        a, b = tl.arange(0, 8), tl.arange(0, 16)
        tl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r,r,r", [a, b], tl.int32, True, 1)

    with pytest.raises(ShapeMismatchError, match="do not broadcast"):
        unequal[(1,)](np.zeros(1, np.int32))


def test_a_value_instead_of_a_list() -> None:
    @tilewright.jit
    def single(out):
        tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", tl.arange(0, 8), tl.int32, True, 1)

    with pytest.raises(TypeMismatchError, match=r"args must be a list of values"):
        single[(1,)](np.zeros(1, np.int32))


@pytest.mark.cpu_only("GPUs have the registers", compiles=False)
@pytest.mark.parametrize("name", ["globaltimer", "smid"])
def test_registers_that_the_cpu_does_not_have(name) -> None:
    function = getattr(tl.extra.cuda, name)

    @tilewright.jit
    def read(out):
        tl.store(out, function().to(tl.int64))

    with pytest.raises(UnsupportedError, match=f"{name} reads a register of NVIDIA GPUs"):
        read[(1,)](np.zeros(1, np.int64))


NEEDS_GPU = pytest.mark.needs_gpu("the assembly is PTX")


@NEEDS_GPU
def test_pure_assembly_on_a_size_that_is_not_a_power_of_two() -> None:
    @tilewright.jit
    def pure(out):
        i = tl.arange(0, 48)
        y = tl.inline_asm_elementwise("shl.b32 $0, $1, 2;", "=r,r", [i], tl.int32, True, 1)
        tl.store(out + i, y)

    out = np.zeros(48, np.int32)
    pure[(1,)](out)
    assert np.array_equal(out, np.arange(48) * 4)
