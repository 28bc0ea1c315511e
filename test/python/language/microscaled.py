"""Random tiles in microscaling formats, and their exact values in float64."""

from typing import NamedTuple

import numpy as np
import torch
from seeds import generator

FORMATS = {
    "e4m3": torch.float8_e4m3fn,
    "e5m2": torch.float8_e5m2,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
}
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
E2M1 = np.concatenate([E2M1, -E2M1])


def of_e8m0(scales):
    """The values of scales in the format e8m0."""
    return np.where(scales == 255, np.nan, np.ldexp(1.0, scales.astype(int) - 127))


def unpacked(packed, axis):
    """The values of pairs of e2m1 that are packed along an axis."""
    halves = np.stack([E2M1[packed & 15], E2M1[packed >> 4]], axis + 1)
    shape = list(packed.shape)
    shape[axis] *= 2
    return halves.reshape(shape)


class Tile(NamedTuple):
    """What a kernel gets, and the values it stands for before they are rounded."""

    array: object
    scales: np.ndarray | torch.Tensor | None
    values: np.ndarray  # of shape (side, K), also for a right operand, whose array is transposed


def tile(format, side, depth, *, group=32, transposed=False, k_pack=True):
    """A random tile of shape (side, depth), or its transpose; `group` is 32, 16 or None."""
    if format == "e2m1":
        shape = (side, depth // 2) if k_pack else (side // 2, depth)
        array = generator().integers(0, 256, shape, dtype=np.uint8)
        values = unpacked(array, int(k_pack))
    else:
        array = torch.from_numpy(generator().standard_normal((side, depth))).to(FORMATS[format])
        values = array.double().numpy()
    scales = None
    if group:
        scales, factors = _scales(side, depth, group)
        values = values * np.repeat(factors, group, 1)
    if transposed:
        array = np.ascontiguousarray(array.T) if format == "e2m1" else array.T.contiguous()
    return Tile(array, scales, values)


def _scales(side, depth, group):
    shape = (side, depth // group)
    if group == 16:
        scales = torch.from_numpy(generator().uniform(0.1, 4, shape)).to(torch.float8_e4m3fn)
        return scales, scales.double().numpy()
    scales = generator().integers(121, 133, shape, dtype=np.uint8)
    return scales, of_e8m0(scales)


def rounded(values, common):
    """Values as the operands of the dot: rounded to bfloat16 or float16."""
    return torch.from_numpy(values).to(common).double().numpy()


def product(left, right, common=torch.bfloat16):
    """The product of two tiles and a bound on the error of sums in float32."""
    a, b = rounded(left.values, common), rounded(right.values, common)
    return a @ b.T, (a.shape[1] + 2) * 2.0**-22 * (np.abs(a) @ np.abs(b.T))
