"""Compares the results of each launch on a GPU with those on an emulated GPU.

A pytest plugin, for `--targets cuda+emulator`: in addition to each launch on the device, the same
kernel runs on an emulated GPU, on the host's arrays, which then get the device's results. Integers
must be equal. Floats may differ because of approximate functions and the order of atomic additions;
the norm of the difference is bounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import tilewright
from tilewright import _core

# The number of launches with identical bytes, and of those with different bytes.
outcomes: Counter[str] = Counter()
# Tolerance of the relative norm, by the bytes of an element.
_TOLERANCE = {8: 1e-12, 4: 1e-5, 2: 1e-2, 1: 0.1}


def architecture() -> str:
    return f"cuda:{_core.devices('cuda')['devices'][0]['architecture']}"


@contextmanager
def emulating(arrays: Iterable[tuple[Any, Any]]) -> Iterator[None]:
    """A context in which the launch is repeated on the host's arrays, which are still unchanged.

    Args:
        arrays: Tensors on the host, and their copies on the device after the launch.
    """
    with tilewright.emulate(architecture()):
        yield
    same = [_compare(host, device.cpu()) for host, device in arrays]
    outcomes["the same bytes" if all(same) else "nearly the same"] += 1


def _compare(emulated: Any, real: Any) -> bool:
    """Whether all bytes are equal; fails if the difference exceeds the tolerance."""
    import torch

    if torch.equal(*(x.contiguous().reshape(-1).view(torch.uint8) for x in (emulated, real))):
        return True
    assert real.dtype.is_floating_point, f"integers differ:\n{emulated}\n{real}"
    a, b = emulated.double(), real.double()
    finite = b.isfinite()
    assert torch.allclose(a[~finite], b[~finite], equal_nan=True), f"{emulated}\n{real}"
    apart = (a[finite] - b[finite]).norm().item()
    most = _TOLERANCE[real.element_size()] * b[finite].norm().item()
    assert apart <= most, f"{apart} apart, {most} allowed:\n{emulated}\n{real}"
    return False


def pytest_sessionfinish(session: Any) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["beside"] = dict(outcomes)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_testnodedown(node: Any, error: object) -> None:
    outcomes.update(getattr(node, "workeroutput", {}).get("beside", {}))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.write_line(f"launches compared with an emulated GPU: {dict(outcomes)}")
