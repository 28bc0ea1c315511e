"""The targets on which the tests of compat run functions."""

import pytest

import tilewright


@pytest.fixture(params=["cpu", "cuda:80"])
def target(request):
    if request.param == "cpu":
        yield "cpu"
        return
    with tilewright.emulate(request.param, checks=True):
        yield request.param
