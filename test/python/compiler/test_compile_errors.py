"""Failures of the stages have positions and a command that reproduces them."""

import shlex
import subprocess
import sys

import fakes
import pytest

from tilewright import cli, compiler
from tilewright.compiler.diagnostics import _PACKAGE, from_ir_error
from tilewright.errors import CompileError, PassError


def jit(name):
    def source(x):
        return x

    fn = fakes.Jit(source)
    fn.name = name
    return fn


def test_a_malformed_module_is_a_compile_error_at_the_users_line(fake):
    with pytest.raises(CompileError) as info:
        compiler.compile(jit("malformed"), ("i32",))
    assert str(info.value) == "k.py:3:5: op is malformed"


def test_a_failing_pass_is_a_pass_error_with_the_call_stack(fake):
    with pytest.raises(PassError) as info:
        compiler.compile(jit("pass-fails"), ("i32",))
    lines = str(info.value).splitlines()
    assert "cannot vectorize" in lines[0]
    assert "k.py:9:2: note: called from here" in lines
    assert "k.py:2:1: note: operand here" in lines
    assert "note: the compiler failed in the phase 'vector'" in lines


def test_a_failing_pass_prints_one_command_that_reproduces_it(fake, capsys):
    with pytest.raises(PassError) as info:
        compiler.compile(jit("pass-fails"), ("i32",), options={"debug": True})
    last = str(info.value).splitlines()[-1]
    assert last.startswith("reproduce with: python -m tilewright reproduce ")
    command = shlex.split(last.removeprefix("reproduce with: "))
    assert cli.main(command[3:]) == 1
    assert "cannot vectorize" in capsys.readouterr().err


def test_a_repaired_failure_no_longer_repeats(fake, capsys, monkeypatch):
    with pytest.raises(PassError) as info:
        compiler.compile(jit("pass-fails"), ("i32",))
    file = shlex.split(info.value.reproducer)[-1]
    seen = []
    repaired = fakes.CompiledObject("")
    core = sys.modules["tilewright._core"]
    monkeypatch.setattr(core, "compile", lambda *given: seen.append(given[1:3]) or repaired)
    assert cli.main(["reproduce", file]) == 0
    options = {"debug": False, "checks": "", "enable_fp_fusion": True, "specialize_ranges": True}
    read_by_frontend = {
        "default_dot_input_precision": "",
        "sanitize_overflow": True,
        "extern_libs": "",
    }
    assert seen == [("cpu", {**options, **read_by_frontend})]


def test_what_is_no_reproducer_is_refused(fake, tmp_path, capsys):
    (tmp_path / "x.mlir").write_text("module {}")
    assert cli.main(["reproduce", str(tmp_path / "x.mlir")]) == 1
    assert "is not a reproducer" in capsys.readouterr().err


def test_a_failed_compilation_is_not_cached(fake, tmp_path):
    with pytest.raises(PassError):
        compiler.compile(jit("pass-fails"), ("i32",))
    assert not list((tmp_path / "cache").glob("*.kernel"))


def test_the_users_line_comes_before_the_librarys():
    error = fakes.IRError("bad")
    library = f"{_PACKAGE}/language/standard.py"
    error.diagnostics = [("bad", [(library, 7, 1), ("k.py", 3, 5)], [])]
    result = from_ir_error(error, CompileError)
    assert (result.file, result.line) == ("k.py", 3)
    assert (result.notes[0].file, result.notes[0].line) == (library, 7)


def test_a_note_about_the_same_place_does_not_show_it_again():
    error = fakes.IRError("bad")
    place = [("k.py", 3, 5)]
    error.diagnostics = [("bad", place, [("this operation", place, [])])]
    assert str(from_ir_error(error, PassError)) == "k.py:3:5: bad\nnote: this operation"


def test_an_operation_is_shown_where_it_is_short():
    error = fakes.IRError("bad")
    small = ("see current operation: %1 = x.y", [], [])
    large = ('see current operation: \n"func.func"() ({\n})', [], [])
    error.diagnostics = [("bad", [], [large, small])]
    assert [note.message for note in from_ir_error(error, PassError).notes] == [small[0]]


def test_an_error_without_diagnostics_keeps_its_message():
    assert str(from_ir_error(RuntimeError("odd"), PassError)) == "odd"


def test_without_the_core_the_error_says_what_to_do(fake, monkeypatch):
    monkeypatch.setitem(sys.modules, "tilewright._core", None)
    with pytest.raises(Exception, match=r"tilewright doctor"):
        compiler.compile(jit("add"), ("i32",))


def test_the_command_line_has_a_module_of_its_own():
    done = subprocess.run(
        [sys.executable, "-m", "tilewright", "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0 and "reproduce" in done.stdout
