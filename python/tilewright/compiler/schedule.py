"""explain(): what the passes decided for a kernel, as data; schedule_text.py shows it."""

from __future__ import annotations

from typing import Any

from tilewright.compiler import stages
from tilewright.compiler.request import Request
from tilewright.compiler.targets import hardware_terms, target_kinds
from tilewright.errors import ArgumentError, TilewrightError

# The phase in which GPUs' schedules are decided.
_PHASE = "tilegpu"
_REGISTERS = ("registers", "accumulators", "scalar_registers", "spill_bytes")


def explain(request: Request) -> tuple[dict[str, Any], TilewrightError | None]:
    """Compiles a kernel and returns its schedule, as JSON-serializable data.

    Args:
        request: The kernel, its signature, options and target, a GPU or an emulated one.

    Returns:
        The report, and None. If the kernel exceeds a resource of the target, what was decided until
        then, and the error. The report is that of lib/Pipeline/ScheduleReport.h and

        kernel, file     its name and source file
        target           its name
        signature        its parameters' types and values, by name
        registers        32-bit registers per thread; 0 without an assembler; absent for emulated
                         GPUs, whose code is the host's
        spill_bytes      bytes of spills and reloads per thread, likewise
        occupancy        "programs" per multiprocessor, and how many each resource allows; for
                         AMD's GPUs also "simd_warps"
        accumulators, scalar_registers
                         AMD's AGPRs, which are among the registers, and SGPRs of a wave
        terms            what the vendor calls the parts of the GPU (TargetKind.terms)

    Raises:
        ArgumentError: The target has no schedule, such as the CPU's.
        CompileError: The kernel's source is invalid.
    """
    kind = target_kinds()[request.target.kind]
    if not has_schedule(kind.name):
        known = [kind.targets[0] for kind in target_kinds().values() if has_schedule(kind.name)]
        raise ArgumentError(
            f"the target '{request.target}' has no schedule, as its loops are not pipelined; "
            f"choose a GPU or an emulated one, such as {' or '.join(known)}"
        )
    metadata, failure = stages.explain(request)
    report: dict[str, Any] = {
        "kernel": request.name,
        "file": request.fn.source_file,
        "target": str(request.target),
        "signature": request.describe(),
    }
    report["terms"] = hardware_terms(request.target)
    report |= metadata.get("schedule") or {}
    report |= {name: metadata[name] for name in _REGISTERS if name in metadata}
    return report, failure


def has_schedule(kind: str) -> bool:
    """Whether a kind of target schedules loops: GPUs do, emulated ones too."""
    return _PHASE in target_kinds()[kind].phases
