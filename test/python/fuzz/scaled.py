"""Kernels with dots of tiles in microscaling formats, and with conversions to 8-bit floats."""

from __future__ import annotations

import random

from kernel import Kernel
from narrow import FORMATS
from writer import Writer

ELEMENTS = ["e2m1", "e2m1", "e2m1", "e4m3", "e5m2", "bf16", "fp16"]
# Clears a bit of the exponent, so that no code is an infinity or a NaN.
FINITE = {"e4m3": " & 247", "e5m2": " & 251"}
FLOAT8S = [name for name in FORMATS if name != "e2m1"]


def write(rng: random.Random) -> Kernel:
    return _Scaled(rng).write() if rng.random() < 0.6 else conversions(rng)


class _Scaled(Writer):
    """Writes a loop of scaled dots, or a single one."""

    def __init__(self, rng: random.Random) -> None:
        sides = [16, 16, 32, 32, 64, 8, 2, 24]
        self.rows, self.columns = rng.choice(sides), rng.choice(sides)
        self.inner = rng.choice([32, 32, 64, 64, 128, 96])
        super().__init__(rng, (self.rows, self.columns))
        self.programs = (rng.choice([1, 1, 2]), 1, 1)

    def write(self) -> Kernel:
        left, right = self.rng.choice(ELEMENTS), self.rng.choice(ELEMENTS)
        arrays = [self.operand("a", left), self.operand("b", right)]
        scales = [self.array(f"s{name}", "uint8") for name in "ab"]
        times = self.number(self.pick(1, 1, 2, 3, 0))
        self.line(f"acc = tl.zeros({self.shape}, tl.float32)")
        head = f"for t in range({times}):"
        if self.chance(0.4):
            head = f"for t in tl.range({times}, num_stages={self.rng.randint(1, 4)}):"
        with self.block(head):
            x, along_k = self.elements(arrays[0], left, self.rows, False)
            y, down_k = self.elements(arrays[1], right, self.columns, True)
            s, u = self.scales(scales[0], self.rows), self.scales(scales[1], self.columns)
            packing = f", lhs_k_pack={along_k}, rhs_k_pack={down_k}"
            call = f"tl.dot_scaled({x}, {s}, '{left}', {y}, {u}, '{right}'"
            if self.chance(0.6):
                self.line(f"acc = {call}, acc{packing})")
            else:
                self.line(f"acc += {call}{packing})")
        self.result("acc", "float32")
        return self.finish()

    def operand(self, name: str, format: str) -> str:
        dtype = {"bf16": "bfloat16", "fp16": "float16"}.get(format, "uint8")
        return self.array(name, dtype)

    def elements(self, base: str, format: str, side: int, is_right: bool) -> tuple[str, bool]:
        """Loads an operand, in the order in memory that is drawn; whether it is packed along K."""
        packed = format == "e2m1"
        along_k = not packed or self.chance(0.7)
        inner = self.inner // (2 if packed and along_k else 1)
        side = side // (2 if packed and not along_k else 1)
        rows, columns = (inner, side) if is_right else (side, inner)
        transposed = self.chance(0.4)
        if transposed:
            rows, columns = columns, rows
        at = f"tl.arange(0, {rows})[:, None] * {columns} + tl.arange(0, {columns})[None, :]"
        step = self.pick(rows * columns, 16, 1)
        name = self.assign(
            f"tl.load({base} + pid * 64 + t * {step} + {at}){FINITE.get(format, '')}"
        )
        if transposed:
            name = self.assign(self.pick(f"{name}.T", f"tl.trans({name})"))
        return name, along_k

    def scales(self, base: str, side: int) -> str:
        """Loads scales from 2^-3 to 2^4; "None", or with a few NaNs."""
        if self.chance(0.2):
            return "None"
        groups = self.inner // 32
        at = f"tl.arange(0, {side})[:, None] * {groups} + tl.arange(0, {groups})[None, :]"
        name = self.assign(f"(tl.load({base} + pid * 8 + t * 16 + {at}) & 7) + 124")
        if self.chance(0.2):
            code = f"tl.full({(side, groups)}, 255, tl.uint8)"
            name = self.assign(f"tl.where(tl.arange(0, {side})[:, None] == 1, {code}, {name})")
        return name


def conversions(rng: random.Random) -> Kernel:
    """Chains of conversions from a float to 8-bit floats, moved as such, and back."""
    w = Writer(rng, rng.choice([(16,), (128,), (512,), (8, 16), (32, 2), (1, 64)]))
    w.programs = (rng.choice([1, 2]), 1, 1)
    for number in range(rng.randint(1, 3)):
        dtype = w.pick("float16", "bfloat16", "float32", "float64")
        source = w.array(f"x{number}", dtype)
        factor = w.pick("1", "1", "0.01", "0.3", "1e-4", "37.0", "900.0")
        value = w.assign(f"(tl.load({source} + lane) * {factor}).to(tl.{dtype})")
        for _ in range(rng.randint(1, 2)):
            name, rounding = w.pick(*FLOAT8S), w.pick("", "", ', fp_downcast_rounding="rtz"')
            narrow = w.assign(f"{value}.to(tl.{name}{rounding})")
            if len(w.shape) == 2 and w.chance(0.5):
                narrow = w.assign(f"tl.trans(tl.trans({narrow}))")
            w.result(f"{narrow}.to(tl.uint8, bitcast=True)", "uint8")
            dtype = w.pick("float16", "bfloat16", "float32", "float64")
            value = w.assign(f"{narrow}.to(tl.{dtype})")
            w.result(value, dtype)
    return w.finish()
