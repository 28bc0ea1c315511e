"""Launches through the driver alone: a lower bound on the launch time of any compiler."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

PTX = b""".version 7.0
.target sm_80
.address_size 64
.visible .entry nothing() { ret; }
"""


def bare_launch() -> Callable[[], object]:
    """A function that launches an empty kernel through ctypes, in the current context."""
    driver = ctypes.CDLL("libcuda.so.1")
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    assert driver.cuModuleLoadData(ctypes.byref(module), PTX) == 0
    assert driver.cuModuleGetFunction(ctypes.byref(function), module, b"nothing") == 0
    launch = driver.cuLaunchKernel
    launch.argtypes = [ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3]
    return lambda: launch(function, 1, 1, 1, 128, 1, 1, 0, None, None, None)
