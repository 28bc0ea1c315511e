"""Triton's options that Tilewright does not have, and the values that a launch accepts.

An option is accepted with any value if it cannot change a result: it is a hint for a compiler, or
names a limit that Tilewright does not have. Otherwise it is accepted with its default only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tilewright.errors import ArgumentError


class ForeignOption(NamedTuple):
    """An option of Triton.

    Attributes:
        doc: What it does in Triton.
        accepted: The values that are accepted, and ignored; None stands for all.
    """

    doc: str
    accepted: tuple[Any, ...] | None = None


_AMD = "a hint for AMD's GPUs"
_SPECIALIZATION = "a hint for warp specialization"

FOREIGN_OPTIONS: dict[str, ForeignOption] = {
    "cluster_dims": ForeignOption("the shape of a cluster of thread blocks", ((1, 1, 1),)),
    "arch": ForeignOption("the GPU to compile for, instead of the device", (None,)),
    "ptx_version": ForeignOption("the version of PTX", (None,)),
    "ptx_options": ForeignOption("options of the assembler", (None, "")),
    "max_num_imprecise_acc_default": ForeignOption(
        "how many products of float8 are added at low precision"
    ),
    "enable_reflect_ftz": ForeignOption("whether functions may flush subnormal results to zero"),
    "kpack": ForeignOption(_AMD),
    "schedule_hint": ForeignOption(_AMD),
    "allow_flush_denorm": ForeignOption("whether subnormal numbers may be flushed to zero"),
    "num_consumer_groups": ForeignOption(_SPECIALIZATION),
    "num_buffers_warp_spec": ForeignOption(_SPECIALIZATION),
    "reg_dec_producer": ForeignOption(_SPECIALIZATION),
    "reg_inc_consumer": ForeignOption(_SPECIALIZATION),
}


def check_foreign(name: str, value: Any) -> bool:
    """Whether an option is one of Triton's that a launch accepts and ignores.

    Raises:
        ArgumentError: It is, but its value could change the result.
    """
    option = FOREIGN_OPTIONS.get(name)
    if option is None:
        return False
    if option.accepted is None or any(_equal(value, other) for other in option.accepted):
        return True
    accepted = " or ".join(repr(other) for other in option.accepted)
    raise ArgumentError(
        f"option {name} must be {accepted}, not {value!r}: Tilewright does not have this option of "
        f"Triton's ({option.doc})"
    )


def _equal(value: Any, other: Any) -> bool:
    return bool(type(value) is type(other) and value == other)
