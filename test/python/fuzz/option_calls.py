"""Statements with the options of functions: of most, those that change no result."""

from __future__ import annotations

import math
from typing import Any

from any_size import descriptor
from generate import INTS
from operations import any_shape, pick

LOAD_CACHES = ["", ".ca", ".cg", ".cs", ".cv"]
STORE_CACHES = ["", ".wb", ".cg", ".cs", ".wt"]
EVICTIONS = ["", "evict_first", "evict_last", "evict_normal"]
PRECISIONS = ["ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"]
LOOP_OPTIONS = [
    "", "", "num_stages=2", "loop_unroll_factor=2", "loop_unroll_factor=3, num_stages=1",
    "flatten=True", "disable_licm=True", "disallow_acc_multi_buffer=True", "warp_specialize=True",
]  # fmt: skip


def loop_head(rng: Any, index: str, bounds: str) -> str:
    option = rng.choice(LOOP_OPTIONS)
    return f"for {index} in tl.range({bounds}{', ' if option else ''}{option}):"


def precise_dot(g: Any) -> None:
    """A dot of small whole numbers, which every precision holds exactly."""
    m, n, k = (g.size(32) if g.any_size else 2 ** g.rng.randint(0, 5) for _ in range(3))
    a, b = (g.tile(shape, "int32") for shape in ((m, k), (k, n)))
    operands = ", ".join(f"(({x} & 15) - 8).to(tl.float32)" for x in (a, b))
    option = g.rng.choice(
        [*(f"input_precision='{name}'" for name in PRECISIONS), "allow_tf32=True"]
    )
    if g.chance(0.2):
        option += ", max_num_imprecise_acc=4"
    acc = ""
    if g.chance(0.4):
        start = g.tile((m, n), "int32")
        acc = f"({start} & 15).to(tl.float32), "
    g.assign(f"tl.dot({operands}, {acc}{option})", "float32", (m, n))


def access(g: Any) -> None:
    shape = any_shape(g)
    buffers = [b for b in g.buffers if math.prod(shape) <= b.size]
    if not buffers:
        return
    buffer, eviction = g.rng.choice(buffers), g.rng.choice(EVICTIONS)
    address = g.address(buffer, shape, True)
    if g.chance(0.5):
        volatile = ", volatile=True" if g.chance(0.3) else ""
        cache = "" if volatile else f", cache_modifier='{g.rng.choice(LOAD_CACHES)}'"
        text = f"tl.load({address}, eviction_policy='{eviction}'{cache}{volatile})"
        g.assign(text, buffer.dtype, shape)
        return
    cache = g.rng.choice(STORE_CACHES)
    options = f"cache_modifier='{cache}', eviction_policy='{eviction}'"
    g.line(f"tl.store({address}, {g.tile(shape, buffer.dtype)}, {options})")


def loop(g: Any) -> None:
    """A sum over iterations."""
    shape = any_shape(g)
    if g.depth > 2 or not shape:
        return
    start = g.tile(shape, "int32")
    total = g.assign(f"{start} + 0", "int32", shape)
    g.loops += 1
    index = f"i{g.loops}"
    bounds = g.rng.choice(["ks", "0, ks + 3", "1, 6, 2", "ks, 5", "5, 0, -2"])
    g.line(loop_head(g.rng, index, bounds))
    g.line(f"    {total.name} = {total.name} * 3 + {index}")


def rounded_cast(g: Any) -> None:
    """A conversion toward zero, or of bits."""
    var = pick(g, lambda v: v.dtype in (INTS if g.floating else [*INTS, "float32", "float64"]))
    if not var:
        return
    if var.dtype.is_float:
        narrow = g.rng.choice(["float16", "bfloat16"])
        rounding = g.rng.choice(["rtz", "rtz", "rtne"])
        text = f"tl.cast({var.name}, tl.{narrow}, fp_downcast_rounding='{rounding}')"
        g.assign(text, narrow, var.shape)
        return
    other = var.dtype.removeprefix("u") if var.dtype.startswith("u") else f"u{var.dtype}"
    g.assign(f"tl.cast({var.name}, tl.{other}, bitcast=True)", other, var.shape)


def reordered(g: Any) -> None:
    """The sum of a tile whose elements are in an unspecified order."""
    var = pick(g, lambda v: v.dtype in INTS)
    if var:
        total = math.prod(var.shape)
        kinds = ["tl.ravel({}, can_reorder=True)", "tl.reshape({}, {}, 1, can_reorder=True)"]
        text = g.rng.choice(kinds).format(var.name, total)
        g.assign(f"tl.sum({text}.to(tl.int64), axis=None)", "int64", ())


def reduction(g: Any) -> None:
    """Arguments by name; positions of extrema that occur once."""
    var = pick(g, lambda v: v.dtype in INTS)
    if not var:
        return
    axis = g.rng.randrange(len(var.shape))
    rest = (*var.shape[:axis], *var.shape[axis + 1 :])
    x, wide = var.name, g.rng.choice(["int64", "int32"])
    unique = f"(({x} & 7).to(tl.int32) * 2048 + {g.range(var.shape, axis)})"
    which = g.rng.choice(["max", "min"])
    kind = g.rng.choice(["scan", "product", "arg", "with index", "extreme", "xor"])
    if kind == "scan":
        g.assign(f"tl.cumsum({x}, axis={axis}, dtype=tl.{wide})", wide, var.shape)
    elif kind == "product":
        dtype = g.rng.choice(["", wide])
        option = f", dtype=tl.{dtype}" if dtype else ""
        g.assign(f"tl.cumprod({x}, axis={axis}{option})", dtype or var.dtype, var.shape)
    elif kind == "arg":
        left = g.rng.choice([True, False])
        g.assign(f"tl.arg{which}({unique}, {axis}, tie_break_left={left})", "int32", rest)
    elif kind == "with index":
        option = f"return_indices=True, return_indices_tie_break_left={g.rng.choice([True, False])}"
        g.several([("int32", rest)] * 2, f"tl.{which}({unique}, axis={axis}, {option})")
    elif kind == "extreme":
        g.assign(f"tl.{which}({unique}, axis={axis})", "int32", rest)
    else:
        g.assign(f"tl.xor_sum({x}, axis={axis})", var.dtype, rest)


def ordered_atomic(g: Any) -> None:
    buffers = [b for b in g.buffers if not b.dtype.is_float and b.dtype.bits >= 32]
    shape = any_shape(g)
    buffers = [b for b in buffers if math.prod(shape) <= min(b.size, 256)]
    if not buffers:
        return
    buffer = g.rng.choice(buffers)
    kind = g.rng.choice(["add", "max", "min", "and", "or", "xor", "xchg", "cas"])
    if kind == "cas" and any(size & (size - 1) for size in shape):
        return
    operands = ", ".join(g.tile(shape, buffer.dtype) for _ in range(1 + (kind == "cas")))
    sem = g.rng.choice(["relaxed", "acquire", "release", "acq_rel"])
    scope = g.rng.choice(["gpu", "cta", "sys"])
    address = g.address(buffer, shape, True)
    call = f"tl.atomic_{kind}({address}, {operands}, sem='{sem}', scope='{scope}')"
    g.assign(call, buffer.dtype, shape)


def float_atomic(g: Any) -> None:
    """One value for each address, so that the order of additions does not matter."""
    shape = any_shape(g)
    buffers = [b for b in g.buffers if b.dtype.is_float and math.prod(shape) <= min(b.size, 256)]
    if not buffers or g.floating:
        return
    buffer = g.rng.choice(buffers)
    kinds = ["add", "max", "min"] + ["xchg"] * (buffer.dtype.bits > 16)
    kind = g.rng.choice(kinds)
    x = g.tile(shape, buffer.dtype)
    value = f"tl.where({x} == {x}, {x} + 0.0, 1.0).to(tl.{buffer.dtype})"
    mask = f", mask={g.mask(shape)}" if g.chance(0.3) else ""
    call = f"tl.atomic_{kind}({g.address(buffer, shape, True)}, {value}{mask})"
    if mask:
        g.line(call)
    else:
        g.assign(call, buffer.dtype, shape)


def padded(g: Any) -> None:
    """A descriptor whose padding is NaN, which the statement replaces."""
    buffers = [b for b in g.buffers if b.dtype.is_float]
    block = any_shape(g)
    if not buffers or not block or g.floating:
        return
    buffer = g.rng.choice(buffers)
    array = [max(size - 1, 1) for size in block]
    strides = [math.prod(array[i + 1 :]) for i in range(len(array))]
    if math.prod(array) > buffer.size:
        return
    at = descriptor(g, f"{buffer.name}b", array, strides, block)
    g.lines[-1] = g.lines[-1].removesuffix(")") + ", padding_option='nan')"
    v = g.assign(f"{at}.load([{', '.join('0' for _ in block)}])", buffer.dtype, block).name
    g.line(f"{v} = tl.where({v} == {v}, {v}, 1.0).to(tl.{buffer.dtype})")


def named(g: Any) -> None:
    """Arguments by name."""
    shape = any_shape(g)
    dtype = g.rng.choice(INTS)
    a, b = g.tile(shape, dtype), g.tile(shape, dtype)
    choices = [f"tl.{name}({a}, {b}, sanitize_overflow=False)" for name in ("add", "sub", "mul")]
    if shape:
        last = len(shape) - 1
        axis = g.rng.randrange(len(shape))
        choices.append(f"tl.flip({a}, dim={axis})")
        if shape[-1] <= 64:
            choices += [f"tl.sort({a}, dim={last})", f"tl.topk({a}, {shape[-1]}, dim={last})"]
        if shape[-1] <= 64 or not shape[-1] & (shape[-1] - 1):
            choices.append(f"tl.bitonic_merge(tl.sort({a}, dim={last}), dim={last})")
    g.assign(g.rng.choice(choices), dtype, shape)


def approximate(g: Any) -> None:
    shape = any_shape(g)
    if not g.floating:
        g.line(
            g.rng.choice(["tl.static_assert(GX >= 1, msg='x')", "tl.device_assert(True, msg='x')"])
        )
        return
    if g.chance(0.4):
        g.assign(f"tl.randn(ns, {g.tile(shape, 'int32')}, n_rounds=6)", "float32", shape)
    elif shape:
        value = g.calmed(f"({g.tile(shape, 'float32')})", "float32")
        options = f"dim={g.rng.randrange(len(shape))}, keep_dims=True, ieee_rounding=True"
        g.assign(f"tl.softmax({value}, {options})", "float32", shape)


OPERATIONS = {
    "precise dot": (12, precise_dot), "access": (8, access), "options of loops": (8, loop),
    "rounded cast": (8, rounded_cast), "reordered": (6, reordered), "arguments": (14, reduction),
    "ordered atomic": (12, ordered_atomic), "float atomic": (16, float_atomic),
    "padded": (6, padded), "named": (14, named),
    "approximate": (10, approximate),
}  # fmt: skip
