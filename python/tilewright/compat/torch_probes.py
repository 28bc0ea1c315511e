"""What PyTorch remembers about `triton`, which changes when compat is installed or uninstalled."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType

# Modules with cached functions, and a word in the names of those that are about Triton.
_MODULES = {"torch.utils._triton": "", "torch._inductor.utils": "triton"}
_HINTS = "torch._inductor.runtime.hints"
_DYNAMO = "torch._dynamo.utils"


def forget() -> None:
    """Makes PyTorch look again, as far as it has not imported what Inductor generates code with."""
    for name, word in _MODULES.items():
        for value in list(vars(sys.modules.get(name, ModuleType(name))).values()):
            clear = getattr(value, "cache_clear", None)
            if callable(clear) and word in getattr(value, "__name__", ""):
                clear()
    if importlib.util.find_spec("triton") is not None:
        _renew_attributes()
        _renew_dynamo()


def _renew_attributes() -> None:
    """Replaces the form in which Inductor states attributes of arguments.

    `import torch._inductor.config` chooses it, so a program may have done so before it installs
    compat. The rest of that module must remain, since others have imported its classes.
    """
    hints = sys.modules.get(_HINTS)
    if hints is None or hints.__spec__ is None or hints.__spec__.loader is None:
        return
    again = importlib.util.module_from_spec(hints.__spec__)
    hints.__spec__.loader.exec_module(again)
    for name in ("AttrsDescriptorWrapper", "attr_desc_fields"):
        if hasattr(again, name):
            setattr(hints, name, getattr(again, name))


def _renew_dynamo() -> None:
    """Gives Dynamo, which imports `triton` at the top of a module, what that would have set."""
    dynamo = sys.modules.get(_DYNAMO)
    if dynamo is not None and not hasattr(dynamo, "triton"):
        triton = importlib.import_module("triton")
        dynamo.triton = triton  # type: ignore[attr-defined]
        dynamo.common_constant_types.add(triton.language.dtype)
