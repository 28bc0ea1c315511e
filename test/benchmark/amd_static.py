"""Code for AMD's GPUs beside that of Triton: registers, LDS, and the instructions of the hot loops.

    python test/benchmark/amd_static.py --triton-python /path/to/venv/bin/python [--json FILE]

Needs no GPU. The kernels of gpu_kernels.py are compiled for each architecture, from the same
source and with the same knowledge about arguments, by Tilewright and, in a process of a Python that
has Triton (an option or TRITON_PYTHON), by Triton. The instructions are those of the innermost loop
with the most matrix instructions, per iteration of the source; of a kernel without loops, all.

`--compile PACKAGE` is what the other process runs: it prints the assembly as JSON.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kernel_packages import load_kernels

ARCHITECTURES = {"gfx942": 64, "gfx1100": 32}  # with their lanes per wave
LDS_BYTES = {"gfx942": 64 << 10, "gfx1100": 128 << 10}  # of four SIMDs
# Of a lane of a SIMD: registers, the step in which they are allocated; and the most waves.
REGISTERS = {"gfx942": (512, 8, 8), "gfx1100": (1536, 24, 16)}
MATRIX = {"DEPTH": 64, "CAUSAL": False, "BLOCK_M": 128, "BLOCK_N": 64}
TILE = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP": 8}
STRIDES = {"a_column": 1, "b_column": 1, "c_column": 1}


@dataclass(frozen=True)
class Case:
    """A kernel with its types, in order; constants have the type "constexpr"."""

    kernel: str
    types: str
    constants: dict[str, Any]
    warps: int = 4


CASES = {
    "softmax fp32, 4096 columns": Case("softmax", "*fp32 *fp32 i32 i32", {"BLOCK": 4096}),
    "layer norm fp16, 2048 columns": Case(
        "layer_norm", "*fp16 *fp16 *fp16 *fp16 *fp32 *fp32 i32 i32 fp32", {"BLOCK": 2048}
    ),
    "matmul fp16, 128x128x64": Case(
        "matmul", "*fp16 *fp16 *fp16 i32 i32 i32 i32 1 i32 1 i32 1", {**STRIDES, **TILE}
    ),
    "matmul fp16, 64x64x32": Case(
        "matmul",
        "*fp16 *fp16 *fp16 i32 i32 i32 i32 1 i32 1 i32 1",
        {**STRIDES, **TILE, "BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32},
    ),
    "attention fp16, 128x64, depth 64": Case(
        "attention", "*fp16 *fp16 *fp16 *fp16 i32 fp32", MATRIX
    ),
}


# ---------------------------------------------------------------------------
# Compiling, with either package
# ---------------------------------------------------------------------------


def compile_case(package: str, kernels: Any, case: Case, arch: str) -> dict[str, Any]:
    """The assembly and the bytes of LDS."""
    is_triton = package == "triton"
    sources = importlib.import_module(
        "triton.compiler" if is_triton else f"{package}.compiler.sources"
    )
    targets = importlib.import_module(
        "triton.backends.compiler" if is_triton else f"{package}.compiler.gpu_target"
    )
    fn = getattr(kernels, case.kernel)
    named = dict(zip(fn.arg_names, case.types.split(), strict=False))
    signature = {name: named.get(name, "constexpr") for name in fn.arg_names}
    signature |= dict.fromkeys(case.constants, "constexpr")
    # What a launch knows of PyTorch's tensors of less than 2 GiB, and of multiples of 16.
    aligned, small = ["tt.divisibility", 16], ["tt.pointer_range", 32]
    attrs = {
        (index,): [aligned, small] if type.startswith("*") else [aligned]
        for index, type in enumerate(signature.values())
        if type.startswith("*") or type == "i32"
    }
    source = sources.ASTSource(fn, signature, case.constants, attrs)
    if not is_triton:
        source.noalias = True  # a launch finds out
    target = targets.GPUTarget("hip", arch, ARCHITECTURES[arch])
    options = {"num_warps": case.warps, "num_stages": 2}
    made = importlib.import_module(package).compile(source, target=target, options=options)
    lds = made.metadata.shared
    return {"text": made.asm["amdgcn"], "lds": lds}


def compile_all(package: str) -> dict[str, Any]:
    kernels = load_kernels(package)
    code = {
        f"{arch}/{name}": compile_case(package, kernels, case, arch)
        for arch in ARCHITECTURES
        for name, case in CASES.items()
    }
    return {"version": importlib.import_module(package).__version__, "code": code}


def compile_in(python: str) -> dict[str, Any]:
    """What Triton in another Python compiles."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [python, __file__, "--compile", "triton"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{python} could not compile the kernels with Triton:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# ---------------------------------------------------------------------------
# Reading assembly
# ---------------------------------------------------------------------------

_WIDTHS = {
    "b128": 16, "dwordx4": 16, "b96": 12, "dwordx3": 12, "b64": 8, "dwordx2": 8,
    "b32": 4, "dword": 4,
    "b16": 2, "u16": 2, "i16": 2, "ushort": 2, "sshort": 2, "short": 2,
    "b8": 1, "u8": 1, "i8": 1, "ubyte": 1, "sbyte": 1, "byte": 1,
}  # fmt: skip
_MEMORY = re.compile(
    r"(global|buffer|flat|scratch|ds)_(load|store|read|write)(2st64|2|_2addr)?_?(\w*)"
)
_BRANCH = re.compile(r"s_(c?)branch\w*\s+(\S+)|s_endpgm")
_HINTS = ("s_nop", "s_delay_alu", "s_setprio", "s_sched", "s_clause", "s_set_inst_prefetch")


def kind_of(instruction: str) -> str:
    """The row of the table to which an instruction belongs; empty for hints to the scheduler."""
    if instruction.startswith(_HINTS):
        return ""
    if instruction.startswith(("v_mfma", "v_wmma")):
        return "matrix"
    if found := _MEMORY.match(instruction):
        space, way, pair, rest = found.groups()
        parts = rest.split("_")
        width = next((_WIDTHS[part] for part in parts if part in _WIDTHS), 0)
        access = "read" if way in ("load", "read") else "write"
        memory = "LDS" if space == "ds" else "scratch" if space == "scratch" else "global"
        return f"{memory} {access}, {'2 x ' if pair else ''}{width} B"
    if re.match(r"buffer_(gl|inv|wb)", instruction):
        return "cache invalidation"
    if instruction.startswith("ds_"):
        return "LDS, between lanes"
    if re.match(r"s_wait", instruction):
        return "wait"
    if instruction.startswith("s_barrier"):
        return "barrier"
    if re.match(r"s_c?branch", instruction):
        return "branch"
    if instruction.startswith(("s_load", "s_buffer_load")):
        return "scalar load"
    return (
        "VALU"
        if instruction.startswith("v_")
        else "SALU"
        if instruction.startswith("s_")
        else "other"
    )


def instructions_of(text: str) -> list[str]:
    """The lines of the first function: labels with a colon at their end, and instructions."""
    body = re.split(r"\.Lfunc_end0:|\.section\t\.rodata", text)[0]
    lines = (line.split(";")[0].split("//")[0].strip() for line in body.splitlines())
    labels = re.compile(r"\.LBB\w+:$")
    return [
        line
        for line in lines
        if labels.match(line) or re.match(r"(v|s|ds|global|buffer|flat|scratch)_", line)
    ]


@dataclass
class _Block:
    """Instructions without a branch among them, and the numbers of the blocks that may follow."""

    lines: list[str]
    next: list[int]


def _blocks_of(lines: list[str]) -> list[_Block]:
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.endswith(":"):
            parts.append([line])
        else:
            parts[-1].append(line)
            if _BRANCH.match(line):
                parts.append([])
    at = {part[0][:-1]: number for number, part in enumerate(parts) if part and part[0][-1] == ":"}
    blocks = []
    for number, part in enumerate(parts):
        found = _BRANCH.match(part[-1]) if part else None
        after = [number + 1] if number + 1 < len(parts) and not (found and not found[1]) else []
        follow = [*after, *([at[found[2]]] if found and found[2] in at else [])]
        blocks.append(_Block([line for line in part if not line.endswith(":")], follow))
    return blocks


def _back_edges(blocks: list[_Block]) -> list[tuple[int, int]]:
    """The branches to a block that is being visited, depth first."""
    found, state, stack = [], {0: 1}, [(0, iter(blocks[0].next))]
    while stack:
        block, rest = stack[-1]
        follower = next(rest, None)
        if follower is None:
            state[block] = 2
            stack.pop()
        elif follower not in state:
            state[follower] = 1
            stack.append((follower, iter(blocks[follower].next)))
        elif state[follower] == 1:
            found.append((block, follower))
    return found


def loops_of(lines: list[str]) -> list[list[str]]:
    """The instructions of each loop that has no other loop in it."""
    blocks = _blocks_of(lines)
    bodies: dict[int, set[int]] = {}
    for last, head in _back_edges(blocks):
        body, open_blocks = bodies.setdefault(head, {head}), [last]
        while open_blocks:
            block = open_blocks.pop()
            if block not in body:
                body.add(block)
                open_blocks += [n for n, other in enumerate(blocks) if block in other.next]
    inner = [body for head, body in bodies.items() if not (bodies.keys() - {head}) & body]
    return [[line for n in sorted(body) for line in blocks[n].lines] for body in inner]


def products_of(lines: list[str]) -> int:
    """The multiplications and additions of the matrix instructions."""
    total = 0
    for line in lines:
        if found := re.match(r"v_w?mf?ma\w*_(\d+)x(\d+)x(\d+)", line):
            total += int(found[1]) * int(found[2]) * int(found[3])
    return total


@dataclass
class Figures:
    """What one compiler has made of a kernel."""

    vgprs: int
    agprs: int
    sgprs: int
    spills: int
    lds: int
    waves: float
    where: str
    matrix: str = ""
    counts: dict[str, float] = field(default_factory=dict)


def figures_of(code: dict[str, Any], case: Case, arch: str) -> Figures:
    text = code["text"]

    def number(name: str) -> int:
        found = re.search(rf"\.{name}:\s+(\d+)", text)
        assert found, f"the assembly has no {name}"
        return int(found[1])

    lines = instructions_of(text)
    loops = loops_of(lines)
    hot = max(loops, key=products_of, default=[])
    whole = [line for line in lines if not line.endswith(":")]
    is_loop = products_of(hot) > 0
    chosen = hot if is_loop else whole
    counts = Counter(kind_of(line.split()[0]) for line in chosen)
    counts.pop("", None)
    names = Counter(line.split()[0] for line in chosen if kind_of(line.split()[0]) == "matrix")
    # An unrolled loop has the products of several iterations.
    scale = products_of(chosen) * case.warps / work_of(case) if is_loop else 1.0
    registers, step, most = REGISTERS[arch]
    taken = -(-number("vgpr_count") // step) * step
    fit = LDS_BYTES[arch] // code["lds"] * case.warps / 4 if code["lds"] else float("inf")
    agprs = number("agpr_count") if ".agpr_count" in text else 0
    return Figures(
        vgprs=number("vgpr_count") - agprs,
        agprs=agprs,
        sgprs=number("sgpr_count"),
        spills=number("vgpr_spill_count") + number("sgpr_spill_count"),
        lds=code["lds"],
        waves=min(registers // taken, most, fit),
        where="loop" if is_loop else "kernel",
        matrix=", ".join(f"{n / scale:g} {name}" for name, n in names.items()),
        counts={name: n / scale for name, n in counts.items()},
    )


def work_of(case: Case) -> int:
    """Multiplications and additions of a program in an iteration of the source."""
    c = case.constants
    if case.kernel == "attention":
        return 2 * int(c["BLOCK_M"] * c["BLOCK_N"] * c["DEPTH"])
    return int(c["BLOCK_M"] * c["BLOCK_N"] * c["BLOCK_K"])


# ---------------------------------------------------------------------------
# The report
# ---------------------------------------------------------------------------


def rows_of(ours: Figures, other: Figures | None) -> list[tuple[str, str, str, str]]:
    """What, our number, Triton's, and the ratio, which is marked above 1.05."""
    titles = {
        "VGPRs": "vgprs", "AGPRs": "agprs", "SGPRs": "sgprs", "spilled registers": "spills",
        "LDS bytes": "lds", "waves per SIMD": "waves",
    }  # fmt: skip
    rows = [
        _row(title, getattr(ours, name), getattr(other, name, None), name != "waves")
        for title, name in titles.items()
    ]
    for kind in sorted({*ours.counts, *(other.counts if other else {})}):
        theirs = other.counts.get(kind, 0) if other else None
        rows.append(_row(kind, ours.counts.get(kind, 0), theirs, True))
    total = sum(other.counts.values()) if other else None
    return [*rows, _row("all", sum(ours.counts.values()), total, True)]


def _row(name: str, mine: float, theirs: float | None, fewer: bool) -> tuple[str, str, str, str]:
    if theirs is None:
        return name, f"{mine:g}", "", ""
    ratio = "" if not theirs else f"{mine / theirs:.2f}"
    if (mine > 1.05 * theirs) if fewer else (theirs > 1.05 * mine):
        ratio += " *"
    return name, f"{mine:g}", f"{theirs:g}", ratio.strip()


def print_table(ours: dict[str, Any], other: dict[str, Any]) -> None:
    """A table for each architecture, as in docs/amd.md: our numbers and Triton's."""
    for arch in ARCHITECTURES:
        columns = []
        for name, case in CASES.items():
            pair = [
                figures_of(made["code"][f"{arch}/{name}"], case, arch) for made in (ours, other)
            ]
            columns.append({row[0]: row for row in rows_of(*pair)})
        titles = [*dict.fromkeys(title for column in columns for title in column if title != "all")]
        titles = [*titles[:6], *sorted(titles[6:], key=str.lower), "all"]
        print(f"| {arch} | " + " | ".join(CASES) + " |\n" + "|---" * (len(CASES) + 1) + "|")
        for title in titles:
            cells = []
            for column in columns:
                _, mine, theirs, ratio = column.get(title, ("", "0", "0", ""))
                cells.append(f"{mine} / {theirs}{' *' if '*' in ratio else ''}")
            print(f"| {title} | " + " | ".join("" if c == "0 / 0" else c for c in cells) + " |")
        print()


def print_report(ours: dict[str, Any], other: dict[str, Any] | None) -> None:
    print(f"Tilewright {ours['version']}" + (f", Triton {other['version']}" if other else ""))
    print("* marks what is above 1.05 of Triton's, or fewer waves than its")
    for arch in ARCHITECTURES:
        for name, case in CASES.items():
            key = f"{arch}/{name}"
            mine = figures_of(ours["code"][key], case, arch)
            theirs = figures_of(other["code"][key], case, arch) if other else None
            print(f"\n{name} on {arch}, {case.warps} waves; instructions of the {mine.where}")
            print(
                f"  {mine.matrix}" + (f" | {theirs.matrix}" if theirs else "")
                if mine.matrix
                else ""
            )
            for row in [("", "Tilewright", "Triton" if other else "", ""), *rows_of(mine, theirs)]:
                print(f"  {row[0]:<28}{row[1]:>10}{row[2]:>10}  {row[3]}".rstrip())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--triton-python", default=os.environ.get("TRITON_PYTHON"))
    parser.add_argument("--table", action="store_true", help="print the tables of docs/amd.md")
    parser.add_argument("--json", type=Path, help="also write the assembly of both to this file")
    parser.add_argument("--compile", choices=("triton", "tilewright"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.compile:
        json.dump(compile_all(arguments.compile), sys.stdout)
        return 0
    ours = compile_all("tilewright")
    other = compile_in(arguments.triton_python) if arguments.triton_python else None
    if arguments.json:
        arguments.json.write_text(json.dumps({"tilewright": ours, "triton": other}))
    if arguments.table and other:
        print_table(ours, other)
        return 0
    print_report(ours, other)
    if not other:
        print("\nno Python with Triton was given (--triton-python or TRITON_PYTHON)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
