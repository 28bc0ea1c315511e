"""sizes.py measures the length of functions."""

import pytest
from sizes import cpp_functions, python_functions


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
