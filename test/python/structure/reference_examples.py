"""Runs the examples in docstrings of the language.

    >>> x = tl.arange(0, 4)
    >>> tl.flip(x)
    [3 2 1 0]

The lines become the body of a kernel. The value of the last one, a scalar, a tile or a tuple of
them, is stored and printed as NumPy prints it.
"""

from pathlib import Path
from types import ModuleType
from typing import Any

import kernel_files
import numpy as np

import tilewright
import tilewright.language as tl

_SHOWN: list[tuple[tuple[int, ...], Any]] = []
_PROMPT, _CONTINUED = ">>> ", "... "


@tilewright.jit
def add(a: Any, b: Any) -> Any:
    """A combiner for examples."""
    return a + b


@tilewright.jit
def sign(x: Any) -> Any:
    """A function of scalars for examples."""
    if x > 0:
        return 1
    return 0 if x == 0 else -1


@tl.builtin
def show(out: Any, value: Any) -> None:
    """Stores a value; each of the values of a tuple has 1,024 elements of the memory."""
    _SHOWN.clear()  # a kernel may be compiled for several targets
    for number, part in enumerate(value if isinstance(value, tuple) else [value]):
        x = tl.to_tensor(part)
        place = out + 1024 * number
        _SHOWN.append((x.type.shape, x.dtype))
        stored = x.to(tl.float64)
        if x.type.shape:
            flat = tl.ravel(stored)
            tl.store(place + tl.arange(0, flat.type.numel), flat)
        else:
            tl.store(place, stored)


def run(name: str, example: str, folder: Path) -> str:
    """What the example prints; `folder` gets the source of the kernel."""
    module = _module(name, example, folder)
    _SHOWN.clear()
    memory = np.arange(16, dtype=np.int32)
    floats = np.arange(16, dtype=np.float32) / 2
    out = np.zeros(8 * 1024)
    module.kernel[(1,)](memory, floats, out, debug=True)
    texts = [_text(out[1024 * n :], shape, dtype) for n, (shape, dtype) in enumerate(_SHOWN)]
    return "\n".join(texts)


def expected(example: str) -> str:
    lines = [line for line in example.split("\n") if line[:4] not in (_PROMPT, _CONTINUED)]
    return "\n".join(lines)


def _module(name: str, example: str, folder: Path) -> ModuleType:
    lines = [line[4:] for line in example.split("\n") if line[:4] in (_PROMPT, _CONTINUED)]
    value = lines[-1].partition("  # ")[0]
    body = [f"    {line}" for line in lines[:-1]] + [f"    show(out, ({value}))"]
    source = "import tilewright\nimport tilewright.language as tl\n"
    source += "from reference_examples import add, show, sign\n\n\n"
    source += "@tilewright.jit\ndef kernel(p, q, out):\n" + "\n".join(body) + "\n"
    path = folder / f"example_{name}.py"
    path.write_text(source)
    return kernel_files.load(path)


def _text(out: np.ndarray, shape: tuple[int, ...], dtype: Any) -> str:
    values = out[: int(np.prod(shape, dtype=int))].reshape(shape)
    if dtype.is_bool():
        values = values.astype(bool)
    elif not dtype.is_floating():
        values = values.astype(np.int64)
    return str(np.array2string(values, precision=4, suppress_small=True))
