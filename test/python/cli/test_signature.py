"""The text that `tilewright compile --signature` accepts."""

import inspect
import types

import pytest

import tilewright.language as tl
from tilewright.cli.signature import parse_signature, split_items
from tilewright.errors import ArgumentError


def parameter(text):
    """`x` is an ordinary parameter, `X` a constexpr; `x=1` has a default."""
    name, _, default = text.partition("=")
    value = int(default) if default else inspect.Parameter.empty
    return types.SimpleNamespace(name=name, is_constexpr=name.isupper(), default=value)


def parse(text, names):
    return parse_signature(text, [parameter(name) for name in names.split()])


def test_types_and_values_in_order():
    assert parse("*fp32:D, *bf16,i32,1024", "x y n BLOCK") == ["*fp32:D", "*bf16", "i32", 1024]


def test_items_by_name():
    assert parse("*fp32, BLOCK=64, n=i64", "x n BLOCK") == ["*fp32", "i64", 64]


def test_a_constexpr_with_a_default_may_be_left_out():
    assert parse("i32", "n BLOCK=8") == ["i32", 8]


def test_an_ordinary_default_is_specialized_as_a_launch_would():
    assert parse("", "n=32 m=1 k=7") == ["i32:D", 1, "i32"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", 1),
        ("16", "i32:D"),
        ("17", "i32"),
        ("-16", "i32:D"),
        ("2147483648", "i64:D"),
        ("9223372036854775809", "u64"),
        ("0.5", "fp32"),
        ("*fp32:16", "*fp32:D"),
        ("*fp8e4b8", "*fp8e4b8"),
        ("*fp8e4b15:D", "*fp8e4b15:D"),
        ("True", "u1"),
        ("None", None),
        ("(i32, (*fp16:D, 1))", ("i32", ("*fp16:D", 1))),
    ],
)
def test_an_argument(text, expected):
    assert parse(text, "x") == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("64", 64),
        ("'mean, of all'", "mean, of all"),
        ("mean", "mean"),
        ("(1, 2)", (1, 2)),
        ("fp16", tl.float16),
        ("tl.float16", tl.float16),
        ("None", None),
    ],
)
def test_a_constant(text, expected):
    assert parse(text, "X") == [expected]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("i32", r"parameter 'BLOCK' is missing: .* are \(n, BLOCK: constexpr\)"),
        ("i32,1,2", "'2' is an extra item"),
        ("i32,4,n=i64", "parameter 'n' is given twice"),
        ("i32,BLOK=4", "there is no parameter 'BLOK'"),
        ("f32,4", "'f32' for parameter 'n' is neither a type nor a value; types are i1,"),
        ("'x',4", "'x' can't be passed for parameter 'n'"),
        (f"{2**64},4", "does not fit in 64 bits"),
    ],
)
def test_what_does_not_fit_is_refused(text, message):
    with pytest.raises(ArgumentError, match=message):
        parse(text, "n BLOCK")


def test_commas_within_brackets_and_quotes_do_not_split():
    assert split_items("a, (b, [c, d]), 'e, f', \"g,\"") == ["a", "(b, [c, d])", "'e, f'", '"g,"']
