"""Functions of the program's libraries of bitcode: `extern_elementwise` and `extern_libs`."""

import inspect
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from inputs import FLOATS, INTS, fresh, poisoned

import tilewright
import tilewright.language as tl
from tilewright.compat.extern import extern_elementwise
from tilewright.dependencies import Dependencies, files
from tilewright.errors import (
    ArgumentError,
    CompileError,
    PassError,
    TypeMismatchError,
    UnsupportedError,
)

ASSEMBLER = shutil.which("llvm-as-22") or shutil.which("llvm-as", path="/usr/lib/llvm-22/bin")
pytestmark = pytest.mark.skipif(ASSEMBLER is None, reason="LLVM's llvm-as is not installed")

LLVM = {"fp16": "half", "bf16": "bfloat", "fp32": "float", "fp64": "double"}
DTYPES = {name: tl.dtype.from_name(name) for name in (*LLVM, *INTS)}

SOURCE = """
@table = internal constant [4 x i32] [i32 3, i32 1, i32 4, i32 1]

define internal i32 @helper(i32 %x) noinline optnone {
  %y = mul i32 %x, 3
  ret i32 %y
}
define i32 @thrice(i32 %x) #0 {
  %y = call i32 @helper(i32 %x)
  ret i32 %y
}
define i32 @looked_up(i32 %i) {
  %k = and i32 %i, 3
  %k64 = zext i32 %k to i64
  %p = getelementptr [4 x i32], ptr @table, i64 0, i64 %k64
  %v = load i32, ptr %p
  ret i32 %v
}
define i32 @steps(i32 %n) {
entry:
  br label %loop
loop:
  %x = phi i32 [ %n, %entry ], [ %next, %more ]
  %count = phi i32 [ 0, %entry ], [ %counted, %more ]
  %done = icmp ule i32 %x, 1
  br i1 %done, label %end, label %more
more:
  %half = lshr i32 %x, 1
  %triple = mul i32 %x, 3
  %up = add i32 %triple, 1
  %bit = and i32 %x, 1
  %odd = icmp ne i32 %bit, 0
  %next = select i1 %odd, i32 %up, i32 %half
  %counted = add i32 %count, 1
  br label %loop
end:
  ret i32 %count
}
define i1 @differ(i1 %a, i1 %b) {
  %c = xor i1 %a, %b
  ret i1 %c
}
define double @mixed(i8 %a, i64 %b, half %c, i1 %d) {
  %af = sitofp i8 %a to double
  %bf = sitofp i64 %b to double
  %cf = fpext half %c to double
  %df = uitofp i1 %d to double
  %x = fadd double %af, %bf
  %y = fadd double %x, %cf
  %z = fadd double %y, %df
  ret double %z
}
define i32 @add_to(ptr %p, i32 %x) {
  %old = atomicrmw add ptr %p, i32 %x monotonic
  ret i32 %old
}
define ptr @second(ptr %p) {
  %q = getelementptr i32, ptr %p, i64 1
  ret ptr %q
}
define i32 @seven() {
  ret i32 7
}
declare i32 @elsewhere(i32)
define i32 @with_another(i32 %x) {
  %y = call i32 @elsewhere(i32 %x)
  ret i32 %y
}
define i32 @fibonacci(i32 %n) {
  %done = icmp sle i32 %n, 1
  br i1 %done, label %end, label %more
more:
  %n1 = sub i32 %n, 1
  %n2 = sub i32 %n, 2
  %x = call i32 @fibonacci(i32 %n1)
  %y = call i32 @fibonacci(i32 %n2)
  %sum = add i32 %x, %y
  ret i32 %sum
end:
  ret i32 %n
}
define {i32, i32} @pair(i32 %x) {
  ret {i32, i32} zeroinitializer
}
attributes #0 = { noinline "target-cpu"="sm_52" "target-features"="+ptx50" }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"wchar_size", i32 4}
"""
SUMS = "".join(
    f"define {t} @add_{t}({t} %a, {t} %b) {{\n  %c = {op} {t} %a, %b\n  ret {t} %c\n}}\n"
    for op, types in (("fadd", LLVM.values()), ("add", ("i8", "i16", "i32", "i64")))
    for t in types
)


def assemble(path, text):
    subprocess.run([ASSEMBLER, "-o", path, "-"], input=text.encode(), check=True)
    return str(path)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return assemble(tmp_path_factory.mktemp("library") / "mine.bc", SOURCE + SUMS)


def function(symbol, result, *types, name="mine", path="", pure=True):
    @tl.builtin
    def call(*args, _semantic=None):
        table = {types: (symbol, result)}
        return extern_elementwise(name, path, list(args), table, pure, _semantic=_semantic)

    return call


THRICE = function("thrice", tl.int32, tl.int32)


@tilewright.jit
def unary(x, out, FN: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, FN(tl.load(x + i)))


@tilewright.jit
def binary(x, y, out, FN: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, FN(tl.load(x + i), tl.load(y + i)))


@pytest.mark.parametrize("dtype", [*FLOATS, *INTS])
def test_each_dtype(dtype, library):
    x, y, out = fresh(dtype, (64,), -60, 60), fresh(dtype, (64,), -60, 60), poisoned(dtype, (64,))
    type = LLVM.get(dtype) or f"i{INTS[dtype].itemsize * 8}"
    add = function(f"add_{type}", DTYPES[dtype], DTYPES[dtype], DTYPES[dtype])
    binary[(1,)](x, y, out, add, N=64, extern_libs={"mine": library})
    if dtype in FLOATS:
        assert torch.equal(out, x + y)
    else:
        assert np.array_equal(out, x + y)


@pytest.mark.parametrize(
    ("symbol", "reference"),
    [
        ("thrice", lambda x: 3 * x),
        ("looked_up", lambda x: np.array([3, 1, 4, 1])[x & 3]),
        ("steps", np.vectorize(lambda x: steps(int(x)))),
    ],
)
@pytest.mark.parametrize("warps", [1, 4, 16])
def test_helpers_tables_and_loops(symbol, reference, warps, library):
    x, out = fresh("int32", (128,), 1, 1000), poisoned("int32", (128,))
    fn = function(symbol, tl.int32, tl.int32)
    unary[(1,)](x, out, fn, N=128, num_warps=warps, extern_libs=(("mine", library),))
    assert np.array_equal(out, reference(x))


def steps(x):
    count = 0
    while x > 1:
        x, count = (3 * x + 1 if x & 1 else x >> 1), count + 1
    return count


@pytest.mark.parametrize("size", [1, 2, 20, 96])
def test_sizes(size, library):
    """The padding of a tile is not passed on: `steps` would not return from all numbers."""
    x, out = fresh("int32", (size,), 1, 1000), poisoned("int32", (size,))
    unary[(1,)](
        x, out, function("steps", tl.int32, tl.int32), N=size, extern_libs={"mine": library}
    )
    assert out.tolist() == [steps(int(number)) for number in x]


MIXED = function("mixed", tl.float64, tl.int8, tl.int64, tl.float16, tl.int1)
DIFFER = function("differ", tl.int1, tl.int1, tl.int1)
SEVEN = function("seven", tl.int32)


@tilewright.jit
def broadcast(x, y, h, out, flags, n, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    a, b, c = tl.load(x + i), tl.load(y + j), tl.load(h)
    tl.store(out + i * N + j, MIXED(a, b, c, n > 2))
    tl.store(flags + i * N + j, DIFFER(a > 0, b > 0))
    tl.store(flags + M * N, DIFFER(n > 0, n > 10))
    tl.store(flags + M * N + 1, SEVEN() == 7)


def test_broadcasting_scalars_and_booleans(library):
    x, y, h = fresh("int8", (8,)), fresh("int64", (16,), -99, 99), fresh("fp16", (1,))
    out, flags = poisoned("fp64", (8, 16)), np.zeros(130, bool)
    broadcast[(1,)](x, y, h, out, flags, 5, M=8, N=16, extern_libs={"mine": library})
    expected = x[:, None].astype(np.float64) + y[None, :] + float(h[0]) + 1
    assert np.array_equal(out.numpy(), expected)
    assert np.array_equal(flags[:128].reshape(8, 16), (x > 0)[:, None] ^ (y > 0)[None, :])
    assert flags[128] and flags[129]


@tilewright.jit
def tripled(value):
    return THRICE(value)


@tilewright.jit
def controlled(x, out, count, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    for step in range(count):
        if step % 2 == 0:
            value = tripled(value)
        else:
            value = tl.where(value > 100, value, THRICE(value) + THRICE(step))
    total = THRICE(tl.sum(value))
    tl.store(out + i, THRICE(value) + total)


def test_control_flow_and_helpers(library):
    x, out = fresh("int32", (64,), -50, 50), poisoned("int32", (64,))
    controlled[(1,)](x, out, 4, N=64, extern_libs={"mine": library})
    value = x
    for step in range(4):
        value = 3 * value if step % 2 == 0 else np.where(value > 100, value, 3 * value + 3 * step)
    assert np.array_equal(out, 3 * value + 3 * value.sum())


ADD_TO = function("add_to", tl.int32, tl.pointer_type(tl.int32), tl.int32, pure=False)
SECOND = function("second", tl.pointer_type(tl.int32), tl.pointer_type(tl.int32))


@tilewright.jit
def updates(counts, out, N: tl.constexpr):
    i = tl.arange(0, N)
    ADD_TO(counts + i, i)
    tl.store(out + i, tl.load(SECOND(counts + i), mask=i < N - 1, other=-1))
    if tl.program_id(0) == 0:
        ADD_TO(counts + N, 5)


@pytest.mark.parametrize("size", [32, 64, 48])
def test_functions_with_effects(size, library, launch_target):
    counts, out = np.zeros(size + 1, np.int32), poisoned("int32", (size,))
    updates[(1,)](counts, out, N=size, num_warps=1, extern_libs={"mine": library})
    expected = np.arange(size)
    if launch_target == "cpu":
        assert np.array_equal(counts[:-1], expected)
        assert counts[-1] == 5
    # Each thread that holds an element calls the function.
    assert np.array_equal(counts[:-1] % np.maximum(expected, 1), 0 * expected)
    assert (counts[1:-1] > 0).all() and counts[-1] % 5 == 0 and counts[-1] > 0
    assert np.array_equal(out, [*counts[1:-1], -1])


def test_a_recursive_function(library, launch_target):
    x, out = fresh("int32", (16,), 0, 9), poisoned("int32", (16,))
    fn = function("fibonacci", tl.int32, tl.int32)
    if launch_target.startswith("emulator"):
        with pytest.raises(PassError, match="does not support recursive functions"):
            unary[(1,)](x, out, fn, N=16, extern_libs={"mine": library})
        return
    unary[(1,)](x, out, fn, N=16, extern_libs={"mine": library})
    assert out.tolist() == [(0, 1, 1, 2, 3, 5, 8, 13, 21, 34)[number] for number in x]


@pytest.mark.cpu_only("the function calls the C library", compiles=False)
def test_the_c_library(tmp_path):
    text = "declare float @fmodf(float, float)\ndefine float @rest(float %x) {\n"
    text += "  %y = call float @fmodf(float %x, float 3.0)\n  ret float %y\n}\n"
    path = assemble(tmp_path / "c.bc", text)
    x, out = fresh("fp32", (16,), 0, 99), poisoned("fp32", (16,))
    fn = function("rest", tl.float32, tl.float32)
    unary[(1,)](x, out, fn, N=16, extern_libs={"mine": path})
    assert torch.equal(out, x.fmod(3))


def test_a_function_that_no_library_defines(library):
    x, fn = np.zeros(16, np.int32), function("with_another", tl.int32, tl.int32)
    with pytest.raises(PassError, match="'elsewhere'"):
        unary[(1,)](x, x.copy(), fn, N=16, extern_libs={"mine": library})


# Which library


def test_a_path_instead_of_a_name(library):
    x, out = fresh("int32", (16,), -9, 9), poisoned("int32", (16,))
    unary[(1,)](x, out, function("thrice", tl.int32, tl.int32, name="", path=library), N=16)
    assert np.array_equal(out, 3 * x)


def test_a_library_that_calls_another(library, tmp_path):
    other = assemble(
        tmp_path / "other.bc",
        "define i32 @helper(i32 %x) {\n  ret i32 99\n}\n"
        "define i32 @elsewhere(i32 %x) {\n  %y = add i32 %x, 40\n  ret i32 %y\n}\n",
    )
    x, out = fresh("int32", (16,), -9, 9), poisoned("int32", (16,))
    libraries = {"mine": library, "other": other}
    unary[(1,)](x, out, function("with_another", tl.int32, tl.int32), N=16, extern_libs=libraries)
    assert np.array_equal(out, x + 40)


@tilewright.jit
def of_both(x, out, FIRST: tl.constexpr, SECOND_ONE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, FIRST(tl.load(x + i)) + 1000 * SECOND_ONE(tl.load(x + i)))


def test_one_symbol_of_two_libraries(tmp_path):
    files = {
        f"number{n}": assemble(
            tmp_path / f"number{n}.bc",
            f"define i32 @number(i32 %x) {{\n  %y = call i32 @inner(i32 %x)\n  ret i32 %y\n}}\n"
            f"define i32 @inner(i32 %x) {{\n  %y = add i32 %x, {n}\n  ret i32 %y\n}}\n",
        )
        for n in (1, 2)
    }
    x, out = np.arange(16, dtype=np.int32), poisoned("int32", (16,))
    first, second = (function("number", tl.int32, tl.int32, name=name) for name in files)
    of_both[(1,)](x, out, first, second, N=16, extern_libs=files)
    assert np.array_equal(out, x + 1 + 1000 * (x + 2))


def test_a_changed_library_is_compiled_in(tmp_path):
    path, x, out = tmp_path / "changing.bc", np.zeros(16, np.int32), poisoned("int32", (16,))
    fn = function("number", tl.int32, tl.int32, name="changing")
    for number in (1, 2, 3):
        assemble(path, f"define i32 @number(i32 %x) {{\n  ret i32 {number}\n}}\n")
        os.utime(path, ns=(number, number))
        for _ in range(2):
            unary[(1,)](x, out, fn, N=16, extern_libs={"changing": path})
            assert (out == number).all()


def test_an_unchanged_library_is_not_read_again(library, monkeypatch, tmp_path):
    path, x, out = tmp_path / "same.bc", np.arange(16, dtype=np.int32), poisoned("int32", (16,))
    shutil.copy(library, path)
    fn, libraries, found = function("thrice", tl.int32, tl.int32), {"mine": str(path)}, []
    unary[(1,)](x, out, fn, N=16, extern_libs=libraries)
    monkeypatch.setattr(Dependencies, "recheck", lambda self: found.append(self) or True)
    monkeypatch.setattr(files, "_digest", lambda path: found.append(path) or "other")
    unary[(1,)](x, out, fn, N=16, extern_libs=libraries)
    assert found == []
    os.utime(path, ns=(5, 5))
    unary[(1,)](x, out, fn, N=16, extern_libs=libraries)
    assert found[0] == str(path) and len(found) == 2


OF_NVIDIA = """
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @__nvvm_reflect(ptr)
@flag = private constant [11 x i8] c"__CUDA_FTZ\\00"
define i32 @lane(i32 %x) noinline optnone {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %flushes = call i32 @__nvvm_reflect(ptr @flag)
  %y = add i32 %x, %lane
  %z = add i32 %y, %flushes
  ret i32 %z
}
"""

OF_AMD = """
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)
define i32 @lane(i32 %x) {
  %low = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %low)
  %y = add i32 %x, %lane
  ret i32 %y
}
"""


@pytest.mark.needs_gpu("the library is for GPUs")
def test_a_library_for_gpus(tmp_path, launch_target):
    path = assemble(tmp_path / "gpu.bc", OF_AMD if "hip" in launch_target else OF_NVIDIA)
    x, out = fresh("int32", (32,), -9, 9), poisoned("int32", (32,))
    fn = function("lane", tl.int32, tl.int32)
    unary[(1,)](x, out, fn, N=32, num_warps=1, extern_libs={"mine": path})
    assert np.array_equal(out, x + np.arange(32))


# Errors


def fails(fn, message, error=CompileError, **options):
    x, out = np.zeros(16, np.int32), np.zeros(16, np.int32)
    with pytest.raises(error, match=message) as raised:
        unary[(1,)](x, out, fn, N=16, **options)
    if error is not ArgumentError:
        lines, first = inspect.getsourcelines(unary.fn)
        line = next(n for n, text in enumerate(lines) if "FN(tl.load" in text)
        assert (raised.value.file, raised.value.line) == (__file__, first + line)


def test_a_missing_file(tmp_path):
    path = str(tmp_path / "none.bc")
    fails(THRICE, f"cannot read {path}: No such file", extern_libs={"mine": path})


def test_a_file_that_is_no_bitcode(tmp_path):
    path = tmp_path / "text.bc"
    path.write_text("define i32 @thrice(i32 %x) {\n")
    fails(THRICE, "text.bc is not a file of LLVM bitcode", extern_libs={"mine": path})
    path.write_bytes(b"")
    fails(THRICE, "text.bc is not a file of LLVM bitcode", extern_libs={"mine": path})


def test_a_truncated_file(library, tmp_path):
    path = tmp_path / "short.bc"
    with open(library, "rb") as file:
        path.write_bytes(file.read()[:-200])
    fails(THRICE, "short.bc", extern_libs={"mine": path})


CORRUPT = """
import random, sys
from tilewright import _core

with open(sys.argv[1], "rb") as file:
    valid = file.read()
path = sys.argv[1] + ".corrupt"
for seed in range(int(sys.argv[2])):
    choose, data = random.Random(seed), bytearray(valid)
    for _ in range(choose.choice([1, 1, 2, 8])):
        data[choose.randrange(8, len(data))] = choose.choice([0, 0xFF, choose.randrange(256)])
    with open(path, "wb") as file:
        file.write(data)
    try:
        _core.read_library(path)
        print("valid")
    except ValueError as error:
        assert str(error).startswith(f"{path} is not a file of LLVM bitcode: "), error
        print("corrupt")
"""


@pytest.mark.cpu_only("files are read in the same way for all targets", compiles=False)
def test_corrupt_files(library):
    done = subprocess.run(
        [sys.executable, "-c", CORRUPT, library, "60"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    assert len(words) == 60 and words.count("corrupt") > 30
    assert not done.stderr


def test_a_file_that_is_corrupt_at_first(library, tmp_path):
    path = tmp_path / "repaired.bc"
    with open(library, "rb") as file:
        data = file.read()
    path.write_bytes(data[:100] + bytes(100) + data[200:])
    fails(THRICE, "repaired.bc is not a file of LLVM bitcode", extern_libs={"mine": str(path)})
    path.write_bytes(data)
    x, out = fresh("int32", (16,), -9, 9), poisoned("int32", (16,))
    unary[(1,)](x, out, THRICE, N=16, extern_libs={"mine": str(path)})
    assert np.array_equal(out, 3 * x)


def test_a_missing_function(library):
    message = r"does not define `thrise`(.|\n)*did you mean `thrice`"
    fails(function("thrise", tl.int32, tl.int32), message, extern_libs={"mine": library})
    # Declared only, and hidden ones.
    fails(
        function("elsewhere", tl.int32, tl.int32),
        "does not define `elsewhere`",
        extern_libs={"mine": library},
    )


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (
            function("thrice", tl.float32, tl.int32),
            r"declared as float \(i32\), for the dtypes \(int32\) and the result fp32, "
            r"but the library .* defines it as i32 \(i32\)",
        ),
        (function("add_float", tl.float32, tl.int32), r"defines it as float \(float, float\)"),
        (function("seven", tl.int32, tl.int32), r"defines it as i32 \(\)"),
        (function("pair", tl.int32, tl.int32), r"defines it as \{ i32, i32 \} \(i32\)"),
        (function("thrice", tl.float8e5, tl.int32), "elements of type fp8e5"),
    ],
)
def test_other_types(fn, message, library):
    fails(fn, message, TypeMismatchError, extern_libs={"mine": library})


def test_no_library():
    message = r"`thrice` is not available(.|\n)*extern_libs"
    fails(THRICE, message, UnsupportedError)
    fails(THRICE, message, UnsupportedError, extern_libs={"other": "other.bc"})


def test_a_library_for_another_target(tmp_path, launch_target):
    triple = "nvptx64-nvidia-cuda" if launch_target == "cpu" else "x86_64-unknown-linux-gnu"
    text = f'target triple = "{triple}"\ndefine i32 @thrice(i32 %x) {{\n  ret i32 %x\n}}\n'
    path = assemble(tmp_path / "foreign.bc", text)
    fails(THRICE, f"foreign.bc is for {triple}", UnsupportedError, extern_libs={"mine": path})


@pytest.mark.parametrize(
    "value", [{"mine": 5}, {5: "mine.bc"}, ("mine.bc",), "mine.bc", (("a", "b", "c"),), 7]
)
def test_bad_options(value):
    message = "option extern_libs must be names and files of LLVM bitcode"
    fails(THRICE, message, ArgumentError, extern_libs=value)


@pytest.mark.parametrize("value", [None, (), {}])
def test_no_libraries(value, library):
    x, out = fresh("int32", (16,), -9, 9), poisoned("int32", (16,))
    fn = function("thrice", tl.int32, tl.int32, path=library)
    unary[(1,)](x, out, fn, N=16, extern_libs=value)
    assert np.array_equal(out, 3 * x)
