import pytest

import tilewright.language as tl
from tilewright.errors import TypeMismatchError


@pytest.mark.parametrize("seed", ["int32", "int64", "uint32"])
@pytest.mark.parametrize("offset", ["int32[8]", "int64[8]", "uint32[8]", "int32"])
def test_types(values, seed, offset):
    s, o = values(seed, offset)
    shape = o.type.shape
    for function, element in ((tl.randint, "uint32"), (tl.rand, "fp32"), (tl.randn, "fp32")):
        result = function(s, o)
        assert (result.type.shape, result.dtype) == (shape, tl.dtype(element))
    for function in (tl.randint4x, tl.rand4x, tl.randn4x):
        assert [x.type.shape for x in function(s, o)] == [shape] * 4


def test_offsets_by_the_names_of_triton(values):
    (o,) = values("int32[8]")
    for function in (tl.randint, tl.rand, tl.randn):
        assert function(seed=1, offset=o, n_rounds=6).type.shape == (8,)
    for function in (tl.randint4x, tl.randn4x):
        assert len(function(seed=1, offset=o, n_rounds=6)) == 4
    assert len(tl.rand4x(seed=1, offsets=o, n_rounds=6)) == 4


def test_constant_seed(values):
    (offset,) = values("int32[8]")
    assert tl.rand(tl.constexpr(42), offset).type == tl.block_type(tl.float32, (8,))


def test_rounds(kernel):
    texts = []
    for rounds in (6, 7):
        made = kernel("int32", "int32[8]")
        tl.randint(*made.args, n_rounds=rounds)
        texts.append(made.text())
    assert [text.count("mului_extended") for text in texts] == [12, 14]


def test_philox_of_64_bits(values):
    seed, offset = values("uint64", "uint64[8]")
    words = tl.philox(seed, offset, offset, offset, offset, 10)
    assert all(word.type == offset.type for word in words)
    assert tl.uint_to_uniform_float(words[0]).type == tl.block_type(tl.float32, (8,))


def test_bad_types(values):
    f, i, b = values("fp32", "int32", "int8")
    with pytest.raises(TypeMismatchError, match="seed of a random number must be an integer"):
        tl.rand(f, i)
    with pytest.raises(TypeMismatchError, match="offset of a random number must be an integer"):
        tl.rand(i, f)
    with pytest.raises(TypeMismatchError, match="32 or 64 bits, found int8"):
        tl.uint_to_uniform_float(b)
