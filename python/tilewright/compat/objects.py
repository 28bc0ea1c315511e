"""Objects of Triton that exist only so that programs can ask for them."""

from __future__ import annotations

from typing import Any, NoReturn

from tilewright.errors import LaunchError


class InterpretedFunction:
    """A kernel that Triton's interpreter runs. Tilewright runs kernels on the CPU instead."""

    def __init__(self, fn: Any, **options: Any) -> NoReturn:
        raise LaunchError(
            "there is no interpreter; kernels on tensors in host memory run on the CPU, "
            "and `checks='bounds'` checks their accesses"
        )
