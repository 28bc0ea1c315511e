"""Ranges whose bounds and steps are loaded from memory.

Their types are signed and unsigned, of 8 to 64 bits. Some ranges end so near the largest or the
smallest integer of their type that the index after the last one does not fit; some have indices on
both sides of 2^31 or 2^32, or steps of 2^29 and more.
"""

from __future__ import annotations

import dataclasses

from generate import Generator
from tiles import DType
from writer import Writer

STEPS = [1, 1, 1, 2, 3, 5, 16, -1, -2, -3, -5, -16]
DTYPES = ["int32", "int32", "int32", "int64", "int64", "int16", "uint8", "uint32"]
MOST = 4  # iterations, or one more


@dataclasses.dataclass
class Range:
    """A range of an index, which the statements in the loop see as another, small one.

    Attributes:
        arguments: What is between the parentheses of `range`.
        counter: The name of the index in the head of the loop.
        lines: The lines that the body begins with.
    """

    arguments: str
    counter: str
    lines: list[str] = dataclasses.field(default_factory=list)


def limits(dtype: str) -> tuple[int, int]:
    """The smallest and the largest integer of a type."""
    bits = DType(dtype).bits
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype[0] == "i" else (0, 2**bits - 1)


def loaded_range(
    w: Writer, index: str, steps: list[int] = STEPS, outer: str = "", unit: int = 0
) -> Range:
    """Loads the bounds of a range before a loop, and its step if it is positive.

    Args:
        index: The name that the loop's statements use.
        steps: Possible steps.
        outer: A small index of a loop around it, at which bounds may be loaded.
        unit: What the loop's statements advance by in an iteration; if 0, any number.
    """
    kind = w.pick("stop", "stop", "both", "both", "rows", "count", "edge", "edge", "far", "huge")
    loads = _Loads(w, outer)
    if kind == "stop":
        dtypes = DTYPES[:5] if unit else DTYPES  # that hold products with the unit
        stop = w.assign(loads.load(w.pick(*dtypes), list(range(MOST + 1))))
        if unit:
            return Range(f"0, {stop} * {unit}, {unit}", index)
        return Range(w.pick(stop, f"0, {stop}", f"{stop}, 0, -1", f"{stop}, -1, -2"), index)
    if kind == "rows":
        return _rows(w, index, loads, unit or 1)
    if kind == "huge":
        return _huge(w, index, loads, unit or 1)
    step = w.rng.choice(steps)
    if kind == "count":
        start = w.assign(loads.load(w.pick(*DTYPES[:5]), [0, 1, 2, 3]))
        short = "int8" if abs(step) <= 16 else "int32"
        count = loads.load(w.pick("int32", short, "int64"), list(range(MOST)))
        arguments = f"{start}, {start} + {count} * {step}{w.pick('', ' + 1', ' - 1')}, {step}"
        return _counting(w, index, Range(arguments, index), start, step, unit)
    if kind == "both":
        dtype, low = w.pick(*DTYPES), 0
        return _counting(w, index, *_between(w, index, loads, dtype, step, low), step, unit)
    if kind == "far":
        low = w.pick(2**31 - 2, 2**31 - 20, 2**32 - 3, -(2**31) - 4)
        dtype = "int64"
    else:
        dtype = w.pick("int32", "int32", "int32", "int64", "uint32", "uint64")
        least, most = limits(dtype)
        low = least if step < 0 else most
    bounds = _between(w, index, loads, dtype, step, low)
    return _counting(w, index, *bounds, step, unit, distant=True)


class _Loads:
    """Writes loads of integers, each from an array of its own."""

    def __init__(self, w: Writer, outer: str) -> None:
        self.w, self.outer = w, outer

    def load(self, dtype: str, values: list[int]) -> str:
        """An expression that is any of these values, as far as they fit the type."""
        w = self.w
        least, most = limits(dtype)
        values = [value for value in values if least <= value <= most]
        base = w.array(w.fresh("bounds"), dtype, f"of {' '.join(map(str, values))}")
        place = w.pick("", " + 3", " + pid", f" + {self.outer}" if self.outer else "")
        kind = w.rng.randint(0, 5)
        if kind == 0 and len(w.shape) == 1 and dtype in ("int32", "int64"):
            return f"tl.{w.pick('min', 'max')}(tl.load({base}{place} + lane), 0)"
        if kind == 1 and dtype != "uint64":
            return f"tl.load({base}{place}, mask=pid < {w.pick(0, 1)}, other={values[-1]})"
        return f"tl.load({base}{place})"


def _between(
    w: Writer, index: str, loads: _Loads, dtype: str, step: int, low: int
) -> tuple[Range, str]:
    """A range of loaded bounds that begins, or for an edge ends, near `low`; and its start."""
    ends_there = low == limits(dtype)[1]  # ascends to the largest integer
    size = -abs(step) if ends_there else abs(step)
    near = [low + i for i in (-1, 0, 1, 2, -2)]
    distant = [low + i * size for i in range(MOST + 1)]
    starts, stops = (near, distant) if step > 0 and not ends_there else (distant, near)
    start = w.assign(loads.load(dtype, starts))
    stop = loads.load(dtype, stops)
    text = str(step)
    if step > 0 and w.chance(0.5):
        text = w.assign(loads.load(w.pick("int32", "int16", "int64"), [step]))
    elif step == 1:
        return Range(f"{start}, {stop}", index), start
    return Range(f"{start}, {stop}, {text}", index), start


def _counting(
    w: Writer, index: str, found: Range, start: str, step: int, unit: int, distant: bool = False
) -> Range:
    """Gives the loop's statements the number of the iteration, or the distance from the start.

    Args:
        distant: Whether the index itself is too large for them.
    """
    if not distant and (unit or abs(step) < 3 or w.chance(0.3)):
        return found
    found.counter = f"{index}_at"
    signs = (start, found.counter) if unit and step < 0 else (found.counter, start)
    distance = f"({signs[0]} - {signs[1]}).to(tl.int32)"
    if not unit and w.chance(0.8):
        distance = f"{distance} // {step}"
    found.lines.append(f"{index} = {distance}")
    return found


def _rows(w: Writer, index: str, loads: _Loads, unit: int) -> Range:
    """The bounds are consecutive elements of an array, as of the rows of a sparse matrix."""
    base = w.array(w.fresh("rows"), w.pick("int32", "int32", "int64"), "rising")
    at = f"{base} + {w.pick('pid', loads.outer or '0', '0', '1')}"
    first, last = (w.assign(f"tl.load({at}{tail})") for tail in ("", " + 1"))
    if unit > 1:
        return Range(f"{first} * {unit}, {last} * {unit}, {unit}", index)
    steps = [f"{first}, {last}", f"{first}, {last}, 2", f"{last} - 1, {first} - 1, -1"]
    return Range(w.rng.choice(steps), index)


def _huge(w: Writer, index: str, loads: _Loads, unit: int) -> Range:
    """From one end of the type to the other in at most eight steps."""
    dtype = w.pick("int32", "int32", "int64", "uint32", "uint64")
    least, most = limits(dtype)
    bits = DType(dtype).bits
    step = w.pick(2 ** (bits - 3), 2 ** (bits - 2), 2 ** (bits - 2) - 1, 2 ** (bits - 2) + 5)
    lows = [least, least + 1, least + 2]
    highs = [most, most - 1, most - 2, 0]
    if w.chance(0.5):
        start, stop = loads.load(dtype, lows), loads.load(dtype, highs)
        if w.chance(0.5):
            arguments = f"{start}, {stop}, {loads.load(dtype, [step])}"
        else:
            arguments = f"{start}, {stop}, {step}"
    else:
        arguments = f"{loads.load(dtype, highs)}, {loads.load(dtype, lows)}, {-step}"
    counter = f"{index}_at"
    part = f"(({counter} >> {bits - 3}).to(tl.int32) & 7) * {unit}"
    return Range(arguments, counter, [f"{index} = {part}"])


def range_of(g: Generator, index: str) -> Range | None:
    """The same for kernels whose buffers hold any integers, if one does."""
    buffers = [b for b in g.buffers if not b.dtype.is_float and b.dtype.bits > 1]
    if not buffers:
        return None
    dtype = g.rng.choice(["int32", "int32", "int64"])
    step = g.rng.choice(STEPS)
    count, start, counter = (f"{index}_{name}" for name in ("count", "start", "at"))
    for name, most in ((count, 3), (start, g.rng.choice([0, 1, 3]))):
        buffer = g.rng.choice(buffers)
        text = f"tl.load({buffer.name}b + {g.rng.randrange(min(buffer.size, 16))})"
        g.line(f"{name} = {text}.to(tl.{dtype}) & {most}")
    if g.chance(0.3):
        arguments = g.rng.choice([f"{count}", f"{start}, {count}", f"{count}, -1, -1"])
        return Range(arguments, counter, [f"{index} = {counter}.to(tl.int32)"])
    least, most = limits(dtype)
    stop = f"{start} + {count} * {step}"
    if g.chance(0.6):
        edge = most if step > 0 else least + 1  # Python writes the smallest one as a difference
        g.line(f"{start} = {edge} - {start} - {count} * {step}")
        stop = str(edge)
    number = f"({counter} - {start}).to(tl.int32) // {step}"
    return Range(f"{start}, {stop}, {step}", counter, [f"{index} = {number}"])
