"""Kernels whose IR is written by hand, and which store the bytes of their tensor maps."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensor_map_words as words

from tilewright import _core
from tilewright.compiler import stages
from tilewright.compiler.targets import target_kinds

MAP_BYTES = 128
_MLIR_TYPES = {
    **{f"i{bits}": f"i{bits}" for bits in (1, 8, 16, 32, 64)},
    **{"fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64"},
    **{"fp8e4nv": "f8E4M3FN", "fp8e5": "f8E5M2", "fp8e4b8": "f8E4M3FNUZ", "fp8e5b16": "f8E5M2FNUZ"},
}


class Decoded(NamedTuple):
    """The fields of an encoded map; lib/Runtime/TensorMap.cpp has the format."""

    type: str
    address: int
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    swizzle: int
    nan_fill: bool


def decode(found: np.ndarray) -> Decoded:
    fields = struct.unpack_from("<8sQIBBBBQ4Q5I5H", found.tobytes())
    assert fields[0] == b"TLTSRMAP" and fields[2] == 1
    type, rank, swizzle, fill, base = fields[3:8]
    strides, last, box = fields[8:12], fields[12:17], fields[17:22]
    extents = tuple(index + 1 for index in last[:rank])
    name = words.TYPES[type]
    return Decoded(name, base, extents, strides[: rank - 1], box[:rank], swizzle, bool(fill))


def attributes(maps: Sequence[words.Map], steps: Sequence[tuple[int, int, int]]) -> list[str]:
    """The attributes of a kernel's function that describe its maps."""
    numbers = ", ".join(str(word) for step in steps for word in step)
    return [
        f"tilegpu.tensor_maps = [{', '.join(map(_attribute, maps))}]",
        f"tilegpu.tensor_map_steps = array<i64: {numbers}>",
    ]


def _attribute(m: words.Map) -> str:
    rest = (f", offset = {m.offset}" if m.offset >= 0 else "") + (
        ", nanFill = true" if m.nan_fill else ""
    )
    return (
        f"#tilegpu.tensor_map<{_MLIR_TYPES[m.type]}, slot = {m.slot}, extents = {list(m.extents)}, "
        f"strides = {list(m.strides)}, box = {list(m.box)}, swizzle = {m.swizzle}{rest}>"
    )


def _copy(count: int, source: str, to: int) -> list[str]:
    """Copies 8-byte words to `%out`, from the word with this index on."""
    lines = []
    for i in range(count):
        name = f"{source}_{i}"
        lines += [
            f"  %from{name} = llvm.getelementptr %{source}[{i}] : (!llvm.ptr) -> !llvm.ptr, i64",
            f"  %{name} = llvm.load %from{name} : !llvm.ptr -> i64",
            *_store(f"%{name}", to + i),
        ]
    return lines


def _store(value: str, to: int) -> list[str]:
    pointer = "!llvm.ptr<1>"
    return [
        f"  %to{to} = llvm.getelementptr %out[{to}] : ({pointer}) -> {pointer}, i64",
        f"  llvm.store {value}, %to{to} : i64, {pointer}",
    ]


def module_of(
    maps: Sequence[words.Map],
    steps: Sequence[tuple[int, int, int]],
    slots: Sequence[int],
    scalars: Sequence[str] = (),
) -> str:
    """The thread-level IR of a kernel.

    Its first parameter is the output, which gets the bytes of all maps; then come scalars, whose
    sum it stores behind them.

    Args:
        slots: Those of the output and of the scalars.
        scalars: Their MLIR types.
    """
    out = ["%out: !llvm.ptr<1> {llvm.align = 16 : i64}"]
    given = [f"%n{i}: {type}" for i, type in enumerate(scalars)]
    passed = [f"%map{i}: !llvm.ptr {{thread.tensor_map}}" for i in range(len(maps))]
    body = [line for i in range(len(maps)) for line in _copy(16, f"map{i}", 16 * i)]
    body.append("  %sum = llvm.mlir.constant(0 : i64) : i64")
    total = "%sum"
    for i, type in enumerate(scalars):
        wide = f"%n{i}"
        if type != "i64":
            wide = f"%wide{i}"
            body.append(f"  {wide} = arith.extsi %n{i} : {type} to i64")
        body.append(f"  %sum{i} = arith.addi {total}, {wide} : i64")
        total = f"%sum{i}"
    body += _store(total, 16 * len(maps))
    described = ["tile.kernel", f"tilegpu.slots = array<i32: {', '.join(map(str, slots))}>"]
    if maps:
        described += attributes(maps, steps)
    return "\n".join(
        [
            'module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a",',
            "                   tilegpu.shared_bytes = 0 : i64} {",
            f"func.func @kernel({', '.join([*out, *given, *passed])}) attributes {{",
            f"    {', '.join(described)}}} {{",
            "  %tid = nvvm.read.ptx.sreg.tid.x : i32",
            "  %zero = arith.constant 0 : i32",
            "  %first = arith.cmpi eq, %tid, %zero : i32",
            "  cf.cond_br %first, ^store, ^end",
            "^store:",
            *body,
            "  cf.br ^end",
            "^end:",
            "  return",
            "}",
            "}",
        ]
    )


def compile_text(text: str, target: str, options: dict[str, Any] | None = None) -> Any:
    """The core's result for thread-level IR."""
    module = _core.Module.parse(_core.Context(), text)
    kind = target_kinds()[target.partition(":")[0]]
    given = {"num_warps": 1, **(options or {}), "start_after": "thread"}
    return _core.compile(module, target, kind.core_options(given))


Texts = Callable[[dict[str, Any]], str]


def replace_core(monkeypatch: Any, text_of: Texts, num_warps: int = 1) -> list[dict[str, Any]]:
    """Makes all compilations compile the thread-level IR for their options; returns these."""
    compiled: list[dict[str, Any]] = []

    def compile(module: Any, target: str, options: dict[str, Any], dump: Any) -> Any:
        compiled.append(options)
        return compile_text(text_of(options), target, {**options, "num_warps": num_warps})

    monkeypatch.setattr(stages, "_compile_module", compile)
    return compiled
