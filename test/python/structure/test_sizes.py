"""No function above 60 lines and no file above 500 without a reason that stands here."""

import pytest
from sizes import Length, cpp_functions, files, functions, python_functions

FUNCTION_LIMIT = 60
FILE_LIMIT = 500

# What may be longer, how long, and why.
EXCEPTIONS: dict[str, tuple[int, str]] = {}


def too_long(lengths: list[Length], limit: int) -> list[str]:
    return [
        f"{length.lines:5d} lines: {length.name}"
        for length in sorted(lengths, reverse=True)
        if length.lines > EXCEPTIONS.get(length.name, (limit, ""))[0]
    ]


def test_functions_are_short() -> None:
    assert len(functions()) > 50
    assert not too_long(functions(), FUNCTION_LIMIT)


def test_files_are_short() -> None:
    assert len(files()) > 20
    assert not too_long(files(), FILE_LIMIT)


def test_exceptions_are_still_needed() -> None:
    lines = {length.name: length.lines for length in files() + functions()}
    limits = {name: FUNCTION_LIMIT if ":" in name else FILE_LIMIT for name in EXCEPTIONS}
    stale = [name for name, limit in limits.items() if lines.get(name, 0) <= limit]
    assert not stale


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int f(int x) {\n  return x;\n}\n", [("f", 3)]),
        ("namespace a {\nstruct B {\n  int g() const {\n    return 1; }\n};\n}\n", [("g", 2)]),
        (
            'void h() {\n  if (a) {\n    s = "}";\n  } // }\n}\nint i() { return 0; }\n',
            [("h", 5), ("i", 1)],
        ),
        ("int x[] = {\n1,\n2};\n", []),
        ("void\nlong_one(int a,\n         int b) {\n}\n", [("long_one", 4)]),
    ],
)
def test_measuring_cpp(text: str, expected: list[tuple[str, int]]) -> None:
    assert list(cpp_functions(text)) == expected


def test_measuring_python_leaves_out_the_docstring() -> None:
    text = 'def f(x):\n    """One.\n\n    Two.\n    """\n    return x\n'
    assert list(python_functions(text)) == [("f", 2)]
