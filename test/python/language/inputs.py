"""Random inputs, poisoned outputs and comparing results."""

import math

import numpy as np
import torch
from seeds import generator

FLOATS = {
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
    "fp32": torch.float32,
    "fp64": torch.float64,
}
FLOAT8S = {
    "fp8e5": torch.float8_e5m2,
    "fp8e4nv": torch.float8_e4m3fn,
    "fp8e5b16": torch.float8_e5m2fnuz,
    "fp8e4b8": torch.float8_e4m3fnuz,
}
INTS = {
    name: np.dtype(name)
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
}
# Unit roundoff of a result of the type.
ROUNDOFF = {"fp16": 2.0**-11, "bf16": 2.0**-8, "fp32": 2.0**-24, "fp64": 2.0**-53}


def fresh(dtype, shape, low=None, high=None):
    """New random numbers: a PyTorch tensor of floats, a NumPy array of integers or bools."""
    if dtype in FLOATS:
        if low is None:
            values = generator().standard_normal(shape)
        else:
            values = generator().uniform(low, high, shape)
        return torch.from_numpy(values).to(FLOATS[dtype])
    if dtype == "int1":
        return generator().integers(0, 2, shape).astype(bool)
    info = np.iinfo(INTS[dtype])
    low = info.min if low is None else max(low, info.min)
    high = info.max if high is None else min(high, info.max)
    return generator().integers(low, high, shape, dtype=INTS[dtype], endpoint=True)


def poisoned(dtype, shape):
    """Memory for a result, filled with values that no result has."""
    if dtype in FLOATS:
        return torch.full(shape, math.nan, dtype=FLOATS[dtype])
    if dtype == "int1":
        return np.full(shape, True)
    return np.full(shape, 85, dtype=INTS[dtype])


def wide(x):
    """Converts to float64 or, for integers, to Python's unlimited integers."""
    if isinstance(x, torch.Tensor):
        return x.to(torch.float64).numpy()
    return np.asarray(x).astype(object) if x.dtype.kind in "iu" else np.asarray(x)


def wrapped(values, dtype):
    """Unlimited integers reduced to the width of a type."""
    bits = INTS[dtype].itemsize * 8
    reduced = np.asarray(values, dtype=object) & ((1 << bits) - 1)
    if dtype.startswith("i"):
        reduced = np.where(reduced >= 1 << (bits - 1), reduced - (1 << bits), reduced)
    return reduced.astype(INTS[dtype])


def error(result, reference):
    """Norm of the error over norm of the reference, in float64."""
    result, reference = wide(result), np.asarray(reference, dtype=np.float64)
    assert result.shape == reference.shape
    assert np.array_equal(np.isnan(result), np.isnan(reference))
    difference = np.nan_to_num(result - reference)
    return np.linalg.norm(difference) / max(np.linalg.norm(np.nan_to_num(reference)), 1e-300)
