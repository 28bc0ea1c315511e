"""The kernels of gpu_kernels.py in the language of Tilewright or of Triton."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from pathlib import Path
from typing import Any

KERNELS = Path(__file__).with_name("gpu_kernels.py")


def load_kernels(package: str) -> Any:
    """The module of kernels that "tilewright" or "triton" compiles; None without the package."""
    try:
        compiler = importlib.import_module(package)
        language = importlib.import_module(f"{package}.language")
        descriptors = importlib.import_module(f"{package}.tools.tensor_descriptor")
    except ImportError:
        return None
    stand_in = types.ModuleType("kernel_language")
    stand_in.__dict__.update(jit=compiler.jit, tl=language)
    sys.modules["kernel_language"] = stand_in
    spec = importlib.util.spec_from_file_location(f"kernels_of_{package}", KERNELS)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.__dict__["TensorDescriptor"] = descriptors.TensorDescriptor
    return module
