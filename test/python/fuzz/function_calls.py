"""Kernels that call the functions of the language which the other families leave out."""

from __future__ import annotations

import math

from any_size import descriptor, offset, sorting
from generate import DTYPES, FLOATS, INTS
from handover import access, poll
from method_calls import Calls
from operations import any_shape, atomic, pick, small
from option_calls import OPERATIONS as WITH_OPTIONS
from with_helpers import family

SMOOTH = ["exp", "exp2", "log", "log2", "sin", "cos", "tanh", "sigmoid", "erf", "rsqrt"]
NAN = ["", "", ", propagate_nan=tl.PropagateNan.ALL", ", propagate_nan=tl.PropagateNan.NONE"]


def arithmetic(g: Calls) -> None:
    """Functions and operators that are written in another way elsewhere."""
    shape = any_shape(g)
    dtype = g.rng.choice(INTS if g.floating else [*INTS, *FLOATS])
    a, b = g.tile(shape, dtype), g.tile(shape, dtype)
    choices = [
        f"tl.add({a}, {b})", f"tl.sub({a}, {b})", f"tl.mul({a}, {b})", f"+({a})", f"3 - ({a})",
        f"2 * ({a})", f"abs({a})",
    ]  # fmt: skip
    if dtype in INTS:
        choices += [
            f"5 & ({a})", f"9 | ({a})", f"6 ^ ({a})", f"max({a}, {b})", f"min({a}, {b})",
            f"({a}) // 7", f"({a}) % 9", f"({a}) << 3", f"({a}) >> 2",
            f"tl.cdiv(({a}) & 63, {g.rng.choice([1, 4, 7])})",
        ]  # fmt: skip
    g.assign(g.rng.choice(choices), dtype, shape)


def casts(g: Calls) -> None:
    var = pick(g, lambda v: v.dtype in INTS)
    if not var:
        return
    if len(var.shape) == 1 and g.chance(0.6):
        hint = g.rng.choice(
            ["multiple_of({} * 8, 8)", "max_contiguous({}, 1)", "max_constancy({}, 1)"]
        )
        g.assign(f"tl.{hint.format(var.name)}", var.dtype, var.shape)
        return
    dtype = g.rng.choice(INTS if g.floating else [*INTS, "int1", *FLOATS])
    g.assign(f"tl.cast({var.name}, tl.{dtype})", dtype, var.shape)


def in_place(g: Calls) -> None:
    var = pick(g, lambda v: v.dtype in INTS)
    if var:
        operator = g.rng.choice(["+", "-", "*", "&", "|", "^"])
        g.line(f"{var.name} {operator}= {g.tile(var.shape, var.dtype)}")


def logical(g: Calls) -> None:
    shape = any_shape(g)
    dtypes = [t for t in DTYPES if not (g.floating and t in FLOATS)]
    a, b = (g.tile(shape, g.rng.choice(dtypes)) for _ in range(2))
    text = g.rng.choice([
        f"tl.logical_and({a}, {b})", f"tl.logical_or({a}, {b})", f"tl.logical_not({a})",
        f"({a}) and ({b})", f"({a}) or ({b})", f"not ({a})",
    ])  # fmt: skip
    g.assign(text, "int1", shape)


def floats(g: Calls) -> None:
    shape = any_shape(g)
    dtype = g.rng.choice(FLOATS)
    a, b = (g.calmed(g.tile(shape, dtype), dtype) for _ in range(2))
    wide = "float32" if dtype == "bfloat16" else dtype
    bounded = "float64" if dtype == "float64" else "float32"  # the bounds are float32
    nan = g.rng.choice(NAN) if not g.floating else ""
    low, high = sorted(g.rng.sample([-3.5, -1.0, 0.0, 0.75, 2.0, 50.0], 2))
    choices = [
        (bounded, f"tl.clamp({a}, {low}, {high}{nan})"), (wide, f"tl.maximum({a}, {b}{nan})"),
        (wide, f"tl.minimum({a}, {b}{nan})"),
    ]  # fmt: skip
    positive = f"(tl.abs({b}) + 1.0)"
    if not g.floating:
        choices.append((dtype, f"tl.fdiv({a}, {positive}, ieee_rounding=True)"))
        choices += [("float32", f"tl.sqrt_rn({positive})")] * (dtype == "float32")
    else:
        single = "float64" if dtype == "float64" else "float32"
        operand = f"({a}).to(tl.{single})"
        approx = ", approx=True" if single == "float32" and g.chance(0.5) else ""
        choices += [
            (single, f"tl.erf({operand})"), (single, f"tl.rsqrt(tl.abs({operand}) + 0.5)"),
            (single, f"tl.{g.rng.choice(SMOOTH)}(tl.minimum(tl.abs({operand}) + 1.0, 8.0))"),
            (single, f"tl.math.exp(tl.minimum({operand}, 4.0))"),
            (single, f"tl.fdiv({operand}, tl.abs({operand}) + 1.0{approx})"),
        ] * 2  # fmt: skip
        if shape:
            axis = g.rng.randrange(len(shape))
            call = f"tl.softmax({g.calmed(f'({a})', dtype)}, {axis})"
            choices.append((single, call))
    result, text = g.rng.choice(choices)
    g.assign(text, result, shape)


def shapes(g: Calls) -> None:
    var = pick(g)
    if not var:
        return
    x, shape = var.name, var.shape
    axis = g.rng.randint(0, len(shape))
    wide = (*shape[:axis], 1, *shape[axis:])
    kinds = ["unsqueeze"] * (len(shape) < 3) + ["squeeze"] * (1 in shape) + ["broadcast", "view"]
    kind = g.rng.choice([*kinds, *["split"] * (math.prod(shape) % 2 == 0)])
    if kind == "unsqueeze":
        g.assign(f"tl.unsqueeze({x}, {axis})", var.dtype, wide)
    elif kind == "squeeze":
        axis = shape.index(1)
        g.assign(f"tl.squeeze({x}, {axis})", var.dtype, (*shape[:axis], *shape[axis + 1 :]))
    elif kind == "broadcast":
        part = tuple(1 if g.chance(0.5) else size for size in shape)
        dtype = g.rng.choice(INTS)
        g.several([(var.dtype, shape), (dtype, shape)], f"tl.broadcast({x}, {g.tile(part, dtype)})")
    elif kind == "split":
        half = math.prod(shape) // 2
        pairs = g.assign(f"tl.reshape({x}, {(half, 2)})", var.dtype, (half, 2))
        g.several([(var.dtype, (half,))] * 2, f"tl.split({pairs.name})")
    elif var.dtype in INTS:  # the order is unspecified
        total = math.prod(shape)
        first = math.gcd(2 ** g.rng.randint(0, 5), total)
        wide_type = g.rng.choice(["int64", "int32"])
        sizes = (first, total // first)
        viewed = g.rng.choice([f"tl.view({x}, {sizes})", f"{x}.view({sizes})"])
        text = f"tl.sum({viewed}.to(tl.{wide_type}))"
        g.assign(text, wide_type, ())


def reductions(g: Calls) -> None:
    var = pick(g)
    if not var:
        return
    axis = g.rng.randrange(len(var.shape))
    rest = (*var.shape[:axis], *var.shape[axis + 1 :])
    if var.dtype.is_float:
        if not g.floating:
            g.assign(f"tl.sum({small(g, var)}, {axis}, dtype=tl.float32)", "float32", rest)
        return
    tail = ", keep_dims=True" if g.chance(0.3) else ""
    if tail:
        rest = (*var.shape[:axis], 1, *var.shape[axis + 1 :])
    if var.dtype != "int1" and g.chance(0.3):
        bins = g.rng.choice([1, 4, 16])
        g.assign(f"tl.histogram(tl.ravel({var.name}) & 15, {bins})", "int32", (bins,))
        return
    wide = g.rng.choice(["int64", "uint32", "int32"])
    choices = [
        (var.dtype, f"tl.reduce_or({var.name}, {axis}{tail})"),
        (wide, f"tl.sum({var.name}, {axis}{tail}, dtype=tl.{wide})"),
    ]
    dtype, text = g.rng.choice(choices)
    g.assign(text, dtype, rest)


def scalars(g: Calls) -> None:
    """A scalar of the grid, and the only element of a tile."""
    if g.chance(0.5):
        g.assign(f"tl.num_programs({g.rng.randint(0, 2)})", "int32", ())
        return
    var = pick(g)
    if var:
        axis = g.rng.randrange(len(var.shape))
        if all(size == 1 for size in var.shape):
            g.assign(f"{var.name}.item()", var.dtype, ())
        elif not var.dtype.is_float and var.shape[axis] == math.prod(var.shape):
            x = f"tl.xor_sum({var.name}, {axis}, keep_dims=True)"
            g.assign(f"{x}.item()", var.dtype, ())


def merging(g: Calls) -> None:
    """Sorts rows of which one half ascends and the other descends."""
    var = pick(g, lambda v: math.prod(v.shape) <= 256 and v.dtype != "int1")
    if not var or (g.floating and var.dtype.is_float) or var.shape[-1] & (var.shape[-1] - 1):
        return
    if var.dtype.is_float:
        key = f"tl.where({var.name} == {var.name}, {var.name}, 0.0).to(tl.{var.dtype})"
    else:
        key = var.name
    row = g.assign(f"tl.sort({key})", var.dtype, var.shape)
    position = g.range(var.shape, len(var.shape) - 1)
    bent = f"tl.where({position} < {var.shape[-1] // 2}, {row.name}, tl.flip({row.name}))"
    descending = g.rng.choice(["", ", descending=True"])
    g.assign(f"tl.bitonic_merge({bent}{descending})", var.dtype, var.shape)


def swizzle(g: Calls) -> None:
    rows, columns, group = g.rng.randint(1, 9), g.rng.randint(1, 9), g.rng.randint(1, 4)
    shape = any_shape(g)
    if not shape:
        return
    index = g.assign(f"({g.tile(shape, 'int32')} & 1023) % {rows * columns}", "int32", shape)
    i, j = f"{index.name} // {columns}", f"{index.name} % {columns}"
    call = f"tl.swizzle2d({i}, {j}, {rows}, {columns}, {group})"
    g.several([("int32", shape)] * 2, call)


def randoms(g: Calls) -> None:
    shape = any_shape(g)
    seed = g.rng.choice([*g.scalars, "1234567", g.tile(shape, "int64")])
    offset = g.tile(shape, g.rng.choice(["int32", "int64", "uint32"]))
    rounds = g.rng.choice(["", "", ", 7", ", n_rounds=tl.N_ROUNDS_DEFAULT"])
    kinds = ["randint", "randint4x", "philox", "philox_impl", "uniform"]
    kinds += ["randn", "randn4x", "pair"] if g.floating else ["rand", "rand4x"]
    kind = g.rng.choice(kinds)
    if kind.startswith(("rand", "randn")):
        dtype = "uint32" if "int" in kind else "float32"
        call = f"tl.{kind}({seed}, {offset}{rounds})"
        g.several([(dtype, shape)] * 4, call) if "4x" in kind else g.assign(call, dtype, shape)
    elif kind == "pair":
        text = f"tl.rand4x({seed}, {offset})"
        a, b, _, _ = (v.name for v in g.several([("float32", shape)] * 4, text))
        g.several([("float32", shape)] * 2, f"tl.pair_uniform_to_normal({a}, {b})")
    elif kind == "uniform":
        bits = g.tile(shape, g.rng.choice(["uint32", "int32", "uint64", "int64"]))
        g.assign(f"tl.uint_to_uniform_float({bits})", "float32", shape)
    else:
        word = g.rng.choice(["uint32", "uint64"])
        words = [g.tile(shape, word) for _ in range(4)]
        keys = [g.tile(shape, word) for _ in range(2)] if kind == "philox_impl" else []
        first = [] if keys else [seed]
        call = f"tl.{kind}({', '.join([*first, *words, *keys])}{rounds})"
        g.several([(word, shape)] * 4, call)


def descriptors(g: Calls) -> None:
    """Loads and stores of a tensor descriptor by functions."""
    block = any_shape(g)
    if not block:
        return
    buffer = g.rng.choice([b for b in g.buffers if b.dtype != "int1"] or g.buffers)
    array, strides, room = [], [], buffer.size
    for size in reversed(block):
        length = max(1, min(g.rng.choice([size, size + 1, 2 * size]), room))
        strides.insert(0, math.prod(array))
        array.insert(0, length)
        room //= length
    at = descriptor(g, f"{buffer.name}b", array, strides, block)
    places = ", ".join(offset(g, a, b) for a, b in zip(array, block, strict=True))
    if g.chance(0.6):
        g.assign(f"tl.load_tensor_descriptor({at}, [{places}])", buffer.dtype, block)
    else:
        g.line(f"tl.store_tensor_descriptor({at}, [{places}], {g.tile(block, buffer.dtype)})")


def compare_and_swap(g: Calls) -> None:
    buffers = [b for b in g.buffers if b.dtype in INTS and b.dtype.bits >= 32]
    shape = any_shape(g)
    buffers = [b for b in buffers if math.prod(shape) <= b.size]
    if buffers and not any(size & (size - 1) for size in shape):
        buffer = g.rng.choice(buffers)
        compare, value = (g.tile(shape, buffer.dtype) for _ in range(2))
        call = f"tl.atomic_cas({g.address(buffer, shape, True)}, {compare}, {value})"
        g.assign(call, buffer.dtype, shape)


def checks(g: Calls) -> None:
    """Assertions that hold, and barriers."""
    shape = any_shape(g)
    a = g.tile(shape, "int32")
    if g.chance(0.2):
        g.assign(f"tl.expect_zero({a}, ({a}) == 0)", "int32", shape)
        return
    g.line(g.rng.choice([
        "tl.debug_barrier()", "tl.debug_barrier()", "tl.static_assert(GX >= 1, 'the grid')",
        "tl.static_assert(GX + GY > 1)", f"tl.device_assert(({a}) * 0 == 0, 'zero')",
        f"tl.device_assert(({a}) > 0, 'positive', mask=({a}) > 0)",
    ]))  # fmt: skip


OPERATIONS = {
    "arithmetic": (25, arithmetic), "casts": (20, casts), "in place": (12, in_place),
    "logical": (20, logical), "floats": (40, floats), "shapes": (25, shapes),
    "reductions": (20, reductions), "scalars": (8, scalars), "merging": (8, merging),
    "swizzle": (8, swizzle), "randoms": (40, randoms), "descriptors": (12, descriptors),
    "checks": (8, checks), "compare and swap": (8, compare_and_swap), "atomic": (12, atomic),
    "atomic access": (8, access), "poll": (8, poll), "sorting": (8, sorting),
    **WITH_OPTIONS,
}  # fmt: skip

write = family(OPERATIONS, size=9, any_size=0.3, generator=Calls)
