"""Messages contain the words of Triton's that programs and tests match."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright import errors

LIMIT = 5


@tilewright.jit
def shapes(x):
    tl.arange(0, 2) + tl.arange(0, 4)


@tilewright.jit
def signs(x):
    tl.program_id(0) // tl.program_id(0).to(tl.uint32)


@tilewright.jit
def bits(x):
    tl.program_id(0).to(tl.float16, bitcast=True)


@tilewright.jit
def sizes(x):
    tl.reshape(tl.arange(0, 8), (2, 2))


@tilewright.jit
def operands(x):
    tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((16, 16), tl.float32))


@tilewright.jit
def depths(x):
    tl.dot(tl.zeros((16, 16), tl.float16), tl.zeros((32, 16), tl.float16))


@tilewright.jit
def bounds(x):
    tl.arange(4, 4)


@tilewright.jit
def globals_read(x):
    tl.store(x, LIMIT)


@tilewright.jit
def undefined(x):
    tl.store(x, missing)  # noqa: F821


@tilewright.jit
def assertion(x):
    tl.static_assert(False, "a reason")


@tilewright.jit
def numbers(x):
    tl.program_id(0).to(tl.uint8) + 257


@tilewright.jit
def negative(x):
    tl.program_id(0).to(tl.uint8) * -1


@tilewright.jit
def axis(x):
    tl.program_id(3)


@tilewright.jit
def constant(x: tl.const):
    tl.store(x, 1)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (shapes, "Cannot make_shape_compatible: incompatible dimensions at index 0: 2 and 4"),
        (signs, "Cannot use /, #, or % with .* because they have different signedness"),
        (bits, "Cannot bitcast data-type of size 32 to data-type of size 16"),
        (sizes, r"reshape\(\) cannot change total number of elements in tensor"),
        (operands, "Both operands must be same dtype"),
        (depths, "incompatible"),
        (bounds, "arange's end argument must be greater than the start argument"),
        (globals_read, "global variable"),
        (undefined, "missing.* is not defined"),
        (assertion, "a reason"),
        (numbers, "out of range"),
        (negative, "unsigned tensor and a negative scalar"),
        (axis, "program_id axis must be 0, 1, or 2"),
        (constant, "Cannot store to a constant pointer"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_words(kernel, words):
    with pytest.raises(errors.CompilationError, match=words):
        kernel[(1,)](np.zeros(16, np.int32))


def test_classes():
    with pytest.raises(errors.CompileTimeAssertionFailure):
        assertion[(1,)](np.zeros(16, np.int32))
    with pytest.raises(errors.UnsupportedLanguageConstruct):

        @tilewright.jit
        def nested(x):
            def inner():
                pass

        nested[(1,)](np.zeros(16, np.int32))
