"""Errors by the names that programs for Triton catch."""

from __future__ import annotations

import pickle

import pytest

import tilewright
import tilewright.language as tl
from tilewright import errors
from tilewright.compiler import stages


def test_out_of_resources_by_programs() -> None:
    error = errors.OutOfResources(300, 200, "shared memory")
    assert (error.required, error.limit, error.name) == (300, 200, "shared memory")
    assert str(error) == "300 of shared memory are needed, but there are only 200"
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.required, copy.name) == (str(error), 300, "shared memory")


def test_out_of_resources_by_launches() -> None:
    error = errors.OutOfResourcesError("too many", "registers", 300, 255)
    assert isinstance(error, errors.OutOfResources)
    for found in (error, pickle.loads(pickle.dumps(error))):
        assert (found.required, found.limit, found.name) == (300, 255, "registers")
        assert (str(found), found.resource) == ("too many", "registers")


@tilewright.jit
def refuses(x, N: tl.constexpr):
    tl.static_assert(N > 8, "too small")
    tl.store(x, N)


@tilewright.jit
def uses_try(x):
    try:
        tl.store(x, 1)
    finally:
        pass


def test_a_failed_static_assertion() -> None:
    with pytest.raises(errors.CompileTimeAssertionFailure) as caught:
        refuses.warmup(tl.float32, 4)
    error = caught.value
    assert isinstance(error, errors.CompilationError)
    assert isinstance(error, errors.TritonError)
    assert "too small" in error.error_message
    line = error.src.splitlines()[error.node.lineno - 1]
    assert line[error.node.col_offset :].startswith("tl.static_assert")


def test_an_unsupported_statement() -> None:
    with pytest.raises(errors.UnsupportedLanguageConstruct):
        uses_try.warmup(tl.float32)


def test_an_error_without_a_position() -> None:
    error = errors.CompilationError("bad")
    assert (error.node, error.src, error.error_message) == (None, "", "bad")


@pytest.mark.parametrize("phase", ["cubin", "tilegpu"])
def test_a_failure_of_the_assembler(phase) -> None:
    failure = Exception("failed")
    failure.phase = phase  # type: ignore[attr-defined]
    error = stages._pass_error(failure)
    assert isinstance(error, errors.PTXASError) == (phase == "cubin")
    assert isinstance(error, errors.PassError)


def test_names_for_except_clauses() -> None:
    error = errors.InterpreterError("no")
    assert isinstance(error, errors.TritonError)
    assert pickle.loads(pickle.dumps(error)).error_message == "no"
