"""Operations on shapes, which move elements of any dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
from number_formats import DTYPES
from operands import Operand, Shape
from operation import MATRICES, Operation

CUBES: tuple[Shape, ...] = ((4, 8, 2), (2, 4, 16), (3, 5, 4))
PAIRS: tuple[Shape, ...] = ((64, 2), (8, 4, 2), (5, 6, 2))


def moves(code: str, reference: Any, shapes: Any = MATRICES, **rest: Any) -> Operation:
    name = rest.pop("name", code.partition("(")[0])
    return Operation(name, code, DTYPES, reference, shapes=shapes, **rest)


def column(shape: Shape) -> Shape:
    return (shape[0], 1)


def row(shape: Shape) -> Shape:
    return (1, shape[1])


def last(shape: Shape) -> Shape:
    return (shape[-1],)


TWO = (Operand(), Operand())
INDEX = Operand(dtype="int32", low=0, high=4)
OUTER = (Operand(shape=column), Operand(shape=row))

OPERATIONS = [
    moves("tl.broadcast(a, b)", lambda t, a, b: tuple(np.broadcast_arrays(a, b)), operands=OUTER,
          result=lambda t: (t, t)),
    moves("tl.broadcast_to(a, {shape})", lambda t, a: np.repeat(a, 12, 1), shapes=((8, 12),),
          operands=(Operand(shape=column),)),
    moves("tl.broadcast_to(a, {shape})", lambda t, a: np.repeat(a, 16, 0), shapes=((16, 32),),
          operands=(Operand(shape=row),)),
    moves("tl.expand_dims(a, 0)", lambda t, a: a[None]),
    moves("tl.expand_dims(a, -1)", lambda t, a: a[..., None]),
    moves("tl.unsqueeze(a, 1)", lambda t, a: a[:, None]),
    moves("tl.squeeze(a, 1)", lambda t, a: a[:, 0], operands=(Operand(shape=column),)),
    moves("tl.reshape(a, ({N}, {M}))", lambda t, a: a.reshape(a.shape[::-1])),
    moves("tl.view(a, ({N}, {M}))", lambda t, a: a.reshape(a.shape[::-1]), unordered=True),
    moves("tl.ravel(a)", lambda t, a: a.ravel()),
    moves("tl.permute(a, (2, 0, 1))", lambda t, a: a.transpose(2, 0, 1), CUBES),
    moves("tl.permute(a, (1, 0, 2))", lambda t, a: a.transpose(1, 0, 2), CUBES),
    moves("tl.trans(a)", lambda t, a: a.T),
    moves("tl.trans(a, (2, 1, 0))", lambda t, a: a.transpose(2, 1, 0), CUBES),
    moves("a.T", lambda t, a: a.T),
    moves("tl.join(a, b)", lambda t, a, b: np.stack([a, b], -1), ((128,), (16, 32), (5, 12)),
          operands=TWO),
    moves("tl.split(a)", lambda t, a: (a[..., 0], a[..., 1]), PAIRS, result=lambda t: (t, t)),
    moves("tl.interleave(a, b)",
          lambda t, a, b: np.stack([a, b], -1).reshape(*a.shape[:-1], 2 * a.shape[-1]),
          ((128,), (16, 32), (5, 12)), operands=TWO),
    moves("tl.cat(a, b)", lambda t, a, b: np.concatenate([a, b]), ((128,), (16, 32), (5, 12)),
          operands=TWO),
    moves("tl.cat(a, b, can_reorder=True)", lambda t, a, b: np.concatenate([a, b]),
          ((128,), (64,), (12,)), operands=TWO, unordered=True),
    moves("tl.gather(a, b, 1)", lambda t, a, b: np.take_along_axis(a, b.astype(int), 1),
          operands=(Operand(), INDEX)),
    moves("tl.gather(a, b, 0)", lambda t, a, b: np.take_along_axis(a, b.astype(int), 0),
          operands=(Operand(), INDEX)),
    moves("tl.flip(a)", lambda t, a: a[..., ::-1], ((128,), (16, 32), (5, 12))),
    moves("tl.flip(a, 0)", lambda t, a: a[::-1]),
    moves("a[:, None]", lambda t, a: a[:, None], name="a[...]"),
    moves("a[None, :, None]", lambda t, a: a[None, :, None], name="a[...]"),
    moves("a[2]", lambda t, a: a[2], name="a[...]"),
    moves("a[1:, 3:5]", lambda t, a: a[1:, 3:5], name="a[...]"),
    moves("a[..., ::3]", lambda t, a: a[..., ::3], name="a[...]"),
    moves("tl.zeros_like(a)", lambda t, a: a * 0 if a.dtype == object else np.zeros_like(a)),
    moves("tl.zeros({shape}, {T})", lambda t, a: a * 0 if a.dtype == object else np.zeros_like(a)),
    Operation("tl.full", "tl.full({shape}, 1, {T})", DTYPES[:-1],
              lambda t, a: np.full(a.shape, 1).astype(a.dtype), skips=DTYPES),
]  # fmt: skip
