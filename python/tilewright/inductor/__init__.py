"""torch.compile for the CPU by Tilewright: PyTorch's Inductor generates kernels, which it compiles.

    import tilewright.inductor

    tilewright.inductor.register()
    f = torch.compile(f)

For NVIDIA GPUs, Inductor generates Triton kernels anyway, so `tilewright.compat.install()` is
enough there; `register` does that, too. docs/torch-compile.md describes what works.

user_kernels.py   which arguments a kernel writes that a program calls in a compiled function
cpu_templates.py  templates of products, convolutions and attention on the CPU
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from tilewright import compat
from tilewright.compat.facade import Facade
from tilewright.errors import CompatError
from tilewright.inductor import cpu_templates, user_kernels

__all__ = ["OLDEST", "TRIED", "is_registered", "register", "unregister"]

OLDEST = (2, 11)
TRIED = ((2, 11), (2, 13))

# Inductor times each configuration of a kernel on the CPU for 25 + 100 ms, which is longer than
# compiling it takes. On a GPU the first of these settings counts, too.
_TIMING = {"inductor_default_autotune_warmup": 5, "inductor_default_autotune_rep": 20}  # ms

# The values of Inductor's settings before `register`; empty if it is not registered.
_before: dict[str, Any] = {}


def register(*, any_version: bool = False) -> None:
    """Makes torch.compile generate kernels for Tilewright on the CPU, in this process.

    Installs tilewright.compat if it is not. Functions that were compiled before keep their code. A
    single function can have another back end: `torch.compile(f, options={"cpu_backend": "cpp"})`.
    Where there is no GPU, configurations of kernels are timed for 25 ms each, not for 125 ms. Does
    nothing if it has been called already.

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
    cpu_templates.enable()
    settings: dict[str, Any] = {"cpu_backend": "triton"}
    if not _torch().cuda.is_available():
        settings |= _TIMING
    for name, value in settings.items():
        _before[name] = getattr(config, name)
        setattr(config, name, value)


def unregister() -> None:
    """Undoes `register`, but leaves compat installed. Does nothing if it is not registered."""
    if not _before:
        return
    config = _config()
    for name, value in _before.items():
        setattr(config, name, value)
    _before.clear()
    cpu_templates.disable()
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
