"""torch.compile for the CPU by Tilewright: PyTorch's Inductor generates kernels, which it compiles.

    import tilewright.inductor

    tilewright.inductor.register()
    f = torch.compile(f)

For NVIDIA GPUs, Inductor generates Triton kernels anyway, so `tilewright.compat.install()` is
enough there; `register` does that, too. docs/torch-compile.md describes what works.

user_kernels.py  which arguments a kernel writes that a program calls in a compiled function
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from tilewright import compat
from tilewright.compat.facade import Facade
from tilewright.errors import CompatError
from tilewright.inductor import user_kernels

__all__ = ["OLDEST", "TRIED", "is_registered", "register", "unregister"]

OLDEST = (2, 11)
TRIED = ((2, 11), (2, 13))

# The value of torch._inductor.config.cpu_backend before `register`; None if it is not registered.
_before: list[str] = []


def register(*, any_version: bool = False) -> None:
    """Makes torch.compile generate kernels for Tilewright on the CPU, in this process.

    Installs tilewright.compat if it is not. Functions that were compiled before keep their code. A
    single function can have another back end: `torch.compile(f, options={"cpu_backend": "cpp"})`.
    Does nothing if it has been called already.

    Args:
        any_version: Whether to accept versions of PyTorch that are not known to work.

    Raises:
        CompatError: PyTorch is missing, or its version is not known to work; or Inductor was
            imported before compat was installed, and found another Triton or none.
    """
    if _before:
        return
    if not any_version:
        check_version(_torch().__version__)
    # Must come before Inductor's settings are imported, with which PyTorch looks for Triton.
    compat.install()
    check_inductor()
    config = _config()
    user_kernels.replace_analysis()
    _before.append(config.cpu_backend)
    config.cpu_backend = "triton"


def unregister() -> None:
    """Undoes `register`, but leaves compat installed. Does nothing if it is not registered."""
    if _before:
        _config().cpu_backend = _before.pop()
        user_kernels.restore_analysis()


def is_registered() -> bool:
    """Whether `register` is in effect."""
    return bool(_before)


def _torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise CompatError(f"tilewright.inductor needs PyTorch: {error}") from error


def _config() -> Any:
    """The settings of Inductor."""
    return importlib.import_module("torch._inductor.config")


def check_version(version: str) -> None:
    """Requires a version of PyTorch that is known to work.

    Raises:
        CompatError: It is older than the oldest one, or newer than all that were tried.
    """
    found = tuple(int(part) for part in version.split("+")[0].split(".")[:2])
    if OLDEST <= found <= TRIED[-1]:
        return
    state = "too old" if found < OLDEST else "newer than all that were tried"
    known = " and ".join(".".join(map(str, pair)) for pair in TRIED)
    raise CompatError(
        f"PyTorch {version} is {state} for tilewright.inductor, which is known to work with "
        f"{known}; register(any_version=True) tries it nevertheless"
    )


def check_inductor() -> None:
    """Requires that Inductor has not imported `triton` before compat was installed.

    Raises:
        CompatError: It has imported another one, or found none.
    """
    seen = sys.modules.get("torch._inductor.runtime.triton_compat")
    if seen is not None and not isinstance(seen.triton, Facade):
        found = "no Triton" if not getattr(seen, "HAS_TRITON", False) else "another Triton"
        raise CompatError(
            f"torch._inductor was imported before tilewright.compat was installed, and found "
            f"{found}; call tilewright.inductor.register() before the first torch.compile"
        )
