"""Compares what a launch leaves on a GPU with what it leaves on the emulated one.

A plugin of pytest, for `--targets cuda+emulator`: beside each launch on the device the same kernel
runs on an emulated GPU, on the host's arrays, which the device's results replace afterwards.
Integers must be the same. Floats may differ in what approximated functions and the order of atomic
additions leave open: by the norm of the difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import tilewright
from tilewright import _core

# How many launches left the same bytes, and how many did not.
outcomes: Counter[str] = Counter()
# Of the norm, by the bytes of an element.
_TOLERANCE = {8: 1e-12, 4: 1e-5, 2: 1e-2, 1: 0.1}


def architecture() -> str:
    major, minor = _core.cuda_platform()["devices"][0]["capability"]
    return f"cuda:{major}{minor}"


@contextmanager
def emulating(arrays: Iterable[tuple[Any, Any]]) -> Iterator[None]:
    """Within it the launch is to be run on the host's arrays, which still are as they were.

    Args:
        arrays: Tensors of the host, and their copies on the device, where it has run.
    """
    with tilewright.emulate(architecture()):
        yield
    same = [_compare(host, device.cpu()) for host, device in arrays]
    outcomes["the same bytes" if all(same) else "nearly the same"] += 1


def _compare(emulated: Any, real: Any) -> bool:
    """Whether all bytes are the same; they must be nearly so."""
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
