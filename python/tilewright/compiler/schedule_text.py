"""The text of a schedule that schedule.py explains, of at most 100 columns."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_WIDTH = 100
_PACKAGE = str(Path(__file__).parent.parent)
_Row = Sequence[str]
# The columns that are aligned on the right.
_NUMBERS = ("line", "stage", "cluster", "partition", "slots", "bytes", "offset")


def schedule_text(report: dict[str, Any]) -> str:
    """The report as a table per loop and one of the buffers, with a line at its end."""
    parts = [_summary(report)]
    if "loops" in report:
        loops = report["loops"]
        parts += [_region_text(report, loop, _title(report, loop)) for loop in loops]
        parts.append(_region_text(report, report["outside"], "outside of loops"))
        parts.append(_buffers_text(report))
    return "\n".join(part for part in parts if part)


# The kernel


def _summary(report: dict[str, Any]) -> str:
    terms = report["terms"]
    used = [f"{report['warps']} {terms['warp']}s"] if "warps" in report else []
    producer = report.get("producer", {})
    if producer:
        used.append(f"{producer['warps']} producer {terms['warp']}s")
    if report.get("registers"):
        spilled = report["spill_bytes"]
        moved = producer.get("registers")
        then = f", then {moved[0]} and for the others {moved[1]}" if moved else ""
        used.append(f"{report['registers']} registers a thread{_accumulators(report)}{then}")
        if "scalar_registers" in report:
            used.append(f"{report['scalar_registers']} scalar registers a {terms['warp']}")
        used.append(f"{spilled} bytes spilled" if spilled else "no spills")
    elif "registers" in report:
        used.append("registers unknown without an assembler")
    if report.get("persistent"):
        used.append("persistent")
    lines = [f"{report['kernel']} for {report['target']}", *_wrapped("  ", ", ".join(used))]
    if "shared_bytes" in report:
        limit = report["shared_limit"]
        lines.append(f"  {report['shared_bytes']} of {limit} bytes of {terms['shared']}")
    return "\n".join([*lines, *_occupancy(report), ""])


def _accumulators(report: dict[str, Any]) -> str:
    """The two kinds of registers that the threads of AMD's GPUs have."""
    if "accumulators" not in report:
        return ""
    accumulators: int = report["accumulators"]
    return f" ({report['registers'] - accumulators} VGPRs, {accumulators} AGPRs)"


def _occupancy(report: dict[str, Any]) -> list[str]:
    occupancy, terms = dict(report.get("occupancy", {})), report["terms"]
    if not occupancy:
        return []
    programs, simd = occupancy.pop("programs"), occupancy.pop("simd_warps", None)
    names = {"warps": f"{terms['warp']}s", "shared memory": terms["shared"]}
    limits = ", ".join(
        f"{names.get(name, name)} {most}" for name, most in sorted(occupancy.items())
    )
    lines = _wrapped("  ", f"programs on a {terms['multiprocessor']}: {programs} (by {limits})")
    if simd:
        lines.append(
            f"  {terms['warp']}s on a SIMD: {simd['programs']:g} of {simd['most']}, "
            f"of which the registers allow {simd['registers']}"
        )
    return lines


# Loops


def _title(report: dict[str, Any], loop: dict[str, Any]) -> str:
    stages = f"{loop['stages']} stages" if loop["stages"] > 1 else "not pipelined"
    title = f"{loop['kind']} loop at {_file_line(loop['at'])}, {stages}"
    return title + (f", {loop['copies']} times in the code" if loop["copies"] > 1 else "")


def _region_text(report: dict[str, Any], region: dict[str, Any], title: str) -> str:
    lines = [title]
    operations = region["operations"]
    if operations:
        has_partitions = any(op.get("partition") for op in operations)
        names = ["stage", "cluster", *(["partition"] if has_partitions else [])]
        is_scheduled = any("stage" in op for op in operations)
        rows = [("line", "operation", "tile", *(names if is_scheduled else []), "")]
        for op in operations:
            place = [str(op.get(name, "")) for name in names] if is_scheduled else []
            how = _how(op, _first_reader(operations), report["terms"]["copies_ahead"])
            rows.append((_line(report, op["at"]), op["kind"], op["tile"], *place, how))
        lines += _table(rows)
    if roofline := region.get("roofline"):
        lines += _wrapped("  ", _roofline(roofline, report["terms"]["matrix_units"]))
    for rejection in region["rejected"]:
        first = f"  line {_line(report, rejection['at'])}: no {rejection['choice']}: "
        lines += _wrapped(first, rejection["reason"])
    return "\n".join([*lines, ""]) if len(lines) > 1 else ""


def _first_reader(operations: Sequence[dict[str, Any]]) -> int:
    """The stage of the first operation that can read what stage 0 copies."""
    return min((op["stage"] for op in operations if op.get("stage")), default=0)


def _how(op: dict[str, Any], first_reader: int, copies_ahead: str) -> str:
    """What carries an operation out."""
    if dot := op.get("dot"):
        return _how_dot(dot, op["count"])
    if op["kind"] == "copy":
        return f"{copies_ahead}, {first_reader} iteration{'s'[: first_reader != 1]} ahead"
    return f"{op['count']} times" if op["count"] > 1 else ""


def _how_dot(dot: dict[str, Any], count: int) -> str:
    instruction = f" {dot['instruction']}" if dot["instruction"] else ""
    text = f"{dot['issued'] * count} {dot['unit']}{instruction}"
    if dot["in_flight"]:
        text += ", in flight"
    if dot["in_turns"]:
        text += ", in turns"
    return text if dot["unit"] != "wgmma" else f"{text}\nA: {dot['a']}\nB: {dot['b']}"


def _roofline(roofline: dict[str, Any], matrix_units: str) -> str:
    """What bounds an iteration at the device's peak."""
    if unknown := roofline.get("unknown"):
        return f"no roofline: {unknown} is not known"
    tensor, memory = roofline["tensor_cycles"], roofline["memory_cycles"]
    bound = f"bound by the {matrix_units}"
    if memory > tensor:
        cached = -(-100 * (memory - tensor) // memory)
        bound = f"bound by memory unless {cached} % of the bytes are in the L2 cache"
    return (
        f"an iteration takes at least {tensor} cycles of an {roofline['device']}'s "
        f"{matrix_units}, and {memory} of its memory for {roofline['memory_bytes']} bytes: {bound}"
    )


# Buffers


def _buffers_text(report: dict[str, Any]) -> str:
    rows = [("line", "buffer", "slots", "bytes", "offset", "")]
    for buffer in report["buffers"]:
        offset = "" if buffer["offset"] is None else str(buffer["offset"])
        numbers = (str(buffer["slots"]), str(buffer["bytes"]), offset)
        rows.append((_line(report, buffer["at"]), buffer["tile"], *numbers, buffer["swizzle"]))
    title = report["terms"]["shared"]
    return "\n".join([title, *_table(rows), ""]) if len(rows) > 1 else ""


# Positions


def _users_frame(at: Sequence[Any]) -> Any:
    """The innermost frame outside of Tilewright's own library; None if there is no position."""
    for frame in at:
        if not frame[0].startswith(_PACKAGE):
            return frame
    return at[0] if at else None


def _file_line(at: Sequence[Any]) -> str:
    frame = _users_frame(at)
    return f"{os.path.basename(frame[0])}:{frame[1]}" if frame else "an unknown line"


def _line(report: dict[str, Any], at: Sequence[Any]) -> str:
    """The line, with the file if that is not the kernel's."""
    frame = _users_frame(at)
    if frame and os.path.basename(frame[0]) == os.path.basename(report["file"]):
        return str(frame[1])
    return _file_line(at)


# Layout of the text


def _table(rows: Sequence[_Row]) -> list[str]:
    """Aligned columns; the cells of the last one are not aligned and may have several lines."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if title in _NUMBERS else cell.ljust(width)
            for cell, title, width in zip(row[:-1], rows[0], widths, strict=False)
        ]
        start = "  " + "  ".join(cells) + "  "
        first, *rest = row[-1].split("\n")
        lines += [*_wrapped(start, first), *(" " * len(start) + text for text in rest)]
    return [line.rstrip() for line in lines]


def _wrapped(start: str, text: str) -> list[str]:
    """The text after `start`, with continuation lines that are indented by four columns more."""
    if not text:
        return [start.rstrip()]
    indent = " " * (len(start) - len(start.lstrip()) + 4)
    filled = textwrap.fill(
        text, _WIDTH, initial_indent=start, subsequent_indent=indent, break_on_hyphens=False
    )
    return filled.split("\n")
