"""TILEWRIGHT_LOG=compiles prints what was compiled, why, its origin and how long it took."""

import fakes
import pytest

from tilewright import compiler
from tilewright.compiler import pipeline

BIAS = 1


@fakes.Jit
def scale(x, n, BLOCK: "constexpr"):  # noqa: F821
    return x * n + BIAS


@pytest.fixture
def said(fake, monkeypatch, capsys):
    monkeypatch.setenv("TILEWRIGHT_LOG", "launches,compiles")

    def compile(*signature, **options):
        kernel = compiler.compile(scale, signature, **options)
        compile.kept.append(kernel)
        return capsys.readouterr().err

    compile.kept = []
    return compile


def test_nothing_is_said_unasked(said, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_LOG", "launches")
    assert said("*fp32:D", "i32:D", 4) == ""


def test_the_first_variant_with_its_phases_and_signature(said):
    first, second = said("*fp32:D", "i32:D", 4).splitlines()
    assert first.startswith("tilewright: scale: compiled for cpu in ")
    assert "tile 1.0, vector 2.0, llvm 3.0): first variant" in first
    assert second == "  x=*fp32:D, n=i32:D, BLOCK=4"


@pytest.mark.parametrize(
    ("signature", "options", "why"),
    [
        (("*fp32:D", "i32", 4), {}, "n is i32, was i32:D"),
        (("*fp16", "i32:D", 4), {}, "x is *fp16, was *fp32:D"),
        (("*fp32:D", "i32:D", 8), {}, "BLOCK is 8, was 4"),
        (("*fp32:D", 1, 8), {}, "n is 1, was i32:D; BLOCK is 8, was 4"),
        (("*fp32:D", "i32:D", 4), {"options": {"debug": True}}, "option debug is True, was False"),
        (("*fp32:D", "i32:D", 4), {"target": "cpu:avx2"}, "target is cpu:avx2, was cpu"),
        (
            ("*fp32:D", "i32:D", 4),
            {"noalias": True},
            "freedom from aliasing is known, was unknown",
        ),
    ],
)
def test_what_is_new_against_the_nearest_variant(said, signature, options, why):
    said("*fp64", "i64", 2)
    said("*fp32:D", "i32:D", 4)
    assert said(*signature, **options).splitlines()[0].endswith(f"): {why}")


def test_a_changed_global_is_named_as_the_cause(said, monkeypatch):
    said("*fp32:D", "i32:D", 4)
    monkeypatch.setitem(globals(), "BIAS", 2)
    assert "its source, or a global that it reads, changed" in said("*fp32:D", "i32:D", 4)


def test_memory_and_disk_are_told_apart(said):
    said("*fp32:D", "i32:D", 4)
    assert ": scale: memory, " in said("*fp32:D", "i32:D", 4)
    pipeline._kernels.clear()
    assert ": scale: disk, " in said("*fp32:D", "i32:D", 4)
