"""Operators of FlagGems run under compat, compared with PyTorch.

Skipped unless the library is installed: pip install --no-deps --target FOLDER flag-gems sqlalchemy
pyyaml, with FOLDER in PYTHONPATH. On the CPU, its back end for NVIDIA is told that the device is
named "cpu". With `--targets cuda`, tensors are on a GPU.
"""

import contextlib
import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tilewright import compat

torch = pytest.importorskip("torch")
F = torch.nn.functional


def pretend_that_the_cpu_is_a_gpu(patch) -> None:
    device = SimpleNamespace(multi_processor_count=2, L2_cache_size=1 << 21, major=9, minor=0)
    patch.setattr(torch.cpu, "device", lambda _: contextlib.nullcontext(), raising=False)
    patch.setattr(torch.cpu, "current_device", lambda: 0)
    patch.setattr(torch.cpu, "get_device_properties", lambda _: device, raising=False)
    patch.setattr(torch.cpu, "get_device_capability", lambda _: (9, 0), raising=False)
    for name in ("get_device_properties", "current_device"):
        patch.setattr(torch.cuda, name, getattr(torch.cpu, name))


@pytest.fixture(scope="module")
def gems(library_device):
    found = importlib.util.find_spec("flag_gems")
    if found is None:
        pytest.skip("FlagGems is not installed")
    with pytest.MonkeyPatch.context() as patch:
        folder = Path(found.origin).parent / "runtime" / "backend"
        patch.setenv("GEMS_VENDOR", "nvidia")
        patch.setenv("FLAGGEMS_DB_URL", "sqlite://")
        patch.syspath_prepend(str(folder))
        if library_device == "cpu":
            pretend_that_the_cpu_is_a_gpu(patch)
        compat.install()
        information = importlib.import_module("_nvidia").vendor_info
        information.device_name, information.triton_extra_name = library_device, "cuda"
        yield importlib.import_module("flag_gems")
        compat.uninstall()
        for name in [n for n in sys.modules if n.partition(".")[0] == "flag_gems"]:
            del sys.modules[name]


def random(*shape, dtype=None):
    torch.manual_seed(0)
    return torch.randn(*shape).to(dtype or torch.float32)


POINTWISE = ["abs", "cos", "erf", "exp", "exp2", "log10", "neg", "sigmoid", "sin", "tanh"]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", POINTWISE)
def test_pointwise(gems, name, dtype) -> None:
    x = random(9, 70, dtype=getattr(torch, dtype)).abs()
    transposed = x.t()
    for argument in (x, transposed, x[::2, ::3]):
        expected = getattr(torch, name)(argument)
        tolerance = 1e-5 if dtype == "float32" else 2e-2
        found = getattr(gems, name)(argument)
        torch.testing.assert_close(found, expected, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "maximum", "minimum", "pow_tensor_tensor"])
def test_broadcast(gems, name) -> None:
    x, y = random(9, 1, 30).abs(), random(7, 1)
    operation = getattr(torch, name.partition("_")[0])
    torch.testing.assert_close(getattr(gems, name)(x, y), operation(x, y))


def test_in_place_with_a_kernel_of_an_earlier_launch(gems) -> None:
    x, index = random(5, 8), torch.arange(5)[:, None].expand(5, 8)
    gems.scatter_(x.clone(), 0, index, random(5, 8))
    expected = x.clone().scatter_(0, index, x)
    torch.testing.assert_close(gems.scatter_(x, 0, index, x), expected)


@pytest.mark.parametrize("name", ["sum_dim", "mean_dim", "amax", "argmax", "all_dim", "prod_dim"])
@pytest.mark.parametrize("dim", [0, 1])
def test_reductions(gems, name, dim) -> None:
    x = random(20, 33)
    axis = [dim] if name in ("sum_dim", "mean_dim", "amax") else dim
    expected = getattr(torch, name.partition("_")[0])(x, axis)
    torch.testing.assert_close(getattr(gems, name)(x, axis), expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "int64", "bfloat16"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("size", [100, 8000])
def test_sort(gems, size, descending, dtype) -> None:
    """The longer rows are sorted by programs that wait for each other."""
    x = (random(size) * 100).to(getattr(torch, dtype))
    values, indices = gems.sort_stable(x, stable=True, dim=-1, descending=descending)
    expected = x.sort(stable=True, descending=descending)
    assert torch.equal(values, expected.values)
    assert torch.equal(indices, expected.indices)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_matrix_product(gems, dtype) -> None:
    x, y = (random(*shape, dtype=getattr(torch, dtype)) for shape in ((33, 20), (20, 50)))
    bias = random(50, dtype=x.dtype)
    tolerance = 1e-3 if dtype == "float32" else 5e-2
    found = gems.addmm(bias, x, y)
    torch.testing.assert_close(found, torch.addmm(bias, x, y), atol=tolerance, rtol=tolerance)


def test_norms(gems) -> None:
    x, weight, bias = random(6, 9, 100), random(100), random(100)
    found = gems.layer_norm(x, (100,), weight, bias)[0]
    torch.testing.assert_close(found, F.layer_norm(x, (100,), weight, bias))
    image, scale = random(3, 5, 6, 6), random(5)
    mine, theirs = ([torch.zeros(5), torch.ones(5)] for _ in range(2))
    found = gems.batch_norm(image, scale, scale, *mine, training=True)[0]
    expected = F.batch_norm(image, *theirs, scale, scale, training=True)
    torch.testing.assert_close((found, *mine), (expected, *theirs), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("heads", [2, 4])
def test_attention(gems, heads, is_causal) -> None:
    q, k, v = random(2, 4, 100, 64).half(), *(random(2, heads, 100, 64).half() for _ in range(2))
    options = {"is_causal": is_causal, "enable_gqa": heads != 4}
    found = gems.scaled_dot_product_attention(q, k, v, **options)
    expected = F.scaled_dot_product_attention(q.float(), k.float(), v.float(), **options)
    torch.testing.assert_close(found.float(), expected, atol=5e-3, rtol=5e-3)
