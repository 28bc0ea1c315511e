"""Kernels at the level of threads whose loops copy boxes ahead of their use, through two slots."""

from __future__ import annotations

from box_kernels import module_of

SLOTS = 2
FULL, EMPTY, BOXES = 0, 16, 1024  # offsets in shared memory: a barrier for each slot, and the boxes


def _numbered(body: str) -> str:
    """Gives each operation its line in the text, counted from 1."""
    lines = []
    for number, line in enumerate(body.strip("\n").split("\n"), 1):
        is_operation = line.strip() and not line.rstrip().endswith(("{", "}", ","))
        lines.append(f'{line} loc("kernel.py":{number}:1)' if is_operation else line)
    return "\n".join(lines)


def line_of(body: str, text: str, number: int = 0) -> int:
    """The line of the n-th operation that contains the text."""
    found = [i for i, line in enumerate(body.strip("\n").split("\n"), 1) if text in line]
    return found[number]


# One thread of the first warp copies boxes of 1024 bytes; the 32 threads of the second warp add
# them. A slot is full after a copy, and empty after 32 arrivals.
RING_BYTES, RING_THREADS = 1024, 64
RING_SHARED = BOXES + SLOTS * RING_BYTES
RING = f"""
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %bytes = arith.constant {RING_BYTES} : i32
    %count = arith.constant COUNT : i32
    %zeros = arith.constant dense<0> : vector<4xi32>
    %shared = thread.shared_memory
    %boxes = llvm.getelementptr %shared[{BOXES}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %full0 = llvm.getelementptr %shared[{FULL}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %empty0 = llvm.getelementptr %shared[{EMPTY}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %full1 = llvm.getelementptr %full0[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %empty1 = llvm.getelementptr %empty0[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %id = thread.id
    %first = arith.cmpi eq, %id, %c0 : i32
    thread.transaction_barrier_init %full0 arrivals 1 mask %first : <3>
    thread.transaction_barrier_init %full1 arrivals 1 mask %first : <3>
    thread.transaction_barrier_init %empty0 arrivals 32 mask %first : <3>
    thread.transaction_barrier_init %empty1 arrivals 32 mask %first : <3>
    thread.transaction_barrier_fence
    thread.barrier
    scf.if %first {{
      scf.for %i = %c0 to %count step %c1 : i32 {{
        %slot = arith.andi %i, %c1 : i32
        %round = arith.shrui %i, %c1 : i32
        %odd = arith.andi %round, %c1 : i32
        %before = arith.xori %odd, %c1 : i32
        %row = arith.muli %i, %c8 : i32
        %full = llvm.getelementptr %full0[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %empty = llvm.getelementptr %empty0[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %box = llvm.getelementptr %boxes[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<{RING_BYTES} x i8>
        thread.transaction_barrier_wait %empty parity %before : <3>
        thread.transaction_barrier_expect %full, %bytes : <3>
        thread.box_copy %box, %mx[%c0, %row] completes %full : <3>, <3>
      }}
    }}
    %consumer = arith.constant 32 : i32
    %isConsumer = arith.cmpi uge, %id, %consumer : i32
    scf.if %isConsumer {{
      %lane = thread.lane
      %at = arith.muli %lane, %c8 : i32
      %sum:2 = scf.for %i = %c0 to %count step %c1 iter_args(%a = %zeros, %b = %zeros) -> (vector<4xi32>, vector<4xi32>) : i32 {{
        %slot = arith.andi %i, %c1 : i32
        %round = arith.shrui %i, %c1 : i32
        %odd = arith.andi %round, %c1 : i32
        %full = llvm.getelementptr %full0[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %empty = llvm.getelementptr %empty0[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %box = llvm.getelementptr %boxes[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<{RING_BYTES} x i8>
        %words = llvm.getelementptr %box[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
        %more = llvm.getelementptr %words[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
        thread.transaction_barrier_wait %full parity %odd : <3>
        %p = llvm.load %words {{alignment = 16 : i64}} : !llvm.ptr<3> -> vector<4xi32>
        %q = llvm.load %more {{alignment = 16 : i64}} : !llvm.ptr<3> -> vector<4xi32>
        thread.transaction_barrier_arrive %empty : <3>
        %r = arith.addi %a, %p : vector<4xi32>
        %s = arith.addi %b, %q : vector<4xi32>
        scf.yield %r, %s : vector<4xi32>, vector<4xi32>
      }}
      %to = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %next = llvm.getelementptr %to[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
      llvm.store %sum#0, %to {{alignment = 16 : i64}} : vector<4xi32>, !llvm.ptr<1>
      llvm.store %sum#1, %next {{alignment = 16 : i64}} : vector<4xi32>, !llvm.ptr<1>
    }}
"""  # noqa: E501


def ring(body: str, count: int) -> str:
    numbered = _numbered(body).replace("COUNT", str(count))
    return module_of(numbered, RING_THREADS, RING_SHARED)


# A warp group multiplies matrices of float16: `out` = A * B^T, 64 x 64 sums over K. Boxes of 64 x
# 64 elements have a swizzle of 128 bytes. The box after the next is copied when a slot has been
# read.
TILE, TILE_BYTES, MATMUL_THREADS, SUMS = 64, 64 * 128, 128, 32
SLOT_BYTES = 2 * TILE_BYTES
MATMUL_SHARED = BOXES + SLOTS * SLOT_BYTES
_SUMS = ", ".join(f"%s{i}" for i in range(SUMS))
_ALL = ", ".join(["f32"] * SUMS)
_LINES = "in <swizzle = 128, leading = 0, stride = 1024, transposed = false>"


def _results(name: str) -> str:
    return ", ".join(f"%{name}#{i}" for i in range(SUMS))


def _multiply(step: int) -> str:
    """One of the four products along K, of 16 elements: 32 bytes of a line."""
    sums = _results(f"p{step - 1}") if step else _SUMS
    return (
        f'%p{step}:{SUMS} = thread.group_mma "m64k16.f16.f16.f32" columns {TILE} %a at {32 * step} '
        f"{_LINES} by %b at {32 * step} {_LINES} into {sums} : !llvm.ptr<3> by <3> into {_ALL}"
    )


def _copy(slot: str, column: str, mask: str) -> str:
    """The operations that copy a box of A and one of B to a slot."""
    return f"""
        %f{slot[1:]} = llvm.getelementptr %shared[{slot}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %a{slot[1:]} = llvm.getelementptr %boxes[{slot}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<{SLOT_BYTES} x i8>
        %b{slot[1:]} = llvm.getelementptr %a{slot[1:]}[{TILE_BYTES}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        thread.transaction_barrier_expect %f{slot[1:]}, %bytes mask {mask} : <3>
        thread.box_copy %a{slot[1:]}, %mx[{column}, %c0] completes %f{slot[1:]} mask {mask} : <3>, <3>
        thread.box_copy %b{slot[1:]}, %mo[{column}, %c0] completes %f{slot[1:]} mask {mask} : <3>, <3>
""".strip("\n")  # noqa: E501


_STORES = "\n".join(
    f"    %o{i} = llvm.getelementptr %out[%at, {i}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, "
    f"!llvm.array<{SUMS} x f32>\n    llvm.store %r#{i}, %o{i} : f32, !llvm.ptr<1>"
    for i in range(SUMS)
)

MATMUL = f"""
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %width = arith.constant {TILE} : i32
    %bytes = arith.constant {SLOT_BYTES} : i32
    %count = arith.constant COUNT : i32
    %zero = arith.constant 0.0 : f32
    %shared = thread.shared_memory
    %boxes = llvm.getelementptr %shared[{BOXES}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %second = llvm.getelementptr %shared[8] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %at = thread.id
    %first = arith.cmpi eq, %at, %c0 : i32
    thread.transaction_barrier_init %shared arrivals 1 mask %first : <3>
    thread.transaction_barrier_init %second arrivals 1 mask %first : <3>
    thread.transaction_barrier_fence
    thread.barrier
{_copy("%c0", "%c0", "%first")}
{_copy("%c1", "%width", "%first")}
    %r:{SUMS} = scf.for %i = %c0 to %count step %c1 iter_args({", ".join(f"%s{i} = %zero" for i in range(SUMS))}) -> ({_ALL}) : i32 {{
        %slot = arith.andi %i, %c1 : i32
        %round = arith.shrui %i, %c1 : i32
        %odd = arith.andi %round, %c1 : i32
        %full = llvm.getelementptr %shared[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
        %a = llvm.getelementptr %boxes[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<{SLOT_BYTES} x i8>
        %b = llvm.getelementptr %a[{TILE_BYTES}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
        thread.transaction_barrier_wait %full parity %odd : <3>
        thread.group_mma_begin
        {_multiply(0)}
        {_multiply(1)}
        {_multiply(2)}
        {_multiply(3)}
        thread.group_mma_commit
        %w:{SUMS} = thread.group_mma_wait 0 of {_results("p3")} : {_ALL}
        thread.barrier
        %later = arith.addi %i, %c2 : i32
        %column = arith.muli %later, %width : i32
        %isInside = arith.cmpi slt, %later, %count : i32
        %copies = arith.andi %first, %isInside : i1
{_copy("%slot", "%column", "%copies")}
        scf.yield {_results("w")} : {_ALL}
    }}
{_STORES}
"""  # noqa: E501


def matmul(body: str, count: int) -> str:
    numbered = _numbered(body).replace("COUNT", str(count))
    return module_of(numbered, MATMUL_THREADS, MATMUL_SHARED)
