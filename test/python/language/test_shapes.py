import pytest

import tilewright.language as tl
from tilewright.errors import ShapeMismatchError, TypeMismatchError


def test_expand_dims(values):
    (x,) = values("fp32[4,8]")
    assert tl.expand_dims(x, 0).type.shape == (1, 4, 8)
    assert tl.expand_dims(x, -1).type.shape == (4, 8, 1)
    assert x.expand_dims((0, 2)).type.shape == (1, 4, 1, 8)
    with pytest.raises(ShapeMismatchError, match="axis 3 is out of range for 3 dimensions"):
        tl.expand_dims(x, 3)
    with pytest.raises(ShapeMismatchError, match="distinct axes"):
        tl.expand_dims(x, (0, 0))


def test_broadcast(values):
    x, y, s = values("fp32[4,1]", "int32[8]", "fp32")
    a, b = tl.broadcast(x, y)
    assert a.type.shape == b.type.shape == (4, 8)
    assert tl.broadcast_to(x, 4, 8).type.shape == (4, 8)
    assert tl.broadcast_to(s, (2, 2)).type.shape == (2, 2)
    with pytest.raises(ShapeMismatchError, match=r"cannot broadcast shape \[8\] to \[16\]"):
        tl.broadcast_to(y, (16,))
    with pytest.raises(ShapeMismatchError, match=r"\[4, 1\] to \[4\]"):
        tl.broadcast_to(x, (4,))


def test_reshape(values):
    x, s = values("fp32[4,8]", "int32")
    assert tl.reshape(x, (2, 16)).type.shape == (2, 16)
    assert x.reshape(-1).type.shape == (32,)
    assert x.reshape([8, -1]).type.shape == (8, 4)
    assert tl.view(x, 32).type.shape == tl.ravel(x).type.shape == (32,)
    assert tl.reshape(s, (1, 1)).type.shape == (1, 1)
    assert x.reshape(4, 8) is x
    with pytest.raises(ShapeMismatchError, match=r"\[4, 8\] has 32, \[16\] has 16"):
        tl.reshape(x, (16,))


def test_permute(values):
    (x,) = values("fp32[2,4,8]")
    assert tl.permute(x, (2, 0, 1)).type.shape == (8, 2, 4)
    assert x.permute(0, 2, 1).type.shape == (2, 8, 4)
    assert tl.trans(x).type.shape == x.T.type.shape == (2, 8, 4)
    assert tl.trans(x, 1, 0, 2).type.shape == (4, 2, 8)
    with pytest.raises(ShapeMismatchError, match=r"permutation of \[0, 1, 2\], found \[0, 1, 1\]"):
        tl.permute(x, 0, 1, 1)
    with pytest.raises(ShapeMismatchError, match="trans needs two dimensions"):
        tl.trans(tl.arange(0, 4))


def test_join_and_split(values):
    x, y, s = values("fp32[4]", "fp32[4]", "fp32")
    joined = tl.join(x, y)
    assert joined.type.shape == (4, 2)
    a, b = joined.split()
    assert a.type == b.type == x.type
    assert tl.join(s, s).type.shape == (2,)
    a, b = tl.split(tl.join(s, s))
    assert a.type == b.type == tl.float32
    assert tl.interleave(x, y).type.shape == (8,)
    with pytest.raises(ShapeMismatchError, match=r"last dimension of size 2, found \[4\]"):
        tl.split(x)
    with pytest.raises(TypeMismatchError, match="one dtype, found fp32 and int32"):
        tl.join(x, tl.arange(0, 4))


def test_cat(values):
    x, y = values("fp32[4]", "fp32[8]")
    assert tl.cat(x, x, can_reorder=True).type.shape == (8,)
    with pytest.raises(ShapeMismatchError, match=r"one shape, found \[4\] and \[8\]"):
        tl.cat(x, y)
    with pytest.raises(TypeMismatchError, match="one dtype"):
        tl.cat(x, tl.arange(0, 4))


def test_gather_and_flip(values):
    x, i = values("fp32[4,8]", "int32[4,2]")
    assert tl.gather(x, i, axis=1).type == tl.block_type(tl.float32, (4, 2))
    assert tl.flip(x).type == x.flip(0).type == x.type
    with pytest.raises(ShapeMismatchError, match="all other dimensions must agree"):
        tl.gather(x, i, axis=0)
    with pytest.raises(TypeMismatchError, match="must be integers"):
        tl.gather(x, x, axis=0)


@pytest.mark.parametrize("function", [tl.trans, tl.split])
def test_scalars_are_refused(values, function):
    (s,) = values("fp32")
    with pytest.raises(ShapeMismatchError, match="takes a tile, found a scalar fp32"):
        function(s)


def test_cat_along_a_dimension(values):
    (x,) = values("fp32[4,8]")
    assert tl.cat(x, x, dim=1).type.shape == (4, 16)
    assert tl.cat(x, x, True, -2).type.shape == (8, 8)
    with pytest.raises(ShapeMismatchError, match="axis 2 is out of range for 2 dimensions"):
        tl.cat(x, x, dim=2)


def test_size_in_bytes(values):
    x, y = values("fp64[4,8]", "int8[16]")
    assert (x.type.nbytes, y.type.nbytes) == (256, 16)
