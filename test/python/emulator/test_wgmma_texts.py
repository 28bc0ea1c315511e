"""wgmma in inline assembly on an emulated GPU, with the texts that the compiler emits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from seeds import generator
from wgmma_kernels import THREADS, Body, Registers, run

import tilewright

BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8}
# The numbers 0 to 3.
SMALL = {"e4m3": [0, 0x38, 0x40, 0x44], "e5m2": [0, 0x3C, 0x40, 0x42]}
B_PLACE = 16 << 10


def swizzled(matrix: np.ndarray) -> np.ndarray:
    """The bytes of a matrix whose rows have at most 128 bytes, with a swizzle of 128 bytes."""
    rows = np.zeros((len(matrix), 8, 16), np.uint8)
    chunks = np.ascontiguousarray(matrix).view(np.uint8).reshape(len(matrix), -1, 16)
    for row in range(len(matrix)):
        for chunk in range(chunks.shape[1]):
            rows[row, chunk ^ row % 8] = chunks[row, chunk]
    return rows.ravel()


def descriptor(start: int) -> int:
    return start >> 4 | 1 << 16 | 1024 >> 4 << 32 | 1 << 62


def fragment(matrix: np.ndarray, per_word: int) -> np.ndarray:
    """[THREADS, words]: registers of a thread for a matrix of 64 rows, as in an mma.sync.

    Two words below each other cover the rows l / 4 and l / 4 + 8; then come the next columns.
    """
    thread = np.arange(THREADS)
    row, lane = thread // 32 * 16 + thread % 32 // 4, thread % 4
    words = []
    for first in range(0, matrix.shape[1], 4 * per_word):
        for half in (0, 8):
            columns = first + lane[:, None] * per_word + np.arange(per_word)
            part = np.ascontiguousarray(matrix[(row + half)[:, None], columns])
            words.append(part.view(np.uint32).reshape(THREADS, -1))
    return np.concatenate(words, axis=1)


def accumulators(matrix: np.ndarray) -> np.ndarray:
    """[THREADS, registers]: 4 j to 4 j + 3 are two columns of row l / 4 and of row l / 4 + 8."""
    return fragment(matrix, 2)


def numbers(shape: tuple[int, int], type: str) -> np.ndarray:
    low, high = {"s8": (-128, 127), "u8": (0, 255)}.get(type, (-3, 3))
    return generator().integers(low, high, shape, endpoint=True)


def encode(matrix: np.ndarray, type: str) -> np.ndarray:
    """The bits of the integers in a type."""
    if type in SMALL:
        return np.asarray(SMALL[type], np.uint8)[abs(matrix)] | np.uint8(0x80) * (matrix < 0)
    if type == "bf16":
        return (matrix.astype(np.float32).view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    dtypes = {"f16": np.float16, "tf32": np.float32, "f32": np.float32, "s32": np.int32}
    return matrix.astype(dtypes.get(type, np.uint8))


def text_of(n: int, a: str, b: str, c: str, in_registers: bool, registers: int) -> str:
    k = 256 // BITS[a]
    held = ", ".join(f"${i}" for i in range(registers))
    if in_registers:
        left = ", ".join(f"${registers + i}" for i in range(4)).join("{}")
        right, scale = 4, 5
    else:
        left, right, scale = f"${registers}", 1, 2
    signs = "" if c == "s32" else ", 1, 1"
    if a in ("f16", "bf16"):
        signs += ", 0" if in_registers else ", 0, 0"
    return (
        f"{{ .reg .pred p; setp.ne.b32 p, ${registers + scale}, 0; "
        f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{c}.{a}.{b} "
        f"{{{held}}}, {left}, ${registers + right}, p{signs}; }}"
    )


def multiply(body: Body, n: int, types: tuple[str, str, str], a_words: int, scale: int) -> None:
    """Adds the fence, the wgmma, its group and the wait to the kernel."""
    in_registers = a_words > 0
    text = text_of(n, *types, in_registers, body.accumulators.count)
    if in_registers:
        base = body.value(f"llvm.mul %thread, {body.constant(4)} : i64")
        left = []
        for i in range(4):
            index = body.constant(a_words // 4 + i)
            at = body.value(f"llvm.add {base}, {index} : i64")
            left.append((body.load(body.address("%memory", at)), "r", "i32"))
    else:
        left = [(body.descriptor(descriptor(0)), "l", "i64")]
    right = (body.descriptor(descriptor(B_PLACE)), "l", "i64")
    body.assembly("fence.proxy.async.shared::cta;")
    body.barrier()
    body.assembly("wgmma.fence.sync.aligned;")
    body.with_accumulators(text, [*left, right, (body.constant(scale, "i32"), "r", "i32")])
    body.assembly("wgmma.commit_group.sync.aligned;")
    body.wait(0)


FLOATS = [("f16", "f16", "f32"), ("f16", "f16", "f16"), ("bf16", "bf16", "f32"),
          ("tf32", "tf32", "f32")]  # fmt: skip
BYTES = [(a, b, c) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2") for c in ("f32", "f16")]
INTEGERS = [(a, b, "s32") for a in ("s8", "u8") for b in ("s8", "u8")]
A_REGISTERS_PLACE = 80 << 10


def check(n: int, types: tuple[str, str, str], in_registers: bool, scale: int, checks: Any) -> None:
    size = BITS[types[0]] // 8
    a, b = numbers((64, 32 // size), types[0]), numbers((n, 32 // size), types[1])[::-1]
    c = numbers((64, n), types[2])
    left, right = encode(a, types[0]), encode(b, types[1])
    memory = np.zeros(96 << 10, np.uint8)
    memory[B_PLACE : B_PLACE + 128 * n] = swizzled(right)
    if in_registers:
        words = fragment(left, 4 // size).view(np.uint8).ravel()
        memory[A_REGISTERS_PLACE : A_REGISTERS_PLACE + words.size] = words
    else:
        memory[: 128 * 64] = swizzled(left)
    given = accumulators(encode(c, types[2]))
    body = Body(Registers(given.shape[1], "f32" if types[2] == "f32" else "i32"))
    body.begin()
    multiply(body, n, types, A_REGISTERS_PLACE if in_registers else 0, scale)
    with tilewright.emulate("cuda:90a", checks=checks):
        target = "emulator:cuda:90a" + ("+checks" if checks else "")
        found = run(body.end(), given, memory, target)
    expected = accumulators(encode(a @ b.T + (c if scale else 0), types[2]))
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("in_registers", [False, True], ids=["shared", "registers"])
@pytest.mark.parametrize("types", FLOATS + BYTES + INTEGERS, ids=".".join)
def test_types(types: tuple[str, str, str], in_registers: bool) -> None:
    check(16, types, in_registers, scale=1, checks=False)


@pytest.mark.parametrize("n", [8, 24, 96, 256])
def test_sizes(n: int) -> None:
    check(n, ("f16", "f16", "f32"), in_registers=False, scale=1, checks=False)


def test_accumulators_are_ignored() -> None:
    check(64, ("bf16", "bf16", "f32"), in_registers=False, scale=0, checks=False)


@pytest.mark.parametrize("types", [FLOATS[0], FLOATS[1], INTEGERS[0]], ids=".".join)
@pytest.mark.parametrize("in_registers", [False, True], ids=["shared", "registers"])
def test_checked(types: tuple[str, str, str], in_registers: bool) -> None:
    check(64, types, in_registers, scale=1, checks=True)
