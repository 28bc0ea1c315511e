"""The targets on which the tests of compat run functions, and the device of published libraries."""

import pytest

import tilewright


@pytest.fixture(scope="module")
def library_device(request):
    """The device of the tensors that libraries are tested on: "cuda" with `--targets cuda`."""
    torch = pytest.importorskip("torch")
    device = "cuda" if request.config.getoption("--targets") == "cuda" else "cpu"
    torch.set_default_device(device)
    yield device
    torch.set_default_device("cpu")


@pytest.fixture(params=["cpu", "cuda:80"])
def target(request):
    if request.param == "cpu":
        yield "cpu"
        return
    with tilewright.emulate(request.param, checks=True):
        yield request.param
