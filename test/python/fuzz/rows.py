"""Kernels that test loops over rows or blocks without dots, pipelined in up to five stages.

Their loads have masks and values outside of them of all kinds, their addresses are computed,
carried, or loaded in the loop, and some read what earlier iterations have written. Tiles may have
fewer elements than threads, or be too large for stages in shared memory.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Iterator
from contextlib import contextmanager

from bounds import Range, loaded_range
from kernel import Kernel
from tiles import DType
from writer import Writer

DTYPES = [
    "float32", "float32", "float32", "float16", "bfloat16", "float64",
    "int8", "int16", "int32", "int32", "int64", "uint8",
]  # fmt: skip
# In which loaded elements are added: floats of 16 bits would be rounded after each operation.
SUMS = {"float64": "float64", "int64": "int64", "int32": "int32"}
SHAPES = [
    (64,), (128,), (256,), (256,), (256,), (512,), (512,), (512,), (1024,), (1024,), (2048,),
    (1,), (16,),
    (48,), (100,), (4, 64), (8, 32), (16, 16), (32, 32), (2, 256), (1, 128), (64, 4), (64, 1),
    (2, 2), (24, 20),
]  # fmt: skip
LARGE = [(4096,), (32, 128)]


@dataclasses.dataclass(frozen=True)
class Loaded:
    """A tile of the kernel's shape that was loaded in this iteration."""

    name: str
    dtype: DType


class Rows(Writer):
    """Attributes:
    sources: The arrays that loops read, with their types.
    loaded: What was loaded in the current block.
    starts: Offsets of rows that were computed in the current block.
    sure: Whether each iteration of the current loop executes its statements at most once.
    can_leave: Whether the current loop may have `break` and `continue`.
    indices: The indices of the loops around the current statement.
    moving: The pointers that the current loop carries, with their types and steps.
    """

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng, rng.choice(LARGE if rng.random() < 0.06 else SHAPES))
        self.size = math.prod(self.shape)
        self.loops = 0
        self.sources: list[Loaded] = []
        self.loaded: list[Loaded] = []
        self.starts: list[str] = []
        self.sure = self.can_leave = False
        self.indices: list[str] = []
        self.moving: list[tuple[Loaded, str]] = []
        self.windows: list[tuple[Loaded, int]] = []
        # What large tiles read and write is reordered to save registers.
        self.writes = rng.random() < (0.7 if self.shape in LARGE else 0.22)

    def begin(self) -> None:
        if self.size <= 512 and self.chance(0.3):
            self.programs = (self.pick(2, 3), 1, 1)
        dtype = self.pick(*DTYPES)
        for i in range(self.rng.randint(1, 3)):
            dtype = dtype if self.chance(0.6) else self.pick(*DTYPES)
            base = self.array(f"x{i}", dtype, self.pick("any", "small", "small"))
            self.sources.append(Loaded(self.assign(f"{base} + pid * 4096"), DType(dtype)))
        self.target = self.array("y", self.sources[0].dtype, "small")
        self.line(f"yp = {self.target} + pid * 4096")
        self.table = self.array("table", "int32", "below 4")
        self.places = self.array(
            "places", "int32", f"permutation {1 << (self.size.bit_length() - 1)}"
        )
        self.flags = self.array("flags", self.pick("int32", "int8", "int64"), "small")
        self.counts = self.array("counts", "int32", "small")
        self.sum = SUMS.get(
            self.sources[0].dtype, "float32" if self.sources[0].dtype.is_float else "int32"
        )
        self.line(f"acc = tl.zeros({self.shape}, tl.{self.sum})")
        self.line(f"before = tl.zeros({self.shape}, tl.{self.sources[0].dtype})")
        self.line("total = tl.cast(0, tl.int64)")
        self.line("at = 0")
        if self.programs == (1, 1, 1) and len(self.sources) > 1 and self.chance(0.15):
            shift = self.pick(0, 0, 1, 4, 16, self.size)
            if self.sources[0].dtype == self.sources[1].dtype:
                self.overlaps.append(("x1", "x0", shift))

    def end(self) -> None:
        self.result("acc", self.sum)
        self.result("before", self.sources[0].dtype)
        self.result("total", "int64", ())

    # masks

    def limit(self) -> str:
        return self.pick("n1", "n1", "n1", "n1", "n3", self.size - 1, self.size // 2, 16, 48)

    def position(self, index: str) -> str:
        """Numbers that count up along the tile, or along one dimension of it."""
        tiles = ["lane", "lane", "lane"] if len(self.shape) == 1 else ["lane", "row", "column"]
        tile = self.rng.choice(tiles)
        kind = self.rng.randint(0, 7)
        if kind < 3:
            return tile
        if kind < 5:
            return f"{self.start(index)} + {tile}"
        if kind == 5:
            return f"{tile} + {self.pick(1, 3, 8, 16, 'n3', 'at')}"
        if kind == 6:
            return f"({tile} - {self.pick(1, 4, 16)}).to(tl.{self.pick('uint32', 'int64')})"
        return f"{tile}.to(tl.{self.pick('int64', 'int16', 'uint32')})"

    def mask(self, index: str) -> str:
        kind = self.rng.randint(0, 14)
        operator = self.pick("<", "<", "<", "<=", ">=", ">", "!=")
        if kind < 7:
            return f"{self.position(index)} {operator} {self.limit()}"
        if kind == 7:
            return f"{self.limit()} {self.pick('>', '<=')} {self.position(index)}"
        if kind == 8:
            parts = [f"({self.position(index)} {operator} {self.limit()})" for _ in range(2)]
            return f"{parts[0]} {self.pick('&', '|')} {parts[1]}"
        if kind == 9:
            return f"{index} {operator} {self.pick('n0', 'n3', 1, 2)}"
        if kind == 10:
            return f"tl.load({self.flags} + {self.pick('lane', index, f'{index} + lane')}) > 0"
        if kind == 11 and self.loaded:
            return f"{self.rng.choice(self.loaded).name} > 0"
        if kind == 12 and self.loaded:
            value = self.rng.choice(self.loaded)
            return f"tl.where({value.name} > 1, lane, 0) < {self.limit()}"
        if kind == 13:
            return f"(lane // {self.pick(4, 8, 'n3 + 1')}) % 2 == {index} % 2"
        return f"acc < {self.pick(0, 3)}"

    def other(self, dtype: DType, index: str) -> str:
        """A value for the elements outside of a mask."""
        same = [value.name for value in self.loaded if value.dtype == dtype]
        kind = self.rng.randint(0, 9)
        if kind < 2:
            return ""
        if kind < 5:
            number = self.pick('float("-inf")', 'float("-inf")', 'float("nan")', "-1.5", "-0.0")
            return f", other={number if dtype.is_float else self.pick(1, 3, 100)}"
        if kind == 5 and same:
            return f", other={self.rng.choice(same)}"
        if kind == 6:
            return f", other=((lane + {index}) & 7).to(tl.{dtype})"
        if kind == 7:
            return f", other=before.to(tl.{dtype})" if dtype == self.sources[0].dtype else ""
        if kind == 8:
            return f", other=({index} & 3).to(tl.{dtype})"
        return ", other=0"

    def modifiers(self) -> str:
        if self.chance(0.85):
            return ""
        return self.pick(
            ', eviction_policy="evict_first"', ', eviction_policy="evict_last"',
            ', cache_modifier=".cg"', ', cache_modifier=".ca"', ', cache_modifier=".cv"',
            ", volatile=True",
        )  # fmt: skip

    # addresses

    def stride(self) -> str:
        return self.pick(
            self.size, self.size, self.size, "n2", "n2", "n2", self.shape[-1], 16, 1, 100
        )

    def start(self, index: str) -> str:
        """The offset of an iteration's row, which several loads and masks may share."""
        if self.starts and self.chance(0.4):
            return self.rng.choice(self.starts)
        text = f"{index} * {self.stride()}"
        if self.chance(0.3):
            text = self.assign(text)
            self.starts.append(text)
        return text

    def offset(self, index: str) -> str:
        """The offsets of a tile's elements; in nested loops also of the outer loop's row."""
        lane = "lane"
        if len(self.shape) == 2 and self.chance(0.4):
            lane = f"row * {self.pick('n2', self.shape[1] + 16, 100)} + column"
        kind = self.rng.randint(0, 29)
        if kind == 0:
            lane = f"({self.size - 1} - lane)"
        elif kind == 1:
            lane = f"lane * {self.pick(2, 3)}"
        elif kind == 2:
            lane = f"(lane ^ {self.pick(1, 4, 8)})"
        elif kind == 3:
            lane = f"tl.load({self.places} + lane)"
        elif kind == 4:
            lane = f"tl.load({self.places} + {index} * 16 + lane)"
        elif kind == 5:
            lane = f"({lane} + {index}) % {self.pick('(n1 + 16)', self.size)}"
        start = self.start(index)
        kind = self.rng.randint(0, 9)
        if kind == 0:
            start = f"tl.load({self.table} + {index}) * {self.stride()}"
        elif kind == 1:
            start = f"at * {self.stride()}"
        elif kind == 2:
            start = self.pick("0", "n3", f"{index} * {index}")
        elif len(self.indices) > 1:
            start = f"{self.indices[-2]} * {self.pick('n2', self.size, 16)} + {start}"
        return f"{start} + {lane}"

    # statements

    def load(self, index: str) -> None:
        """Loads a tile, often with a mask, and uses it."""
        movable = bool(self.moving) and self.chance(0.6)
        if self.windows and self.chance(0.6):
            source, checked = self.rng.choice(self.windows)
            padding = self.pick("zero", "nan") if source.dtype.is_float else "zero"
            dims = ", ".join(map(str, range(len(self.shape))))
            boundary = f', boundary_check=({dims},), padding_option="{padding}"' if checked else ""
            self.take(f"tl.load({source.name}{boundary}{self.modifiers()})", source.dtype, index)
            return
        if movable:
            source, _ = self.rng.choice(self.moving)
            pointer = source.name
        else:
            source = self.rng.choice(self.sources)
            pointer = f"{source.name} + {self.offset(index)}"
        masked = ""
        if self.chance(0.6):
            mask = self.mask(index)
            masked = f", mask={self.assign(mask) if self.chance(0.3) else mask}"
            masked += self.other(source.dtype, index)
        self.take(f"tl.load({pointer}{masked}{self.modifiers()})", source.dtype, index)

    def take(self, text: str, dtype: DType, index: str) -> None:
        value = Loaded(self.assign(text), dtype)
        self.loaded.append(value)
        if self.chance(0.8):
            self.use(index)

    def calmed(self, text: str) -> str:
        if not DType(self.sum).is_float:
            return text
        return f"tl.minimum(tl.maximum({text}, -64.0), 64.0)"

    def use(self, index: str) -> None:
        if not self.loaded:
            return self.load(index)
        value = self.pick(self.loaded[-1], self.loaded[-1], self.rng.choice(self.loaded))
        wide = f"{value.name}.to(tl.{self.sum})"
        if value.dtype.is_float and not DType(self.sum).is_float:
            wide = f"({value.name} > 0).to(tl.{self.sum})"
        axis = self.rng.randrange(len(self.shape))
        kind = self.rng.randint(0, 11)
        if kind < 4:
            self.line(f"acc = {self.calmed(f'acc * {self.pick(1, 2, 3)} + {wide}')}")
        elif kind == 4:
            self.line(f"acc = tl.{self.pick('maximum', 'minimum')}(acc, {wide})")
        elif kind == 5:
            self.line(f"acc = tl.where({value.name} > {self.pick(0, 1)}, acc, {wide})")
        elif kind == 6:
            self.line(f"total = total * 3 + tl.sum(({value.name} > 0).to(tl.int32)).to(tl.int64)")
        elif kind == 7:
            self.line(f"acc = acc + tl.max({wide}, {axis}, keep_dims=True).to(tl.{self.sum})")
        elif kind == 8:
            self.line(f"acc = acc + tl.cumsum(({value.name} > 1).to(tl.int32), {axis})")
        elif kind == 9:
            self.line(f"acc = acc + tl.sum(({wide}), {axis}, keep_dims=True).to(tl.{self.sum})")
        elif kind == 10 and value.dtype == self.sources[0].dtype:
            self.line(f"before = {value.name}")
        elif self.depth == 2 and self.sure:
            self.result(value.name, value.dtype, times=f"({index} & 15)")

    def store(self, index: str) -> None:
        """Stores in place, to rows that other iterations read, or elsewhere."""
        source = self.rng.choice(self.sources) if self.writes else None
        dtype = source.dtype if source else self.sources[0].dtype
        values = [value.name for value in self.loaded if value.dtype == dtype]
        value = self.rng.choice([*values, *values, f"((lane + {index}) & 7).to(tl.{dtype})"])
        place = "lane"
        if len(self.shape) == 2 and self.chance(0.3):
            place = f"row * {self.shape[1] + 16} + column"
        row = self.pick(index, index, f"({index} + 1)", f"({index} + 2)", f"({index} - 1)", "n3")
        mask = f", mask={self.mask(index)}" if self.chance(0.3) else ""
        base = source.name if source else "yp"
        self.line(f"tl.store({base} + {row} * {self.stride()} + {place}, {value}{mask})")

    def atomic(self, index: str) -> None:
        order = self.pick(', sem="relaxed"', ', sem="relaxed"', "", ', sem="acquire"')
        if self.size <= 128 and self.chance(0.5):
            self.line(f"tl.atomic_add({self.counts} + pid * 512 + lane, {index}{order})")
        else:
            self.line(
                f"tl.atomic_{self.pick('add', 'max')}({self.counts} + pid * 512, {index}{order})"
            )

    def condition(self, index: str) -> str:
        return self.pick(
            f"{index} % 2 == 0", f"{index} < n3", f"n3 > {self.pick(0, 2)}", f"{index} != 1",
            f"tl.load({self.flags} + {index}) > 0", "total > 3",
        )  # fmt: skip

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        known = list(self.loaded), list(self.starts)
        with self.block(head):
            yield
        self.loaded, self.starts = known

    def branch(self, index: str) -> None:
        with self.inside(f"if {self.condition(index)}:"):
            if self.chance(0.12) and self.can_leave:
                self.line(self.pick("break", "continue"))
            else:
                self.statement(index)

    def move(self, index: str) -> None:
        self.line(self.pick(
            "at += 1", "at += n3", f"at = tl.load({self.table} + {index})",
            f"at = tl.load({self.table} + at)", "at = (at * 3 + 1) & 3",
        ))  # fmt: skip

    def statement(self, index: str) -> None:
        kinds = ["load"] * 6 + ["use"] * 3 + ["branch"] * 2 + ["store"] * (4 if self.writes else 1)
        kind = self.rng.choice([*kinds, "move", "atomic"])
        if kind == "branch" and self.depth > 3:
            kind = "use"
        if kind == "atomic" and self.chance(0.5):
            kind = "load"
        getattr(self, kind)(index)

    # loops

    def range_of(self, index: str) -> Range:
        if self.chance(0.2):
            return loaded_range(self, index, outer=self.indices[-1] if self.indices else "")
        bounds = self.pick(
            "n0", "n0", "n0", "0, n0", "1, n0", "n0 + 2", "3", "0, n0 * 2, 2", "n0, 0, -1",
            "n0 - 1, -1, -1", "0, n0, 2",
        )  # fmt: skip
        return Range(bounds, index)

    def carried(self) -> None:
        """Pointers and block pointers that the next loop advances."""
        self.moving, self.windows = [], []
        if self.chance(0.35):
            source = self.rng.choice(self.sources)
            name = self.assign(f"{source.name} + {self.pick('0', '0', 'n3', '16')} + lane")
            self.moving.append((Loaded(name, source.dtype), str(self.stride())))
        if self.chance(0.12):
            source = self.rng.choice(self.sources)
            self.window(source)

    def window(self, source: Loaded) -> None:
        checked = self.rng.randint(0, 1)
        name = self.fresh("w")
        if len(self.shape) == 1:
            shape, strides, order = "(n1 + 16,)", "(1,)", "(0,)"
        else:
            shape, strides, order = "(n1, 24)", f"({self.pick('n2', 64)}, 1)", "(1, 0)"
        offsets = ", ".join(str(self.pick(0, 0, 16, "n3")) for _ in self.shape)
        block = ", ".join(map(str, self.shape))
        self.line(
            f"{name} = tl.make_block_ptr({source.name}, {shape}, {strides}, ({offsets},), "
            f"({block},), {order})"
        )
        self.windows.append((Loaded(name, source.dtype), checked))

    def advance(self) -> None:
        for pointer, step in self.moving:
            self.line(f"{pointer.name} += {step}")
        for window, _ in self.windows:
            steps = ", ".join(str(self.pick(0, size, 16)) for size in self.shape)
            self.line(f"{window.name} = tl.advance({window.name}, ({steps},))")

    def loop(self) -> None:
        self.loops += 1
        index = f"i{self.loops}"
        around = self.moving, self.windows, self.loaded
        self.carried()
        found = self.range_of(index)
        stages = self.pick(1, 2, 2, 3, 3, 3, 4, 4, 5)
        options = f", num_stages={stages}" if self.chance(0.9) else ""
        if self.chance(0.08):
            options += f", loop_unroll_factor={self.pick(2, 4)}"
        nests = self.depth == 1 and self.chance(0.25)
        kind = "tl.range" if options else "range"
        with self.inside(f"for {found.counter} in {kind}({found.arguments}{options}):"):
            for line in found.lines:
                self.line(line)
            self.indices.append(index)
            self.sure = not found.lines and self.size <= 2048
            self.can_leave = self.chance(0.3)
            self.loaded, self.starts = [], []
            if self.chance(0.25):
                self.statement(index)
            for _ in range(self.rng.randint(1, 3)):
                self.load(index)
            for _ in range(self.rng.randint(0, 3)):
                self.statement(index)
            if nests:
                self.loop()
                self.sure = False
            self.advance()
            self.indices.pop()
        self.moving, self.windows, self.loaded = around


def write(rng: random.Random) -> Kernel:
    w = Rows(rng)
    w.number(rng.choice([0, 1, 2, 3, 3, 4, 5]))
    sizes = [0, 1, 16, 48, w.size // 2, w.size - 16, w.size, w.size - 1, w.size + 16, 3 * w.size]
    w.number(rng.choice([*sizes, 2 * w.size - 3, 100, 160]))
    w.number(rng.choice([16, 24, 32, 33, 64, 100, 128, 512, w.size, w.size + 16]))
    w.number(rng.choice([0, 1, 2, 3, 4]))
    w.begin()
    for _ in range(rng.choice([1, 1, 2])):
        w.loop()
    w.end()
    kernel = w.finish()
    fitting = [warps for warps in (1, 2, 4, 8, 16) if warps * 64 <= w.size]
    if w.shape in LARGE:  # mostly with more values than a thread has registers
        fitting = [1, 1, 1, 2]
    kernel.options["num_warps"] = rng.choice([1, 2, 4, 8, 16, *(fitting or [1]) * 3])
    return kernel
