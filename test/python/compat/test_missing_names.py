"""What Tilewright lacks: absent for programs that probe, an error that explains for others."""

import numpy as np
import pytest
from processes import output, python

import tilewright
import tilewright.language as own
from tilewright import compat
from tilewright.compat.entries import Absent, Deferred, Module, Same
from tilewright.compat.facade import find, is_found, resolve
from tilewright.compat.table import MISSING_MODULES, MODULES
from tilewright.errors import TilewrightError, UndefinedNameError, UnsupportedError


@pytest.fixture
def tl():
    compat.install()
    import triton.language

    yield triton.language
    compat.uninstall()


def test_an_absent_name_is_no_attribute(tl) -> None:
    assert not hasattr(tl, "async_task")
    assert getattr(tl, "async_task", None) is None
    with pytest.raises(AttributeError, match=r"async_task is not in Tilewright yet; "):
        _ = tl.async_task
    with pytest.raises(ImportError, match="cannot import name 'async_task'"):
        from triton.language import async_task  # noqa: F401


def test_an_unknown_name_is_not_announced(tl) -> None:
    with pytest.raises(AttributeError) as error:
        _ = tl.frobnicate
    assert "yet" not in str(error.value) and "'triton.language'" in str(error.value)
    assert not hasattr(tl, "__wrapped__")


def test_what_inductor_wants_to_be_absent_is_absent(tl) -> None:
    import triton.backends.compiler
    import triton.compiler.compiler

    for module in (triton.backends.compiler, triton.compiler.compiler):
        with pytest.raises(AttributeError) as error:
            _ = module.AttrsDescriptor
        assert "yet" not in str(error.value)


@pytest.mark.parametrize(
    "module", ["triton.fb", "triton.common.build", "triton.tools.experimental_descriptor",
               "triton.language.extra.tlx", "triton.language.extra.cann",
               "triton.experimental.tle"]
)  # fmt: skip
def test_modules_that_programs_expect_to_be_absent(module) -> None:
    done = python("-c", f"import tilewright.compat as c; c.install(); import {module}")
    assert "ModuleNotFoundError: No module named" in done.stderr


@pytest.mark.parametrize("module", MISSING_MODULES)
def test_a_missing_module_names_the_document(module) -> None:
    text = output(
        "import tilewright.compat as c, importlib.util; c.install()\n"
        f"try:\n    import {module}\n"
        "except ModuleNotFoundError as error:\n    print(error, error.name)\n"
    )
    first = "triton._C" if module.startswith("triton._C") else module
    assert text == f"{first} is not in Tilewright yet; see docs/compat.md {first}"


def test_probing_for_a_missing_module_finds_none() -> None:
    output(
        "import tilewright.compat as c; c.install()\n"
        "from importlib.util import find_spec\n"
        "import triton\n"
        "assert find_spec('triton.profiler') is None and find_spec('triton._C') is None\n"
    )


def test_a_deferred_function_fails_where_a_kernel_calls_it(tl) -> None:
    @tilewright.jit
    def kernel(x):
        tl.inline_asm_elementwise("nop", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)

    found = find(MODULES["triton.language"], "inline_asm_elementwise")
    if not hasattr(found, "__tilewright_placeholder__"):
        pytest.skip("Tilewright has it")
    with pytest.raises(UnsupportedError) as error:
        kernel[(1,)](np.zeros(1, np.float32))
    text = str(error.value)
    assert "triton.language.inline_asm_elementwise is not in Tilewright yet; see docs" in text
    assert "test_missing_names.py:" in text and "^" in text


def test_a_name_in_a_branch_that_is_not_compiled_is_no_error(tl) -> None:
    missing = find(Module("triton.example", {"frobnicate": Deferred()}), "frobnicate")

    @tilewright.jit
    def kernel(x, FAST: own.constexpr, MISSING: own.constexpr):
        if FAST:
            tl.store(x, MISSING(tl.load(x)))
        else:
            tl.store(x, tl.load(x) + 1)

    x = np.zeros(1, np.float32)
    kernel[(1,)](x, FAST=False, MISSING=missing)
    assert x[0] == 1


def test_an_absent_name_in_a_kernel_names_the_document(tl) -> None:
    @tilewright.jit
    def kernel(x):
        tl._experimental_descriptor_load(x, [0], [16], tl.float32)

    with pytest.raises(UndefinedNameError) as error:
        kernel[(1,)](np.zeros(1, np.float32))
    assert "triton.language._experimental_descriptor_load is not in Tilewright" in str(error.value)
    assert error.value.line


def test_a_misspelled_name_in_a_kernel_gets_a_suggestion(tl) -> None:
    @tilewright.jit
    def kernel(x):
        tl.stor(x, 1)

    with pytest.raises(UndefinedNameError, match="did you mean `store`"):
        kernel[(1,)](np.zeros(1, np.float32))


def test_a_deferred_class_can_be_named_but_not_created() -> None:
    module = Module("triton.tools.example", {"Example": Deferred(is_class=True)})
    cls = find(module, "Example")
    assert not isinstance(3, cls)
    for create in (cls, cls.from_tensor):
        with pytest.raises(TilewrightError, match=r"example\.Example is not in Tilewright yet"):
            create(1, 2, block_shape=[1])


def test_names_are_resolved_late() -> None:
    """An entry for a missing name does not hide what Tilewright has."""
    module = Module(
        "triton.example",
        {"cdiv": Deferred(), "load": Absent(), "no": Same("tilewright.frobnicate:x")},
        ("tilewright.language", "tilewright.frobnicate"),
    )
    assert find(module, "cdiv") is own.cdiv and find(module, "load") is own.load
    assert not is_found(find(module, "no")) and not is_found(find(module, "other"))


def test_an_error_inside_of_a_module_is_not_hidden(tmp_path, monkeypatch) -> None:
    (tmp_path / "broken_compat_target.py").write_text("import frobnicate_missing\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="frobnicate_missing"):
        resolve("broken_compat_target:name")


def test_the_interpreters_class_has_no_instances(tl) -> None:
    from triton.runtime.interpreter import InterpretedFunction

    assert not isinstance(tilewright.jit(lambda_kernel), InterpretedFunction)
    with pytest.raises(TilewrightError, match="there is no interpreter"):
        InterpretedFunction(lambda_kernel)


def lambda_kernel(x):
    pass
