"""The decorator `cuda_memcheck`: runs a test under NVIDIA's compute-sanitizer."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from tilewright.errors import ArgumentError, DeviceError

# Set in the environment of the sanitizer's process, where the test runs as it is.
_INSIDE = "TILEWRIGHT_UNDER_MEMCHECK"


def cuda_memcheck(**target_kwargs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a pytest test so that compute-sanitizer checks it for bad memory accesses.

    The test must have the fixture `request`. It runs in a process of its own, in which PyTorch does
    not cache memory, because accesses within the cache would be no errors.

    Args:
        target_kwargs: The parameters of the tests to check, such as dtype="float32". Other tests
            run unchecked; without target_kwargs all are checked.

    Raises:
        AssertionError: compute-sanitizer found errors, or the test failed.
        ArgumentError: The test does not have the fixture `request`.
        DeviceError: compute-sanitizer, which is part of the CUDA toolkit, is not on the PATH.
    """

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def checked(*args: Any, **kwargs: Any) -> Any:
            is_target = all(k in kwargs and kwargs[k] == v for k, v in target_kwargs.items())
            if _INSIDE in os.environ or not is_target:
                return test(*args, **kwargs)
            if "request" not in kwargs:
                raise ArgumentError(f"{test.__name__} must have the fixture `request`")
            return _run(kwargs["request"])

        return checked

    return decorate


def _run(request: Any) -> None:
    """Runs the test of a pytest request under compute-sanitizer."""
    test = [sys.executable, "-m", "pytest", "-vs", request.node.nodeid]
    environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1", _INSIDE: "1"}
    try:
        done = subprocess.run(
            ["compute-sanitizer", "--tool", "memcheck", *test],
            capture_output=True,
            text=True,
            env=environment,
            cwd=request.config.rootpath,
        )
    except OSError as error:
        raise DeviceError(f"cuda_memcheck needs NVIDIA's compute-sanitizer: {error}") from None
    if done.returncode or "ERROR SUMMARY: 0 errors" not in done.stdout:
        raise AssertionError(f"compute-sanitizer found errors:\n{done.stdout}{done.stderr}")
