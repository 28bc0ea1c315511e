"""TILEWRIGHT_LOG=compiles: one line on stderr for each kernel that was compiled or fetched.
TILEWRIGHT_LOG=schedule: what `tilewright explain` prints, for each that has a schedule.

tilewright: add: compiled for cpu in 31.4 ms (frontend 4.0, tile 1.2, llvm 20.9): first variant
  x=*fp32:D, y=*fp32:D, out=*fp32:D, n=i32:D, BLOCK=1024
tilewright: add: disk, 1.1 ms: n is i32, was i32:D
  x=*fp32:D, y=*fp32:D, out=*fp32:D, n=i32, BLOCK=1024
"""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple

from tilewright.compiler.kernel import CompiledKernel
from tilewright.compiler.request import Request
from tilewright.dependencies import Record


class _Variant(NamedTuple):
    """What distinguishes one compilation of a function from another.

    Attributes:
        readings: What the compilation has read of the program; see dependencies/record.py.
        request: What was requested: signature, options and target.
    """

    readings: dict[str, str]
    request: dict[str, str]


_variants: dict[tuple[str, str], list[_Variant]] = {}


def wanted(topic: str) -> bool:
    """Whether TILEWRIGHT_LOG, a comma-separated list, has the topic or "all"."""
    named = os.environ.get("TILEWRIGHT_LOG", "").replace(" ", "").split(",")
    return topic in named or "all" in named


def explain(request: Request, record: Record) -> str:
    """How this variant differs from earlier variants of its function; remembers it."""
    fn = request.fn
    place = (str(fn.source_file), getattr(fn.fn, "__qualname__", fn.name))
    variant = _Variant(record.readings, _described(request))
    earlier = _variants.setdefault(place, [])
    reason = _difference(variant, earlier)
    earlier.append(variant)
    return reason


def compiled(request: Request, kernel: CompiledKernel, origin: str, ms: float, why: str) -> None:
    """Prints where a kernel came from, how long it took and why it was needed."""
    if origin == "compiled":
        phases = ", ".join(f"{name} {seconds * 1e3:.1f}" for name, seconds in kernel.phases)
        how = f"compiled for {request.target} in {ms:.1f} ms ({phases})"
    else:
        how = f"{origin}, {ms:.1f} ms"
    signature = ", ".join(f"{name}={value}" for name, value in request.describe().items())
    text = f"tilewright: {kernel.name}: {how}: {why}\n  {signature}\n"
    text += "".join(f"  {remark}\n" for remark in kernel.remarks())
    if kernel.omits_asserts:
        text += "  its assertions were omitted: debug=True or TILEWRIGHT_DEBUG=1 compiles them\n"
    sys.stderr.write(text)


def schedule(request: Request) -> None:
    """Prints the schedule of a request that has compiled, if its target schedules loops."""
    from tilewright.compiler.schedule import explain as explain_schedule
    from tilewright.compiler.schedule import has_schedule
    from tilewright.compiler.schedule_text import schedule_text

    if has_schedule(request.target.kind):
        sys.stderr.write(schedule_text(explain_schedule(request)[0]))


def _described(request: Request) -> dict[str, str]:
    described = request.describe()
    options: dict[str, Any] = request.options.relevant(request.target.kind)
    described.update({f"option {name}": str(value) for name, value in options.items()})
    described["target"] = str(request.target)
    described["freedom from aliasing"] = "known" if request.noalias else "unknown"
    return described


def _difference(variant: _Variant, earlier: list[_Variant]) -> str:
    if not earlier:
        return "first variant"
    same_source = [other for other in earlier if _agree(variant, other)]
    if not same_source:
        return "its source, or a global that it reads, changed"
    changes = [_changes(variant.request, other.request) for other in same_source]
    fewest = min(reversed(changes), key=len)  # The latest of several with equally few changes.
    return "; ".join(fewest) or "the same as before, compiled again"


def _agree(new: _Variant, old: _Variant) -> bool:
    """Whether two compilations have found the same values in everything that both have read."""
    if any(new.request.get(name) != old.request.get(name) for name in ("option debug", "target")):
        return True  # These decide whether readings contain folder names: they can't be compared.
    return all(old.readings.get(what, found) == found for what, found in new.readings.items())


def _changes(new: dict[str, str], old: dict[str, str]) -> list[str]:
    names = [name for name in new if new[name] != old.get(name)]
    return [f"{name} is {new[name]}, was {old.get(name, 'absent')}" for name in names]
