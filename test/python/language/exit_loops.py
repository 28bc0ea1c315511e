"""Loops of dots that end early, and their execution in Python with NumPy in place of the language.

Arrays have CHUNKS chunks of K. A loop that loads another chunk than Python does reads beyond them
sooner or later, which an emulated GPU with checks reports.
"""

import types

import numpy as np
import torch

import tilewright
import tilewright.language as tl

M, N, K = 64, 32, 32
CHUNKS = 6
COLUMNS = tl.constexpr(K * CHUNKS)
SIDES = tl.constexpr((M, N, K))


@tilewright.jit
def product(a, b, chunk, acc):
    m, n, k = (
        tl.arange(0, SIDES[0]),
        tl.arange(0, SIDES[1]),
        chunk * SIDES[2] + tl.arange(0, SIDES[2]),
    )
    x = tl.load(a + m[:, None] * COLUMNS + k[None, :])
    y = tl.load(b + k[:, None] * SIDES[1] + n[None, :])
    return tl.dot(x, y, acc)


@tilewright.jit
def finish(out, notes, acc, first, second):
    m, n = tl.arange(0, SIDES[0]), tl.arange(0, SIDES[1])
    tl.store(out + m[:, None] * SIDES[1] + n[None, :], acc)
    tl.store(notes, first)
    tl.store(notes + 1, second)


kernel = tilewright.jit(do_not_specialize=("n", "limit"))


@kernel
def exit_at_the_top(a, b, out, notes, flags, n, limit, low, step):
    acc, count, last = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0, -1
    for i in range(low, n, step):
        if i >= limit:
            break
        acc = product(a, b, i, acc)
        count += 1
        last = i
    finish(out, notes, acc, count, last)


@kernel
def exit_at_the_bottom(a, b, out, notes, flags, n, limit, low, step):
    acc, count, last = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0, -1
    for i in range(low, n, step):
        acc = product(a, b, i, acc)
        last = i
        if i + 1 > limit:
            break
        count += 1
    finish(out, notes, acc, count, last)


@kernel
def exit_between_dots(a, b, out, notes, flags, n, limit, low, step):
    acc, count = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0
    for i in range(low, n, step):
        acc = product(a, b, i, acc)
        tl.store(notes + 2 + i, i)
        if 2 * i - 1 > limit:
            break
        count += i
        acc = product(a, b, i // 2, acc)
        tl.store(notes + 10 + i, count)
    finish(out, notes, acc, count, limit)


@kernel
def return_at_the_top(a, b, out, notes, flags, n, limit, low, step):
    acc = tl.zeros((SIDES[0], SIDES[1]), tl.float32)
    for i in range(low, n, step):
        if limit <= i:
            tl.store(notes + 3, i)
            return
        acc = product(a, b, i, acc)
        tl.store(notes + 2, i)
    finish(out, notes, acc, n, limit)


@kernel
def return_in_the_middle(a, b, out, notes, flags, n, limit, low, step):
    acc = tl.zeros((SIDES[0], SIDES[1]), tl.float32)
    for i in range(low, n, step):
        acc = product(a, b, i, acc)
        if i >= limit:
            finish(out, notes, acc, i, 77)
            return
        acc = product(a, b, i, acc)
    finish(out, notes, acc, n, limit)


@kernel
def otherwise(a, b, out, notes, flags, n, limit, low, step):
    acc, count = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0
    for i in range(low, n, step):
        if i > limit:
            count += 50
            break
        acc = product(a, b, i, acc)
        count += 1
    else:
        count += 1000
        acc = acc * 2
    finish(out, notes, acc, count, limit)


@kernel
def several_exits(a, b, out, notes, flags, n, limit, low, step):
    acc, count = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0
    for i in range(low, n, step):
        if i == 5:
            count += 100
            break
        if i * 3 > limit * 2:
            acc = acc * 2
            break
        if n == 3:
            count += 200
            if i > 0:
                break
        acc = product(a, b, i, acc)
        count += 1
    finish(out, notes, acc, count, limit)


@kernel
def exit_and_continue(a, b, out, notes, flags, n, limit, low, step):
    acc, count = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0
    for i in range(low, n, step):
        if i % 2 == 1:
            count += 7
            continue
        if i >= limit:
            break
        acc = product(a, b, i, acc)
        count += 1
    finish(out, notes, acc, count, limit)


@kernel
def nested_conditions(a, b, out, notes, flags, n, limit, low, step):
    acc, count = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0
    for i in range(low, n, step):
        if n > 3:
            if i >= limit:
                break
            count += 1
        if not (i < 4 or limit == 2):
            break
        acc = product(a, b, i, acc)
    finish(out, notes, acc, count, limit)


@kernel
def conditions_without_closed_form(a, b, out, notes, flags, n, limit, low, step):
    acc, total = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0
    for i in range(low, n, step):
        total += i
        if total * total > limit * 3 or i // 2 > limit:
            break
        if i > 1 and i % 4 == 3:
            break
        acc = product(a, b, i, acc)
    finish(out, notes, acc, total, limit)


@kernel
def loaded_condition(a, b, out, notes, flags, n, limit, low, step):
    acc, count = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0
    for i in range(low, n, step):
        if tl.load(flags + i) >= limit:
            break
        acc = product(a, b, i, acc)
        count += 1
    finish(out, notes, acc, count, limit)


@kernel
def condition_of_the_sum(a, b, out, notes, flags, n, limit, low, step):
    acc, count = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0
    for i in range(low, n, step):
        acc = product(a, b, i, acc)
        count += 1
        if tl.max(tl.max(acc, 1), 0) > limit * 40.0:
            break
    finish(out, notes, acc, count, limit)


@kernel
def plain_while(a, b, out, notes, flags, n, limit, low, step):
    acc, i = tl.zeros((SIDES[0], SIDES[1]), tl.float32), low
    while i < n:
        acc = product(a, b, i, acc)
        i += step
    finish(out, notes, acc, i, limit)


@kernel
def while_with_two_conditions(a, b, out, notes, flags, n, limit, low, step):
    acc, i, rest = tl.zeros((SIDES[0], SIDES[1]), tl.float32), low, limit
    while i < n and rest > 0:
        acc = product(a, b, i, acc)
        rest -= 2
        i += step
    finish(out, notes, acc, i, rest)


@kernel
def while_with_exits(a, b, out, notes, flags, n, limit, low, step):
    acc, i = tl.zeros((SIDES[0], SIDES[1]), tl.float32), low
    while i < n:
        if i > limit:
            break
        acc = product(a, b, i, acc)
        i += step
    else:
        acc = acc * 4
    finish(out, notes, acc, i, limit)


@kernel
def while_that_ends_before_its_step(a, b, out, notes, flags, n, limit, low, step):
    acc, i, count = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0, 0
    while i < n:
        acc = product(a, b, i, acc)
        count += 10
        if i * step >= limit:
            break
        i += 1
    finish(out, notes, acc, i, count)


@kernel
def endless_while(a, b, out, notes, flags, n, limit, low, step):
    acc, i = tl.zeros((SIDES[0], SIDES[1]), tl.float32), low
    while True:
        if i >= n:
            break
        acc = product(a, b, i, acc)
        i += step
    finish(out, notes, acc, i, limit)


@kernel
def halving_while(a, b, out, notes, flags, n, limit, low, step):
    acc, i = tl.zeros((SIDES[0], SIDES[1]), tl.float32), n
    while i > 0:
        i = i // 2
        acc = product(a, b, i, acc)
    finish(out, notes, acc, i, limit)


@kernel
def inner_exit(a, b, out, notes, flags, n, limit, low, step):
    acc, count = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0
    for j in range(3):
        for i in range(low, n, step):
            if i + j >= limit:
                break
            acc = product(a, b, i, acc)
            count += 1
        acc = acc * 0.5
    finish(out, notes, acc, count, limit)


@kernel
def outer_exit(a, b, out, notes, flags, n, limit, low, step):
    acc, count = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0
    for j in range(5):
        if j * 2 > limit:
            break
        for i in range(low, n, step):
            acc = product(a, b, i, acc)
            count += 1
        acc = acc * 0.5
    finish(out, notes, acc, count, limit)


@kernel
def exits_of_a_nest(a, b, out, notes, flags, n, limit, low, step):
    acc, count = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0
    for j in range(4):
        total = 0
        for i in range(low, n, step):
            if i > j:
                break
            if i * j > limit:
                finish(out, notes, acc, i, j)
                return
            acc = product(a, b, i, acc)
            total += i
        if total > limit:
            break
        tl.store(notes + 2 + j, total)
        count += 1
    finish(out, notes, acc, count, limit)


@kernel
def descending(a, b, out, notes, flags, n, limit, low, step):
    acc, last = tl.zeros((SIDES[0], SIDES[1]), tl.float32), -1
    for i in range(n - 1, low - 1, -1):
        if i < limit:
            break
        acc = product(a, b, i, acc)
        last = i
    for i in range(n - 1, 0, -2):
        if limit >= i:
            break
        acc = product(a, b, i, acc * 0.5)
    finish(out, notes, acc, last, limit)


@kernel
def equal_and_unequal(a, b, out, notes, flags, n, limit, low, step):
    acc, count = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0
    for i in range(low, n, step):
        if 2 * i == limit:
            break
        acc = product(a, b, i, acc)
        count += 1
    for i in range(low, n, step):
        if i != limit:
            break
        acc = product(a, b, i, acc * 0.5)
        count += 10
    finish(out, notes, acc, count, limit)


@kernel
def carried_tiles(a, b, out, notes, flags, n, limit, low, step):
    acc, other, count = (
        tl.zeros((SIDES[0], SIDES[1]), tl.float32),
        tl.zeros((SIDES[0], SIDES[1]), tl.float32),
        0,
    )
    for i in range(low, n, step):
        acc = product(a, b, i, acc)
        if i >= limit:
            acc = acc - other
            count = -count
            break
        other, acc = acc, other
        count += 1
    finish(out, notes, acc + other * 2, count, limit)


# Values that wrap: `chunk` counts, so that operands are in the arrays


@kernel
def near_the_largest(a, b, out, notes, flags, n, limit, low, step):
    acc, chunk = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0
    for i in range(low, n, step):
        if i + step > limit:
            break
        acc = product(a, b, chunk % 6, acc)
        chunk += 1
    finish(out, notes, acc, chunk, limit)


@kernel
def scaled_index(a, b, out, notes, flags, n, limit, low, step):
    acc, chunk = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0
    for i in range(6):
        if i * limit + low >= n:
            break
        acc = product(a, b, chunk % 6, acc)
        chunk += 1
    finish(out, notes, acc, chunk, limit)


@kernel
def wrapping_while(a, b, out, notes, flags, n, limit, low, step):
    acc, chunk, i = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0, low
    while i > n:
        acc = product(a, b, chunk % 6, acc)
        chunk += 1
        i += step
    finish(out, notes, acc, chunk, i)


@kernel
def wrapping_exit(a, b, out, notes, flags, n, limit, low, step):
    acc, chunk, i = tl.zeros((SIDES[0], SIDES[1]), tl.float32), 0, low
    for _ in range(20):
        if i == n:
            break
        acc = product(a, b, chunk % 6, acc)
        chunk += 1
        if i < limit:
            break
        i += step
    finish(out, notes, acc, chunk, i)


WRAPPING = [near_the_largest, scaled_index, wrapping_while, wrapping_exit]

FORMS = [
    exit_at_the_top, exit_at_the_bottom, exit_between_dots, return_at_the_top,
    return_in_the_middle, otherwise, several_exits, exit_and_continue, nested_conditions,
    conditions_without_closed_form, loaded_condition, condition_of_the_sum, plain_while,
    while_with_two_conditions, while_with_exits, while_that_ends_before_its_step, endless_while,
    halving_while, inner_exit, outer_exit, exits_of_a_nest, descending, equal_and_unequal,
    carried_tiles,
]  # fmt: skip


# Execution in Python


class Place:
    """A pointer, or a tile of pointers, into an array."""

    def __init__(self, array, offsets=0):
        self.array, self.offsets = array, offsets

    def __add__(self, offset):
        return Place(self.array, self.offsets + offset)


def _load(place):
    return place.array[place.offsets]


def _store(place, value):
    place.array[place.offsets] = value


NUMPY = types.SimpleNamespace(
    arange=np.arange,
    zeros=lambda shape, dtype: np.zeros(shape, dtype),
    load=_load,
    store=_store,
    dot=lambda x, y, acc: acc + x @ y,
    max=lambda tile, axis: np.max(tile, axis),
    float32=np.float32,
)


def _in_python(form):
    names = {"tl": NUMPY, "COLUMNS": COLUMNS.value, "SIDES": SIDES.value}
    for helper in (product, finish):
        names[helper.__name__] = types.FunctionType(helper.fn.__code__, names)
    return types.FunctionType(form.fn.__code__, names)


def arrays(seed):
    """Small integers, whose sums and halves are exact: A, B, the result, notes, and flags."""
    rng = np.random.default_rng(seed)
    a = rng.integers(-2, 3, (M, K * CHUNKS)).astype(np.float16)
    b = rng.integers(-2, 3, (K * CHUNKS, N)).astype(np.float16)
    flags = rng.integers(0, 6, CHUNKS).astype(np.int32)
    return [a, b, np.full((M, N), 7.0, np.float32), np.full(32, -9, np.int32), flags]


def check(form, *numbers, seed=0, **options):
    """Compares a launch with the execution in Python: the result and the notes.

    Args:
        form: One of the kernels.
        numbers: n, limit, low and step; 32-bit integers of NumPy wrap in Python, too.
        seed: Selects the contents of the arrays.
        options: Those of the launch.
    """
    expected, launched = arrays(seed), [torch.from_numpy(array) for array in arrays(seed)]
    flat = [array.astype(np.float32).reshape(-1) for array in expected[:2]]
    flat += [array.reshape(-1) for array in expected[2:]]
    with np.errstate(over="ignore"):
        _in_python(form)(*map(Place, flat), *numbers)
    form[(1,)](*launched, *map(int, numbers), **options)
    for name, array, reference in zip(("out", "notes"), launched[2:4], expected[2:4], strict=True):
        assert np.array_equal(array.numpy(), reference), (name, numbers)
