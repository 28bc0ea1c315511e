"""compile(ASTSource(...)), and the back end's options, by Triton's names."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler.ast_source import (
    ASTSource,
    BaseBackend,
    GPUTarget,
    compile,
    make_backend,
    triton_key,
)
from tilewright.errors import ArgumentError, CompileError, DeviceError, TypeMismatchError

HOST = GPUTarget("cpu", 0, 1)
TYPES = {"x": "*fp32", "out": "*fp32", "n": "i32", "mode": "constexpr", "BLOCK": "constexpr"}
CONSTANTS = {"mode": "double", "BLOCK": 16}


@tilewright.jit
def kernel(x, out, n, mode: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    if mode == "double":
        value = value * 2
    tl.store(out + i, value, mask=i < n)


@pytest.fixture
def arrays():
    return np.arange(16, dtype=np.float32), np.zeros(16, np.float32)


def test_the_kernel_runs(arrays) -> None:
    x, out = arrays
    source = ASTSource(kernel, TYPES, CONSTANTS)
    made = compile(source, HOST, {"num_warps": 4, "num_stages": 2, "debug": True})
    assert made.src is source
    made[1](x, out, 10)
    assert out.tolist() == [*range(0, 20, 2), *[0] * 6]
    made[1](x[1:], x[:-1], 15)  # nothing was said of alignment and overlapping
    assert x.tolist() == [*range(2, 32, 2), 15]


def test_constants_by_path_name_and_index() -> None:
    keys = [{"mode": None, "BLOCK": 16}, {(3,): None, (4,): 16}, {3: None, "BLOCK": 16}]
    sources = [ASTSource(kernel, TYPES, constants) for constants in keys]
    assert [source.constants for source in sources] == [{(3,): None, (4,): 16}] * 3
    assert len({source.hash() for source in sources}) == 1
    assert sources[0].hash() != ASTSource(kernel, TYPES, CONSTANTS).hash()


def test_attributes_align(arrays) -> None:
    aligned = {(0,): [["tt.divisibility", 16]], (2,): [["tt.divisibility", 16], ["tt.other", 1]]}
    source = ASTSource(kernel, TYPES, CONSTANTS, aligned)
    assert source.entries == ("*fp32:D", "*fp32", "i32:D", "double", 16)
    made = compile(source, HOST)
    x, out = arrays
    made[1](x, out[1:], 0)
    with pytest.raises(ArgumentError, match="'n' is i32, but the kernel was compiled for i32:D"):
        made[1](x, out, 9)


def test_floats_have_no_alignment() -> None:
    types = TYPES | {"n": "fp32"}
    source = ASTSource(kernel, types, CONSTANTS, {(2,): [["tt.divisibility", 16]]})
    assert source.entries[2] == "fp32"


def test_weaker_alignment_is_not_used() -> None:
    source = ASTSource(kernel, TYPES, CONSTANTS, {(0,): [["tt.divisibility", 8]]})
    assert source.entries[0] == "*fp32"


def test_constants_for_other_parameters(arrays) -> None:
    x, out = arrays
    types = {**TYPES, "n": "constexpr"}
    made = compile(ASTSource(kernel, types, {**CONSTANTS, "n": 3}), HOST)
    made[1](x, out, 3)
    assert out.tolist() == [0, 2, 4] + [0] * 13
    with pytest.raises(ArgumentError, match="'n' is 4, but the kernel was compiled for 3"):
        made[1](x, out, 4)


@pytest.mark.parametrize(
    ("types", "constants", "error", "match"),
    [
        ({**TYPES, "z": "i32"}, CONSTANTS, ArgumentError, "no parameter 'z'"),
        ({"x": "*fp32"}, CONSTANTS, ArgumentError, "'out' needs a type in the signature"),
        (TYPES, {"BLOCK": 16}, ArgumentError, "'mode' needs a value in constexprs"),
        ({**TYPES, "n": "constexpr"}, CONSTANTS, ArgumentError, "'n' needs a value"),
        ({**TYPES, "n": "int"}, CONSTANTS, TypeMismatchError, "parameter 'n': unknown dtype 'int'"),
        ({**TYPES, "x": "fp32*"}, CONSTANTS, TypeMismatchError, "does not describe"),
        (TYPES, {**CONSTANTS, "size": 1}, ArgumentError, "no parameter 'size'"),
        (TYPES, {**CONSTANTS, (9,): 1}, ArgumentError, r"no parameter \(9,\)"),
    ],
)
def test_sources_that_make_no_sense(types, constants, error, match) -> None:
    with pytest.raises(error, match=match):
        ASTSource(kernel, types, constants)


@pytest.mark.parametrize(
    "type", ["*fp16", "*bf16", "*fp64", "*i64", "*i8", "*u8", "*i1", "*kfp32", "*fp8e5"]
)
def test_types_of_pointers(type) -> None:
    types = {**TYPES, "x": type, "out": type.replace("k", "")}
    made = compile(ASTSource(kernel, types, {"mode": None, "BLOCK": 16}), HOST)
    assert made.src.signature["x"] == type


def test_constant_pointers(arrays) -> None:
    x, out = arrays
    made = compile(ASTSource(kernel, {**TYPES, "x": "*kfp32"}, CONSTANTS), HOST)
    made[1](x, out, 16)
    assert out.tolist() == (x * 2).tolist()


@pytest.mark.parametrize("type", ["i1", "i8", "u32", "i64", "fp16", "fp32", "fp64"])
def test_types_of_numbers(arrays, type) -> None:
    @tilewright.jit
    def store(out, value):
        tl.store(out, value.to(tl.float32))

    made = compile(ASTSource(store, {"out": "*fp32", "value": type}), HOST)
    _, out = arrays
    made[1](out, 1)
    assert out[0] == 1


def test_tuples() -> None:
    @tilewright.jit
    def first(pair, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(pair[1] + i, tl.load(pair[0] + i) * pair[2])

    types = {"pair": ("*fp32", "*fp32", "constexpr"), "BLOCK": "constexpr"}
    source = ASTSource(first, types, {(0, 2): 3, "BLOCK": 16}, {(0, 0): [["tt.divisibility", 16]]})
    assert source.entries == (("*fp32:D", "*fp32", 3), 16)
    assert "func.func @first" in compile(source, HOST).asm["ttir"]


def test_launches_with_tuples(arrays) -> None:
    @tilewright.jit
    def add(pair, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(pair[0] + i, i + pair[1])

    _, out = arrays
    signature = {"pair": ("*fp32", "i64"), "BLOCK": "constexpr"}
    made = compile(ASTSource(add, signature, {"BLOCK": 8}), HOST)
    for number in (1, 16, 5, -3):
        made[1]((out, number))
        assert out[:8].tolist() == list(range(number, number + 8))
    for wrong in [(out, 1.5), (out, None), (1, out), (out,), [out, 1]]:
        with pytest.raises(ArgumentError):
            made[1](wrong)
    aligned = {(0, 0): [["tt.divisibility", 16]], (0, 1): [["tt.divisibility", 16]]}
    made = compile(ASTSource(add, signature, {"BLOCK": 8}, aligned), HOST)
    made[1]((out, 32))
    assert out[0] == 32
    for wrong in [(out[1:], 32), (out, 33), (out, 1)]:
        with pytest.raises(ArgumentError, match="but the kernel was compiled for"):
            made[1](wrong)


def test_for_gpus() -> None:
    source = ASTSource(kernel, TYPES, CONSTANTS)
    options = {"num_warps": 2, "sanitize_overflow": False, "launch_pdl": True, "debug": False}
    made = compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    assert (made.target, made.num_warps) == ("cuda:90a", 2)
    assert ".target sm_90a" in made.asm["ptx"]


def test_on_an_emulated_gpu(arrays) -> None:
    x, out = arrays
    with tilewright.emulate("cuda:80"):
        made = compile(ASTSource(kernel, TYPES, CONSTANTS))
        same = compile(ASTSource(kernel, TYPES, CONSTANTS), GPUTarget("cuda", 80, 32))
    assert made is same
    made[1](x, out, 16)
    assert out.tolist() == (x * 2).tolist()


def test_what_compile_refuses() -> None:
    source = ASTSource(kernel, TYPES, CONSTANTS)
    with pytest.raises(ArgumentError, match="takes an ASTSource"):
        compile(kernel, HOST)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="did you mean 'num_warps'"):
        compile(source, HOST, {"num_warp": 4})
    with pytest.raises(DeviceError, match="unknown target 'xpu'"):
        compile(source, GPUTarget("xpu", "pvc", 32))
    with pytest.raises(CompileError):
        compile(ASTSource(kernel, {**TYPES, "n": "*fp32"}, CONSTANTS), HOST)


def test_the_function_decides_about_assertions() -> None:
    @tilewright.jit(debug=True)
    def check(n):
        tl.device_assert(n > 0, "positive")

    source = ASTSource(check, {"n": "i32"})
    assert compile(source, HOST).asserts
    assert not compile(source, HOST, {"debug": False}).asserts


def test_options_of_a_back_end() -> None:
    backend = make_backend(GPUTarget("cuda", 90, 32))
    options = backend.parse_options({"num_warps": 8, "launch_pdl": True})
    assert (options.num_warps, options.num_stages, options.num_ctas) == (8, 3, 1)
    assert "fp8e5" in options.supported_fp8_dtypes
    assert (options.extern_libs, options.warp_size, options.arch) == ((), 32, 90)
    assert options.hash() != backend.parse_options({}).hash()
    assert backend.parse_options(vars(options)).hash() == options.hash()
    made = compile(ASTSource(kernel, TYPES, CONSTANTS), backend.target, options)
    assert made.num_warps == 8
    assert not hasattr(options, "misspelled")
    with pytest.raises(ArgumentError, match="num_warps must be"):
        backend.parse_options({"num_warps": 3})


def test_back_ends() -> None:
    assert make_backend(HOST).binary_ext == "obj"
    assert make_backend(GPUTarget("cuda", 90, 32)).binary_ext == "cubin"
    assert make_backend(HOST).hash() != make_backend(GPUTarget("cuda", 90, 32)).hash()
    assert BaseBackend.supports_target(HOST)
    assert not BaseBackend.supports_target(GPUTarget("xpu", 0, 32))
    with pytest.raises(DeviceError):
        make_backend(GPUTarget("xpu", 0, 32))


def test_the_key_of_the_compiler() -> None:
    assert triton_key().startswith(f"tilewright {tilewright.__version__} ")
    assert triton_key() == triton_key()
