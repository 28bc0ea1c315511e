"""The key changes if and only if the code may change."""

import enum
import subprocess
import sys
import types

import fakes
import numpy as np
import pytest

from tilewright.compiler import Options, Target
from tilewright.compiler.request import Request
from tilewright.dependencies import Untrackable
from tilewright.dependencies.texts import Texts
from tilewright.dependencies.watches import Watches
from tilewright.errors import ConstantError

pytestmark = pytest.mark.usefixtures("fake")

SCALE = 2
UNREAD = 5
CONFIG = types.SimpleNamespace(depth=3)


@fakes.Jit
def helper(x):
    return x * SCALE


def _source(x, n, BLOCK: "constexpr" = 4):  # noqa: F821
    return helper(x) + n + CONFIG.depth


kernel = fakes.Jit(_source)


def key(fn=kernel, signature=("*fp32:D", "i32", 4), target="cpu", noalias=False, **options):
    """The key of a compilation that reads everything that the kernel could reach."""
    request = Request(fn, signature, Target(*target.split(":")), Options(**options), noalias)
    record = request.record()
    record.use((fn, *signature))
    return request.key(record)


def test_the_same_request_has_the_same_key():
    assert key() == key(fakes.Jit(_source))


@pytest.mark.parametrize(
    "change",
    [
        {"signature": ("*fp32", "i32", 4)},
        {"signature": ("*fp32:D", "i32", 8)},
        {"signature": ("*fp32:D", "i32", 4.0)},
        {"signature": ("*fp32:D", "i32", True)},
        {"signature": ("*fp32:D", None, 4)},
        {"noalias": True},
        {"debug": True},
        {"enable_fp_fusion": False},
        {"sanitize_overflow": False},
        {"extern_libs": '[["mine", "/mine.bc"]]'},
        {"specialize_ranges": False},
        {"target": "cpu:avx2"},
    ],
)
def test_what_changes_the_code_changes_the_key(change):
    assert key(**change) != key()


@pytest.mark.parametrize("option", [{"num_warps": 8}, {"num_stages": 1}, {"maxnreg": 64}])
def test_what_the_target_ignores_does_not_change_the_key(option):
    assert key(**option) == key()


@pytest.fixture
def assembler(monkeypatch, tmp_path):
    """`assembler("text")` installs a program as the assembler, under a new name each time."""
    made = []

    def put(content):
        path = tmp_path / f"ptxas{len(made)}"
        path.write_text(content)
        path.chmod(0o755)
        made.append(path)
        monkeypatch.setenv("TILEWRIGHT_PTXAS", str(path))

    monkeypatch.delenv("TILEWRIGHT_NVJITLINK", raising=False)
    return put


def test_another_assembler_makes_other_code_for_a_gpu(assembler):
    assembler("ptxas 13.0")
    first = key(target="cuda:90a")
    assembler("ptxas 13.0")
    assert key(target="cuda:90a") == first, "the key must not depend on the name"
    assembler("ptxas 13.1")
    assert key(target="cuda:90a") != first


def test_no_assembler_at_all_is_one_more_case(assembler, monkeypatch):
    assembler("ptxas 13.0")
    first = key(target="cuda:90a")
    monkeypatch.setenv("TILEWRIGHT_PTXAS", "0")
    monkeypatch.setenv("TILEWRIGHT_NVJITLINK", "0")
    assert key(target="cuda:90a") != first
    monkeypatch.setenv("TILEWRIGHT_NVJITLINK", "/nowhere/libnvJitLink.so")
    assert key(target="cuda:90a") != first


def test_the_assembler_does_not_matter_to_the_host(assembler):
    assembler("ptxas 13.0")
    first = key()
    assembler("ptxas 13.1")
    assert key() == first


def test_a_global_that_a_called_function_reads_counts(monkeypatch):
    before = key()
    monkeypatch.setitem(globals(), "SCALE", 3)
    assert key() != before


def test_a_global_that_nothing_reads_does_not_count(monkeypatch):
    before = key()
    monkeypatch.setitem(globals(), "UNREAD", 6)
    assert key() == before


def test_only_the_attribute_that_is_read_counts(monkeypatch):
    def read_depth():
        request = Request(kernel, ("i32", "i32", 4), Target("cpu"), Options())
        record = request.record()
        record.attribute(record.variable(kernel, "CONFIG"), "depth")
        return request.key(record)

    before = read_depth()
    monkeypatch.setattr(CONFIG, "other", 1, raising=False)
    assert read_depth() == before
    monkeypatch.setattr(CONFIG, "depth", 4)
    assert read_depth() != before


def test_the_called_function_counts(monkeypatch):
    before = key()

    @fakes.Jit
    def changed(x):
        return x + SCALE

    monkeypatch.setitem(globals(), "helper", changed)
    assert key() != before


def test_the_value_that_a_closure_holds_counts():
    def make(value):
        def inner(x):
            return x + value

        return fakes.Jit(inner)

    assert key(make(1)) != key(make(2))


def test_a_parameter_hides_the_global_of_its_name(monkeypatch):
    def shadow(SCALE):
        return SCALE

    fn = fakes.Jit(shadow)
    before = key(fn)
    monkeypatch.setitem(globals(), "SCALE", 4)
    assert key(fn) == before


def test_recursion_through_globals_ends(monkeypatch):
    def again(x):
        return again(x)

    monkeypatch.setitem(globals(), "again", fakes.Jit(again))
    assert key(globals()["again"]) == key(globals()["again"])


def test_recursion_through_a_tuple_ends(monkeypatch):
    def choose(x):
        return CHOICES[0](x)  # noqa: F821

    fn = fakes.Jit(choose)
    monkeypatch.setitem(globals(), "CHOICES", (fn, helper))
    before = key(fn)
    monkeypatch.setitem(globals(), "SCALE", 7)
    assert key(fn) != before


def test_a_function_passed_as_a_value_counts_by_its_source(monkeypatch):
    before = key(signature=("i32", "i32", helper))
    monkeypatch.setitem(globals(), "SCALE", 5)
    assert key(signature=("i32", "i32", helper)) != before


# Values as text


def text(value):
    return Texts(Watches(), __name__, False).of(value)


class Color(enum.Enum):
    RED = 1


class Number(int):
    pass


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        ("1", 1),
        ((1,), [1]),
        (None, "None"),
        (Number(1), Number(2)),
        (Color.RED, 1),
        (np.float32(1), np.float64(1)),
        (len, min),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ((CONFIG, CONFIG), (CONFIG, types.SimpleNamespace(depth=3))),
    ],
)
def test_values_that_code_can_tell_apart_differ(one, other):
    assert text(one) != text(other)


@pytest.mark.parametrize(
    "value", [(10**5000,), {1, 2}, (1, "x", None, Color.RED, {"a": 2.5}, len, Color), object()]
)
def test_the_text_of_a_value_is_always_the_same(value):
    assert text(value) == text(value)


def test_values_that_hold_themselves_are_refused():
    endless = []
    endless.append(endless)
    with pytest.raises(Untrackable, match="contain themselves"):
        text(endless)
    with pytest.raises(ConstantError, match="arguments of `_source` hold values that are nested"):
        Request(kernel, (endless,), Target("cpu"), Options()).record()


def test_the_order_of_a_set_does_not_depend_on_the_process():
    script = (
        "from tilewright.dependencies.texts import Texts\n"
        "from tilewright.dependencies.watches import Watches\n"
        "print(Texts(Watches(), '', False).of({'a', 'b', 'c', ('d', 1)}))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1
