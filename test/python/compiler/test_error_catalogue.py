"""The catalog of exceptions and how an error prints."""

import pickle

import pytest

from tilewright import errors


def test_prints_position_line_caret_and_hint():
    error = errors.ShapeMismatchError(
        "shapes differ", file="k.py", line=7, column=9, source_line="    x = a + b\n", hint="equal"
    )
    assert str(error) == "k.py:7:9: shapes differ\n    x = a + b\n        ^\nhint: equal"


def test_caret_stands_under_its_character_after_tabs():
    error = errors.CompileError("no", file="k.py", line=1, column=4, source_line="\ta\tb")
    assert str(error).splitlines()[1:] == ["    a\tb", "     \t^"]


def test_without_position_only_the_message():
    assert str(errors.CompileError("nothing known")) == "nothing known"


def test_the_source_line_is_read_from_the_file(tmp_path):
    path = tmp_path / "k.py"
    path.write_text("first\nsecond\n")
    text = str(errors.CompileError("bad", file=str(path), line=2, column=1))
    assert text.splitlines()[1:] == ["    second", "    ^"]


def test_at_fills_only_what_is_missing():
    error = errors.CompileError("bad").at("k.py", 3, 5, "abc def")
    assert (error.file, error.line, error.column) == ("k.py", 3, 5)
    assert error.at("other.py", 9, 9, "x").file == "k.py"


def test_notes_have_positions_of_their_own():
    error = errors.CompileError("bad", file="k.py", line=1, notes=["plain"])
    error.add_note_at("called from here", "m.py", 4, 2, " f(x)")
    assert str(error).splitlines()[1:] == [
        "note: plain",
        "m.py:4:2: note: called from here",
        "    f(x)",
        "    ^",
    ]


def test_a_pass_error_ends_with_its_reproducer():
    error = errors.PassError("pass failed")
    error.reproducer = "tilewright reproduce x.mlir"
    assert str(error).endswith("\nreproduce with: tilewright reproduce x.mlir")


def test_errors_survive_pickling():
    error = errors.TypeMismatchError("bad", file="k.py", line=2, column=1, source_line="x")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is errors.TypeMismatchError
    assert str(copy) == str(error)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (errors.ArgumentError, TypeError),
        (errors.GridError, ValueError),
        (errors.DeviceAssertError, AssertionError),
    ],
)
def test_launch_errors_are_also_the_builtin_kind(kind, builtin):
    assert issubclass(kind, errors.LaunchError) and issubclass(kind, builtin)
