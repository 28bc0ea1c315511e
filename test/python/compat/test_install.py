"""install() and uninstall(): what `triton` means, and what importlib says of it."""

import pytest
from processes import ROOT, fake_triton, output, python

INSTALL = "import tilewright.compat as compat; compat.install()\n"


def test_the_modules_have_specs_and_a_version() -> None:
    text = output(
        INSTALL + "import sys, triton, triton.language as tl, triton.runtime.jit as jit\n"
        "for m in (triton, tl, jit):\n"
        "    assert m.__spec__.name == m.__name__ and sys.modules[m.__name__] is m, m\n"
        "    assert m.__spec__.loader is m.__loader__ and m.__file__ == m.__spec__.origin\n"
        "assert triton.language is tl and tl.__package__ == 'triton.language'\n"
        "assert jit.__package__ == 'triton.runtime' and not hasattr(jit, '__path__')\n"
        "print(triton.__version__)\n"
    )
    assert text == "3.6.0"


def test_the_names_are_tilewrights() -> None:
    output(
        INSTALL + "import tilewright, triton, triton.language as tl\n"
        "from triton.runtime.jit import JITFunction\n"
        "from triton.language.core import constexpr, dtype\n"
        "from triton.language.math import rsqrt, tanh\n"
        "from triton.language.standard import zeros_like\n"
        "assert triton.jit is tilewright.jit and JITFunction is tilewright.JITFunction\n"
        "assert tl.float32 is tilewright.language.float32\n"
        "assert tl.math.rsqrt is rsqrt is tilewright.language.rsqrt\n"
        "assert constexpr is tl.constexpr is tilewright.language.constexpr\n"
    )


def test_star_imports_give_the_public_names() -> None:
    output(
        INSTALL + "before = set(globals())\nfrom triton.language import *\n"
        "from triton import *\n"
        "import tilewright.language as own\n"
        "assert set(own.__all__) <= set(globals()), set(own.__all__) - set(globals())\n"
        "assert callable(jit) and make_block_ptr and 'async_task' not in globals()\n"
    )


def test_metadata_and_specs_without_an_import() -> None:
    text = output(
        INSTALL + "import sys, importlib.metadata as metadata\n"
        "from importlib.util import find_spec\n"
        "assert find_spec('triton').origin and 'triton' not in sys.modules\n"
        "assert find_spec('triton.language.extra.libdevice')\n"
        "assert find_spec('triton.fb') is find_spec('triton.profiler') is None\n"
        "assert metadata.distribution('Triton').metadata['Name'] == 'triton'\n"
        "assert metadata.packages_distributions()['triton'] == ['triton']\n"
        "assert metadata.version('pytest'), 'others are found as well'\n"
        "assert not list(metadata.distributions(name='triton', path=[sys.prefix]))\n"
        "print(metadata.version('triton'))\n"
    )
    assert text == "3.6.0"


@pytest.mark.parametrize(
    ("code", "settings"),
    [
        ("compat.install('3.4.0')", {}),
        ("compat.install()", {"TILEWRIGHT_COMPAT_VERSION": "3.4.0"}),
        ("compat.install('3.4.0')", {"TILEWRIGHT_COMPAT_VERSION": "3.8.1"}),
    ],
)
def test_the_version_can_be_chosen(code, settings) -> None:
    text = output(
        f"import tilewright.compat as compat; {code}\n"
        "import triton, importlib.metadata as metadata\n"
        "print(triton.__version__, metadata.version('triton'), compat.installed_version())",
        **settings,
    )
    assert text == "3.4.0 3.4.0 3.4.0"


@pytest.mark.parametrize("version", ["3.6", "new", "3.x.0", "3.6.0.1"])
def test_a_version_that_programs_can_not_compare_is_an_error(version) -> None:
    done = python("-c", f"import tilewright.compat as c; c.install({version!r})")
    assert f"CompatError: a version must have the form '3.6.0', found '{version}'" in done.stderr


def test_another_version_after_installation_is_an_error() -> None:
    done = python("-c", INSTALL + "compat.install(); compat.install('3.4.0')")
    assert "CompatError: tilewright.compat is installed as Triton 3.6.0 already" in done.stderr


def test_beside_an_installed_triton(tmp_path) -> None:
    folder = fake_triton(tmp_path)
    output(
        f"import sys; sys.path.insert(0, {str(folder)!r})\n" + INSTALL + "import triton\n"
        "import triton.language, importlib.metadata as metadata, importlib.util\n"
        "assert triton.__version__ == metadata.version('triton') == '3.6.0'\n"
        "assert not hasattr(triton, 'fake') and not hasattr(triton.language, 'fake')\n"
        "assert importlib.util.find_spec('triton.own') is None\n"
        "try:\n    import triton.own\n"
        "except ModuleNotFoundError as error:\n    assert error.name == 'triton.own'\n"
        "else:\n    raise SystemExit('the installed Triton was found')\n"
    )


def test_uninstall_restores(tmp_path) -> None:
    folder = fake_triton(tmp_path)
    output(
        f"import os, sys; sys.path.insert(0, {str(folder)!r})\n"
        "before = dict(os.environ), list(sys.meta_path)\n" + INSTALL + "import triton.language\n"
        "assert os.environ['TILEWRIGHT_COMPAT'] == '1'\n"
        "compat.uninstall(); compat.uninstall()\n"
        "assert (dict(os.environ), list(sys.meta_path)) == before\n"
        "import triton, importlib.metadata as metadata, triton.own\n"
        "assert triton.fake and metadata.version('triton') == '9.9.9'\n"
        "assert compat.installed_version() is None\n"
    )


def test_uninstall_without_an_installed_triton() -> None:
    done = python("-c", INSTALL + "import triton; compat.uninstall(); import triton")
    assert "ModuleNotFoundError: No module named 'triton'" in done.stderr


def test_installing_again_works() -> None:
    output(
        INSTALL + "import triton as first\ncompat.uninstall(); compat.install('3.5.0')\n"
        "import triton\nassert triton is not first and triton.__version__ == '3.5.0'\n"
        "assert first.jit is triton.jit\n"
    )


def test_an_imported_triton_is_an_error(tmp_path) -> None:
    folder = fake_triton(tmp_path)
    done = python(
        "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); import triton\n" + INSTALL
    )
    assert "CompatError: Triton itself has been imported already, from" in done.stderr
    assert str(folder) in done.stderr


def test_installing_loads_neither_the_core_nor_torch() -> None:
    output(
        INSTALL + "import sys, triton, triton.language.extra.libdevice, triton.runtime.driver\n"
        "heavy = {'torch', 'numpy', 'tilewright._core', 'tilewright.language'}\n"
        "loaded = heavy & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )


@pytest.mark.parametrize("first", ["torch", "compat"])
def test_torch_finds_triton_in_either_order(first) -> None:
    pytest.importorskip("torch")
    # PyTorch remembers that there was no Triton when it was asked before.
    code = "import torch.utils._triton as probes\nprobes.has_triton_package()\n"
    code = code + INSTALL if first == "torch" else INSTALL + code
    text = output(
        code + "import torch, triton, triton.language as tl\n"
        "print(probes.has_triton_package())\n"
        "compat.uninstall(); print(probes.has_triton_package())\n"
    )
    assert text.split() == ["True", "False"]


def test_a_kernel_on_torch_tensors(tmp_path) -> None:
    pytest.importorskip("torch")
    script = tmp_path / "script.py"
    script.write_text(
        "import torch\n" + INSTALL + "import triton, triton.language as tl\n"
        "from triton.language.extra import libdevice\n"
        "@triton.jit\n"
        "def kernel(x, n, BLOCK: tl.constexpr):\n"
        "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
        "    value = tl.load(x + i, mask=i < n)\n"
        "    scale: tl.constexpr = triton.language.constexpr(2)\n"
        "    tl.store(x + i, libdevice.rint(value) * scale, mask=i < n)\n"
        "x = torch.tensor([0.5, 1.5, 2.6])\n"
        "kernel[(triton.cdiv(3, 2),)](x, 3, BLOCK=2)\n"
        "print(x.tolist())\n"
    )
    done = python(script)
    assert done.stdout.strip() == "[0.0, 4.0, 6.0]", done.stderr


def test_the_version_is_part_of_what_a_kernel_depends_on(tmp_path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np, triton, triton.language as tl\n"
        "@triton.jit\n"
        "def kernel(out):\n"
        "    if triton.__version__ >= '3.5.0':\n"
        "        tl.store(out, 2)\n"
        "    else:\n"
        "        tl.store(out, 1)\n"
        "out = np.zeros(1, np.int32)\nkernel[(1,)](out)\nprint(out[0])\n"
    )
    settings = {"TILEWRIGHT_CACHE_DIR": str(tmp_path / "cache")}
    found = [
        python("-m", "tilewright.compat", script, TILEWRIGHT_COMPAT_VERSION=version, **settings)
        for version in ("3.4.0", "3.6.0", "3.4.0")
    ]
    assert [done.stdout.strip() for done in found] == ["1", "2", "1"], found[0].stderr


def test_the_package_is_where_the_tests_expect_it() -> None:
    assert output("import tilewright; print(tilewright.__file__)").startswith(str(ROOT))
