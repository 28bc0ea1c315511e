"""Instructions of inline assembly on 16-bit and narrower floats, on emulated GPUs."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from inline_texts import SIZE, run
from seeds import generator


def halves(kind: torch.dtype, scale: float = 1) -> torch.Tensor:
    values = torch.from_numpy(generator().standard_normal(SIZE * 2) * scale).to(kind)
    values[:6] = torch.tensor([0, -0.0, torch.inf, torch.nan, 1e-5, 65000]).to(kind)
    return values


def as_words(x: torch.Tensor) -> np.ndarray:
    return x.view(torch.int16).numpy().view(np.uint32)


@pytest.mark.parametrize("type", ["f16x2", "bf16x2"])
@pytest.mark.parametrize("name", ["add.rn", "sub", "mul", "fma.rn", "min", "max", "neg", "abs"])
def test_arithmetic_on_pairs(name, type):
    """In double precision, sums of numbers of this magnitude are exact."""
    kind = torch.float16 if type == "f16x2" else torch.bfloat16
    a, b, c = halves(kind), halves(kind).flip(0), halves(kind, 0.25)
    x, y, z = (each.double() for each in (a, b, c))
    expected = {
        "add.rn": lambda: x + y, "sub": lambda: x - y, "mul": lambda: x * y,
        "fma.rn": lambda: x * y + z, "min": lambda: torch.fmin(x, y),
        "max": lambda: torch.fmax(x, y), "neg": lambda: -x, "abs": lambda: x.abs(),
    }[name]().to(kind)  # fmt: skip
    operands = {"fma.rn": "$1, $2, $3", "neg": "$1", "abs": "$1"}.get(name, "$1, $2")
    words_ = run(f"{name}.{type} $0, {operands};", [as_words(each) for each in (a, b, c)], "uint32")
    found = torch.from_numpy(words_.view(np.int16)).view(kind)
    assert torch.equal(found.isnan(), expected.isnan())
    kept = ~expected.isnan()
    assert torch.equal(found[kept], expected[kept])


def test_a_sum_is_rounded_once():
    """1 + 2^-9 is halfway between two bf16; the addend, which a double loses, decides."""
    one = np.full(SIZE, 0x3F80, np.uint16)
    factor = np.full(SIZE, 0x3B80, np.uint16)  # 2^-8, half of the last bit of 1
    tiny = np.where(np.arange(SIZE) % 2, 0x0080, 0x8080).astype(np.uint16)  # +-2^-126
    text = "fma.rn.bf16 $0, $1, $2, $3;"
    found = run(text, [one, factor, tiny], "uint16")
    assert (found == 0x3B80).all()
    text = "{ .reg .b16 s; fma.rn.bf16 s, $1, $2, $3; add.bf16 $0, $1, s; }"
    assert (run(text, [one, factor, np.zeros_like(tiny)], "uint16") == 0x3F80).all()
    # 1 * 1 + 2^-8 is a tie, which goes to 1; with 2^-8 + 2^-15 it is above the tie.
    above = np.full(SIZE, 0x3B81, np.uint16)
    assert (run(text, [one, above, np.zeros_like(tiny)], "uint16") == 0x3F81).all()


@pytest.mark.parametrize("name", ["tanh.approx.f16x2", "tanh.approx.bf16x2", "ex2.approx.f16x2",
                                  "ex2.approx.ftz.bf16x2"])  # fmt: skip
def test_functions_of_pairs(name):
    kind = torch.bfloat16 if "bf16" in name else torch.float16
    a = torch.from_numpy(generator().uniform(-2, 2, SIZE * 2)).to(kind)
    function = torch.tanh if name.startswith("tanh") else torch.exp2
    words_ = run(f"{name} $0, $1;", [as_words(a)], "uint32")
    found = torch.from_numpy(words_.view(np.int16)).view(kind)
    assert torch.equal(found, function(a.double()).to(kind))


#
# Narrow floats
#

E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]


def test_e4m3():
    a, b = (generator().uniform(-500, 500, SIZE).astype(np.float32) for _ in "ab")
    text = "{ .reg .b16 t; cvt.rn.satfinite.e4m3x2.f32 t, $2, $1; mov.b32 $0, {t, t}; }"
    found = run(text, [a.view(np.uint32), b.view(np.uint32)], "uint32").view(np.uint8)
    expected = torch.from_numpy(np.stack([a, b], 1)).clamp(-448, 448).to(torch.float8_e4m3fn)
    assert np.array_equal(found.reshape(SIZE, 4)[:, :2], expected.view(torch.uint8).numpy())
    back = run("{ .reg .b16 l, h; mov.b32 {l, h}, $1; cvt.rn.f16x2.e4m3x2 $0, l; }",
               [found.view(np.uint32)], "uint32").view(np.float16)  # fmt: skip
    assert np.array_equal(back.reshape(SIZE, 2), expected.to(torch.float16).numpy())


def test_e2m1():
    a, b = (generator().uniform(-8, 8, SIZE).astype(np.float32) for _ in "ab")
    a[:4] = [np.nan, 0.25, -0.0, 5]
    text = """{
        .reg .b8 t, z;
        .reg .b16 w;
        cvt.rn.satfinite.e2m1x2.f32 t, $1, $2;
        mov.b16 w, 0;
        mov.b16 {z, _}, w;
        mov.b32 $0, {t, z, z, z};
    }"""
    found = run(text, [a.view(np.uint32), b.view(np.uint32)], "uint32")
    table = np.array(E2M1)

    def code(x: float) -> int:
        if np.isnan(x):
            return 7
        distance = np.abs(table - min(abs(x), 6))
        best = np.flatnonzero(distance == distance.min())
        chosen = best[0] if len(best) == 1 else next(i for i in best if i % 2 == 0)
        return int(chosen) | (8 if np.signbit(x) else 0)

    assert found.tolist() == [code(p) << 4 | code(q) for p, q in zip(a, b, strict=True)]
    text = "{ .reg .b8 t, x, y, z; mov.b32 {t, x, y, z}, $1; cvt.rn.f16x2.e2m1x2 $0, t; }"
    back = run(text, [found], "uint32").view(np.float16).reshape(SIZE, 2)
    value = lambda c: table[c & 7] * np.where(c & 8, -1, 1)  # noqa: E731
    assert np.array_equal(back, np.stack([value(found & 15), value(found >> 4)], 1))


@pytest.mark.parametrize(("mode", "function"), [("rp", np.ceil), ("rz", np.floor)])
def test_ue8m0(mode, function):
    a = (2.0 ** generator().uniform(-125, 126, SIZE)).astype(np.float32)
    a[:5] = [1, 2, 0, np.nan, np.inf]
    text = f"{{ .reg .b16 t; cvt.{mode}.satfinite.ue8m0x2.f32 t, $1, $2; mov.b32 $0, {{t, 0}}; }}"
    text = text.replace("{t, 0}", "{t, t}")
    found = run(text, [a.view(np.uint32), a.view(np.uint32)], "uint32") & 0xFF
    with np.errstate(all="ignore"):
        exponent = function(np.log2(a.astype(np.float64))) + 127
    expected = np.where(np.isnan(a), 255, np.clip(exponent, 0, 254))
    assert np.array_equal(found, expected)
