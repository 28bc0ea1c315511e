"""The statements of random kernels: their weights, and the functions that write them."""

from __future__ import annotations

import math
from typing import Any

from control import branch, loop, walk, while_loop
from generate import DTYPES, FLOATS, INTS, Generator, Var, mask_below
from tiles import DType

COMPARE = ["<", "<=", ">", ">=", "==", "!="]


def pick(g: Generator, want: Any = None) -> Var | None:
    known = [
        v for v in g.vars() if v.shape and v.name.startswith("v") and (want is None or want(v))
    ]
    if known and g.chance(0.7):
        known = known[-5:]
    return g.rng.choice(known) if known else None


def any_shape(g: Generator) -> tuple[int, ...]:
    var = pick(g)
    return var.shape if var and g.chance(0.8) else g.shape


def elementwise(g: Generator) -> None:
    shape = any_shape(g)
    if g.floating and g.chance(0.6):
        dtype = g.rng.choice(FLOATS)
    else:
        var = pick(g, lambda v: v.shape == shape)
        dtype = var.dtype if var and g.chance(0.6) else g.rng.choice(DTYPES)
    if dtype == "int1":
        booleans(g, shape)
    elif DType(dtype).is_float:
        floats(g, shape, dtype)
    else:
        integers(g, shape, dtype)


def booleans(g: Generator, shape: tuple[int, ...]) -> None:
    a, b = (g.tile(shape, "int1") for _ in range(2))
    text = g.rng.choice(
        [f"{a} & {b}", f"{a} | {b}", f"{a} ^ {b}", f"~({a})", f"tl.where({a}, ~{b}, {b})"]
    )
    g.assign(text, "int1", shape)


def integers(g: Generator, shape: tuple[int, ...], dtype: str) -> None:
    bits = DType(dtype).bits
    a = g.tile(shape, dtype)
    b = g.tile(shape, dtype) if g.chance(0.7) else g.number(dtype)
    c = g.tile(shape, dtype)
    op = g.rng.choice(["+", "-", "*", "&", "|", "^", "+", "-", "*"])
    if b.lstrip("-").isdigit() and int(b) < 0:
        b = f"({b})"
    shift = f"(({c}) & {bits - 1})"
    divisor = f"((({c}) & 7) + 1)"
    choices = [
        f"({a}) {op} ({b})", f"({a}) {op} ({b})", f"({a}) {op} ({b})",
        f"({a}) << {shift}", f"({a}) >> {shift}", f"({a}) // {divisor}", f"({a}) % {divisor}",
        f"-({a})", f"~({a})", f"tl.abs({a})",
        f"tl.where({g.mask(shape)}, {a}, {b})",
        f"tl.maximum({a}, {c})", f"tl.minimum({a}, {c})",
    ]  # fmt: skip
    if bits >= 32:
        choices.append(f"tl.umulhi({a}, {c})")
    g.assign(g.rng.choice(choices), dtype, shape)


def floats(g: Generator, shape: tuple[int, ...], dtype: str) -> None:
    a = g.calmed(g.tile(shape, dtype), dtype)
    b = g.tile(shape, dtype) if g.chance(0.7) else g.number(dtype)
    b = g.calmed(b, dtype) if not _is_number(b) else f"({b})"
    c = g.calmed(g.tile(shape, dtype), dtype)
    positive = f"(tl.abs({c}) + 1.0)"
    half = dtype in ("float16", "bfloat16")
    divided = ("float32" if half else dtype, f"({a}) / {positive}")
    choices = [
        (dtype, f"({a}) + ({b})"), (dtype, f"({a}) - ({b})"), (dtype, f"({a}) * ({b})"),
        (dtype, f"-({a})"), (dtype, f"tl.abs({a})"),
        (dtype, f"tl.where({g.mask(shape)}, {a}, {b})"),
        ("float32" if dtype == "bfloat16" else dtype, f"tl.maximum({a}, {c})"),
        ("float32" if dtype == "bfloat16" else dtype, f"tl.minimum({a}, {c})"),
    ]  # fmt: skip
    if g.floating:
        wide = dtype if dtype == "float64" else "float32"
        function = g.rng.choice(
            ["exp", "exp2", "sin", "cos", "tanh", "sigmoid", "log", "log2", "fma"]
        )
        operand = f"tl.minimum(tl.maximum(({a}).to(tl.{wide}), -8.0), 8.0)"
        if function == "fma":
            text = f"tl.fma(({a}).to(tl.{wide}), ({c}).to(tl.{wide}), {operand})"
        elif function.startswith("log"):
            text = f"tl.{function}(tl.abs({operand}) + 1.0)"
        else:
            text = f"tl.{function}({operand})"
        choices += [(wide, text)] * 5 + [divided]
    else:
        choices += [
            (divided[0], f"({a}) % {positive}"),
            (dtype, f"tl.where(({a}) {g.rng.choice(COMPARE)} ({b}), {a}, {c})"),
        ]
        if not half:
            choices += [
                (dtype, f"tl.floor({a})"),
                (dtype, f"tl.ceil({a})"),
                (dtype, f"tl.sqrt(tl.abs({a}))"),
            ]
    result, text = g.rng.choice(choices)
    g.assign(text, result, shape)


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "").isdigit()


def comparison(g: Generator) -> None:
    shape = any_shape(g)
    dtype = g.rng.choice(INTS if g.floating else [*INTS, *FLOATS])
    a, b = g.tile(shape, dtype), g.tile(shape, dtype)
    g.assign(f"({a}) {g.rng.choice(COMPARE)} ({b})", "int1", shape)


def broadcasting(g: Generator) -> None:
    """Operands of different shapes."""
    var = pick(g, lambda v: len(v.shape) > 1 and v.dtype != "int1")
    if not var or (g.floating and var.dtype.is_float):
        return
    sizes = tuple(1 if g.chance(0.5) else size for size in var.shape)
    other = g.tile(sizes, var.dtype)
    g.assign(f"{var.name} {g.rng.choice(['+', '-', '*'])} ({other})", var.dtype, var.shape)


def bitcast(g: Generator) -> None:
    var = pick(g, lambda v: v.dtype != "int1")
    if not var or (g.floating and var.dtype.is_float):
        return
    same = [t for t in INTS if DType(t).bits == var.dtype.bits]
    dtype = g.rng.choice(same)
    text = var.name
    if var.dtype.is_float:
        text = f"tl.where({text} == {text}, {text} + 0.0, 0.0).to(tl.{var.dtype})"
        if var.dtype == "bfloat16":
            return
    g.assign(f"({text}).to(tl.{dtype}, bitcast=True)", dtype, var.shape)


# shapes


def shape_change(g: Generator) -> None:
    var = pick(g)
    if not var:
        return
    x, s = var.name, var.shape
    options: list[tuple[str, tuple[int, ...]]] = [(f"tl.ravel({x})", (math.prod(s),))]
    if len(s) > 1:
        order = list(range(len(s)))
        g.rng.shuffle(order)
        dims = ", ".join(map(str, order))
        options += [(f"tl.permute({x}, {dims})", tuple(s[d] for d in order))] * 2
        options.append((f"tl.trans({x})", (*s[:-2], s[-1], s[-2])))
    if len(s) < 3:
        axis = g.rng.randint(0, len(s))
        options.append((f"tl.expand_dims({x}, {axis})", (*s[:axis], 1, *s[axis:])))
        options.append((f"{x}[:, None]" if len(s) == 1 else f"{x}[:, None, :]", (s[0], 1, *s[1:])))
    if 1 in s:
        wide = tuple(
            g.rng.choice([3, 5] if g.any_size else [2, 4]) if size == 1 and g.chance(0.7) else size
            for size in s
        )
        options.append((f"tl.broadcast_to({x}, {wide})", wide))
    total = math.prod(s)
    first = math.gcd(2 ** g.rng.randint(0, total.bit_length() - 1), total)
    rest = total // first
    second = math.gcd(2 ** g.rng.randint(0, rest.bit_length() - 1), rest)
    if g.any_size and g.chance(0.5):
        first, rest, second = rest, first, math.gcd(second, first)
    options.append((f"tl.reshape({x}, {(first, rest)})", (first, rest)))
    options.append(
        (f"tl.reshape({x}, {(first, second, rest // second)})", (first, second, rest // second))
    )
    text, shape = g.rng.choice(options)
    if math.prod(shape) <= 4096:
        g.assign(text, var.dtype, shape)


def joining(g: Generator) -> None:
    var = pick(g, lambda v: math.prod(v.shape) <= 1024)
    if not var:
        return
    other = g.tile(var.shape, var.dtype)
    s = var.shape
    kind = g.rng.choice(["join", "cat", "interleave", "split"])
    if kind == "split" and s[-1] == 2 and len(s) > 1:
        names = g.fresh(), g.fresh()
        g.line(f"{names[0]}, {names[1]} = tl.split({var.name})")
        g.scopes[-1] += [Var(name, var.dtype, s[:-1]) for name in names]
    elif kind == "join" and len(s) < 3:
        g.assign(f"tl.join({var.name}, {other})", var.dtype, (*s, 2))
    elif kind == "cat":
        dim = g.rng.randrange(len(s))
        option = f"dim={dim}" if dim else g.rng.choice(["can_reorder=True", "dim=0"])
        shape = (*s[:dim], 2 * s[dim], *s[dim + 1 :])
        g.assign(f"tl.cat({var.name}, {other}, {option})", var.dtype, shape)
    else:
        g.assign(f"tl.interleave({var.name}, {other})", var.dtype, (*s[:-1], 2 * s[-1]))


def gathering(g: Generator) -> None:
    var = pick(g)
    if not var:
        return
    axis = g.rng.randrange(len(var.shape))
    if g.chance(0.3):
        g.assign(f"tl.flip({var.name}, {axis})", var.dtype, var.shape)
        return
    length = g.rng.choice([1, 2, var.shape[axis], var.shape[axis]])
    shape = (*var.shape[:axis], length, *var.shape[axis + 1 :])
    index = g.tile(shape, g.rng.choice(["int32", "int32", "int64", "int16", "uint8"]))
    limit = mask_below(min(var.shape[axis], 128))
    g.assign(f"tl.gather({var.name}, ({index}) & {limit}, {axis})", var.dtype, shape)


# reductions


def small(g: Generator, var: Var) -> str:
    """Floats whose sums are exact."""
    return f"tl.minimum(tl.maximum(tl.floor({var.name}.to(tl.float32)), -8.0), 8.0)"


def summed(dtype: DType) -> DType:
    if dtype.is_float or dtype.bits >= 32:
        return dtype
    return DType("int32" if dtype.is_signed else "uint32")


def extremum(dtype: DType) -> DType:
    if dtype.is_float:
        return DType("float32" if dtype.bits < 32 else dtype)
    return DType("int32") if dtype.bits < 32 else dtype


def without(shape: tuple[int, ...], axis: int | None, keep: bool) -> tuple[int, ...]:
    if axis is None:
        return tuple(1 for _ in shape) if keep else ()
    return tuple(1 if d == axis else size for d, size in enumerate(shape) if keep or d != axis)


def reduction(g: Generator) -> None:
    var = pick(g)
    if not var:
        return
    axis = None if g.chance(0.15) else g.rng.randrange(len(var.shape))
    keep = g.chance(0.3)
    shape = without(var.shape, axis, keep)
    tail = f", {axis}" + (", keep_dims=True" if keep else "")
    x, dtype = var.name, var.dtype
    options = []
    if not dtype.is_float:
        options += [(f"tl.sum({x}{tail})", summed(dtype))] * 2
        options += [(f"tl.xor_sum({x}{tail})", dtype)]
    elif g.floating:
        calm = g.calmed(x, dtype)
        options += [(f"tl.sum({calm}{tail})", dtype)] * 3
    else:
        options += [(f"tl.sum({small(g, var)}{tail})", DType("float32"))] * 2
    if dtype != "int1":
        options += [(f"tl.{g.rng.choice(['max', 'min'])}({x}{tail})", extremum(dtype))] * 2
    if dtype != "int1" and axis is not None and not (g.floating and dtype.is_float):
        key = f"tl.where({x} == {x}, {x}, 0.0).to(tl.{dtype})" if dtype.is_float else x
        if g.chance(0.5):
            key = f"({x} & 3)" if not dtype.is_float else key  # ties
        options += [(f"tl.{g.rng.choice(['argmax', 'argmin'])}({key}{tail})", DType("int32"))] * 2
    if axis is not None and not dtype.is_float and dtype != "int1":
        options.append(
            (f"tl.reduce({x}, {axis}, both_bits{', keep_dims=True' if keep else ''})", dtype)
        )
    text, result = g.rng.choice(options)
    g.assign(text, result, shape)


def tuple_reduction(g: Generator) -> None:
    var = pick(g, lambda v: not v.dtype.is_float and v.dtype != "int1")
    if not var:
        return
    axis = g.rng.randrange(len(var.shape))
    shape = without(var.shape, axis, False)
    kind = g.rng.choice(["count", "three", "indices"])
    x, dtype = var.name, var.dtype
    if kind == "count":
        ones = g.tile(var.shape, "int32")
        names, types = [g.fresh(), g.fresh()], [dtype, DType("int32")]
        g.line(f"{names[0]}, {names[1]} = tl.reduce(({x}, {ones}), {axis}, count_greatest)")
    elif kind == "three":
        other = g.tile(var.shape, "int32")
        names, types = [g.fresh() for _ in range(3)], [dtype, dtype, DType("int32")]
        g.line(f"{', '.join(names)} = tl.reduce(({x}, {x}, {other}), {axis}, extremes_and_sum)")
    else:
        names, types = [g.fresh(), g.fresh()], [dtype, DType("int32")]
        which = g.rng.choice(["max", "min"])
        g.line(f"{names[0]}, {names[1]} = tl.{which}({x} & 7, {axis}, return_indices=True)")
    g.scopes[-1] += [Var(name, t, shape) for name, t in zip(names, types, strict=True)]


def scan(g: Generator) -> None:
    var = pick(g, lambda v: v.dtype != "int1")
    if not var:
        return
    axis = g.rng.randrange(len(var.shape))
    tail = ", reverse=True" if g.chance(0.5) else ""
    x, dtype = var.name, var.dtype
    if dtype.is_float:
        if g.floating:
            text = f"tl.cumsum({g.calmed(x, dtype)}.to(tl.float32), {axis}{tail})"
        else:
            text = f"tl.cumsum({small(g, var)}, {axis}{tail})"
        g.assign(text, "float32", var.shape)
        return
    kind = g.rng.choice(["cumsum", "cumprod", "compose", "later"])
    if kind == "compose":
        other = g.tile(var.shape, dtype)
        names = g.fresh(), g.fresh()
        g.line(
            f"{names[0]}, {names[1]} = tl.associative_scan(({x}, {other}), {axis}, compose{tail})"
        )
        g.scopes[-1] += [Var(name, dtype, var.shape) for name in names]
    elif kind == "later":
        g.assign(f"tl.associative_scan({x} & 3, {axis}, keep_later{tail})", dtype, var.shape)
    elif kind == "cumsum":
        g.assign(f"tl.cumsum({x}, {axis}{tail})", summed(dtype), var.shape)
    else:
        g.assign(f"tl.cumprod({x}, {axis}{tail})", dtype, var.shape)


def product(g: Generator) -> None:
    batch = g.rng.choice([(), (), (2,), (1,)])
    m, n, k = (g.size(32) if g.any_size else 2 ** g.rng.randint(0, 5) for _ in range(3))
    dtype = g.rng.choice(["int8", "float16", "bfloat16", "float32", "float64"])
    out = {"int8": "int32", "float64": "float64"}.get(dtype, "float32")
    limit = f"tl.{dtype}"
    operands = []
    for shape in ((*batch, m, k), (*batch, k, n)):
        name = g.tile(shape, dtype)
        if DType(dtype).is_float and not g.floating:
            name = (
                f"tl.minimum(tl.maximum(tl.floor(({name}).to(tl.float32)), -8.0), 8.0).to({limit})"
            )
        elif DType(dtype).is_float:
            name = g.calmed(f"({name})", dtype)
        operands.append(name)
    shape = (*batch, m, n)
    acc = ""
    if g.chance(0.4):
        start = g.tile(shape, out)
        if out != "int32":
            start = (
                g.calmed(f"({start})", out)
                if g.floating
                else f"tl.minimum(tl.maximum(tl.floor({start}), -8.0), 8.0)"
            )
        acc = f", acc={start}"
    if dtype == "float16" and not acc and g.chance(0.3):
        acc, out = ", out_dtype=tl.float16", "float16"
    g.assign(f"tl.dot({operands[0]}, {operands[1]}{acc})", out, shape)


# memory


def store(g: Generator, var: Var | None = None) -> None:
    var = var or pick(g) or g.load(g.shape)
    fitting = [b for b in g.buffers if math.prod(var.shape) <= b.size]
    same = [b for b in fitting if b.dtype == var.dtype]
    if same and g.chance(0.7):
        fitting = same
    if not fitting:
        return
    buffer = g.rng.choice(fitting)
    address = g.address(buffer, var.shape, True)
    mask = f", mask={g.mask(var.shape)}" if g.chance(0.3) else ""
    g.line(f"tl.store({address}, {g.converted(var, buffer.dtype)}{mask})")


def store_back(g: Generator) -> None:
    """Loads and stores of the same memory under different addresses."""
    buffer = g.rng.choice(g.buffers)
    var = g.load(g.shape, buffer.dtype)
    store(g, var)
    g.load(g.shape, buffer.dtype)


def load(g: Generator) -> None:
    g.load(any_shape(g))


def atomic(g: Generator) -> None:
    buffers = [b for b in g.buffers if not b.dtype.is_float and b.dtype.bits >= 32]
    if not buffers:
        return
    buffer = g.rng.choice(buffers)
    shape = any_shape(g) if g.chance(0.8) else ()
    if math.prod(shape) > 256 or math.prod(shape) > buffer.size:
        return
    kind = g.rng.choice(["add", "max", "min", "and", "or", "xor", "xchg"])
    unique = kind == "xchg" or g.chance(0.5)
    address = g.address(buffer, shape, unique)
    mask = f", mask={g.mask(shape)}" if g.chance(0.3) else ""
    call = f"tl.atomic_{kind}({address}, {g.tile(shape, buffer.dtype)}{mask})"
    if unique and not mask and g.chance(0.6):
        g.assign(call, buffer.dtype, shape)
    else:
        g.line(call)


OPERATIONS = {
    "elementwise": (30, elementwise),
    "comparison": (4, comparison),
    "broadcasting": (5, broadcasting),
    "bitcast": (3, bitcast),
    "shape": (10, shape_change),
    "joining": (6, joining),
    "gathering": (5, gathering),
    "reduction": (10, reduction),
    "tuple reduction": (4, tuple_reduction),
    "scan": (6, scan),
    "product": (4, product),
    "load": (6, load),
    "store": (8, store),
    "store back": (5, store_back),
    "atomic": (4, atomic),
    "loop": (6, loop),
    "while": (2, while_loop),
    "branch": (5, branch),
    "walk": (5, walk),
}
