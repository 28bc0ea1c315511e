"""Faults of single threads and lanes: masks and indices, barriers, shuffles, matrices."""

from __future__ import annotations

import functools

from planting import Change, Fault, replaced, with_value

Thread = functools.partial(Fault, phase="thread")

# masks and indices

UNMASKED_LOAD = (
    r"(tile\.load %\w+) mask %\w+(?: other %\w+)?((?: {.*})? : .*?), mask .* -> ",
    r"\1\2 -> ",
)
UNMASKED_STORE = (r"(tile\.store %\w+, %\w+) mask %\w+((?: {.*})? : .*), mask \S+", r"\1\2")
STEP_MORE = (r"(subi %arg\d, )%c96_i32", r"\1%c64_i32")
LONG_STRIDE = ("dense<128>", "dense<129>")
ZERO_BEYOND = ("0xFF800000", "0.0")  # instead of minus infinity

MASKS = [
    Fault("softmax", "unmasked load", replaced(*UNMASKED_LOAD), "bounds", "load", "tile"),
    Fault("softmax", "unmasked store", replaced(*UNMASKED_STORE), "bounds", "store", "tile"),
    Fault("layer norm", "unmasked load", replaced(*UNMASKED_LOAD, 1), "bounds", "weight", "tile"),
    Fault("layer norm", "unmasked store", replaced(*UNMASKED_STORE), "bounds", "store", "tile"),
    Fault("softmax", "a mask too wide", replaced("cmpi slt", "cmpi sle"), "bounds", "load"),
    Fault("softmax", "other value beyond the mask", replaced(*ZERO_BEYOND), "numbers"),
    Fault("softmax", "indices begin at 1", replaced("0 to 512", "1 to 513"), "numbers"),
    Fault("column sums", "rows begin at 1", replaced("0 to 64", "1 to 65"), "bounds", "load"),
    Fault("transpose", "a stride one too long", replaced(*LONG_STRIDE), "alignment", "load"),
    Fault("matmul fp16", "copies a step too many", replaced(*STEP_MORE), "bounds", "right"),
]

# barriers and shuffles

_FEW = """
%tid = thread.id
%first = arith.constant {} : i32
%few = arith.cmpi ult, %tid, %first : i32
"""
SHUFFLE = "thread.shuffle <xor>"


def barrier_of(threads: int) -> Change:
    """Only the first threads reach the first barrier."""
    barrier = r"\n *(thread.barrier (?:shared )?(loc\(.*\)))"
    return replaced(barrier, _FEW.format(threads) + r"scf.if %few { \1\n } \2")


def shuffle_of(lanes: int) -> Change:
    """Only the first lanes reach the first shuffle, whose mask names all lanes."""
    shuffle = rf"(%\d+) = ({SHUFFLE} )(%\d+)(, .* : f32 loc.*)"
    branch = r"""\1 = scf.if %few -> f32 {
        %taken = \2\3\4
        scf.yield %taken : f32
      } else { scf.yield \3 : f32 }"""
    return replaced(shuffle, _FEW.format(lanes) + branch)


def shuffle_naming(lanes: int) -> Change:
    shuffle = rf"(%\d+) = {SHUFFLE} (%\d+), (%\w+) : f32( loc.*)"
    named = rf"""%named = arith.constant {lanes} : i32
      %clamp = arith.constant 31 : i32
      \1 = nvvm.shfl.sync  bfly %named, \2, \3, %clamp : f32 -> f32\4"""
    return replaced(shuffle, named)


WARP_BARRIER = (
    r"thread.barrier( shared)?",
    "%all = arith.constant -1 : i32\nnvvm.bar.warp.sync %all : i32",
)
OTHER_LANE = (rf"({SHUFFLE} .*, )%c8_i32", r"\1%c4_i32")
ONE_LANE = ("thread.shuffle <index>", r"%\w+(?= :)", "arith.constant 3 : i32")
WHOLE_WARP_STORES = ("cmpi eq", "cmpi ne")

LANES = [
    Thread("softmax", "a barrier of half a warp", barrier_of(16), "deadlock", "max"),
    Thread("softmax", "a barrier of two of four warps", barrier_of(64), "race", "max"),
    Thread("ticket", "a barrier of two of four warps", barrier_of(64), "race", "ticket"),
    Thread("softmax", "a warp's barrier for a block's", replaced(*WARP_BARRIER), "race", "max"),
    Thread("softmax", "a shuffle in a branch", shuffle_of(16), "deadlock", "max"),
    Thread("softmax", "a shuffle whose mask lacks lanes", shuffle_naming(0xFFFF), "mask", "max"),
    Thread("softmax", "a shuffle with another lane", replaced(*OTHER_LANE, 1), "numbers"),
    Thread("running sum", "a shuffle from one lane", with_value(*ONE_LANE), "numbers"),
    Thread("softmax", "31 lanes store instead of one", replaced(*WHOLE_WARP_STORES), "race", "max"),
]

# accesses

# Each thread makes four accesses, of which the last is beyond the mask.
UNMASKED = ("arith.constant true", 3)
LOAD_MASK = ("thread.load ", r"(?<=mask )%\w+", *UNMASKED)
STORE_MASK = ("thread.store ", r"(?<=mask )%\w+", *UNMASKED)
SHARED_STORE = (r"llvm.store .*ptr<3>", r"(?<=, )%\d+")
COPY = "thread.async_copy"


def shared(further: int) -> str:
    return f"llvm.getelementptr $[{further}] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8"


def matrix_at(further: int) -> Change:
    return with_value("thread.load_matrix", r"""(?<=b16" )%\d+""", shared(further))


def copies_to(further: int) -> Change:
    return with_value(COPY, r"(?<=async_copy )%\d+", shared(further))


NEXT_BYTE = "llvm.getelementptr $[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8"
COPIES_FROM_WITHIN = (COPY, r"%\d+(?= size 16)", NEXT_BYTE)
HALF_A_COPY = (r"size 16 bytes %\d+ bypass_l1", "size 8")
ZEROS_FOR_HALF = (COPY, r"(?<=bytes )%\d+", "arith.constant 8 : i32")
EVERY_THREAD = ("thread.atomic_rmw", r"%\w+(?= : <1>)", "arith.constant true")
NOT_ATOMIC = (
    r"(%\w+) = thread.atomic_rmw <add> <relaxed> <gpu> (%\w+), (%\w+) .*? (loc\(.*)",
    r"""\1 = llvm.load \2 : !llvm.ptr<1> -> vector<1xi32> \4
    %more = arith.addi \1, \3 : vector<1xi32> \4
    llvm.store %more, \2 : vector<1xi32>, !llvm.ptr<1> \4""",
)

ACCESSES = [
    Thread("softmax", "an unpredicated load", with_value(*LOAD_MASK), "bounds", "load"),
    Thread("softmax", "an unpredicated store", with_value(*STORE_MASK), "bounds", "store"),
    Thread(
        "softmax",
        "a store between elements",
        with_value(*SHARED_STORE, shared(2)),
        "alignment",
        "max",
    ),
    Thread(
        "softmax", "a store too far", with_value(*SHARED_STORE, shared(4)), "uninitialized", "max"
    ),
    Thread("softmax", "a store too early", with_value(*SHARED_STORE, shared(-4)), "bounds", "max"),
    Thread("ticket", "every thread takes a ticket", with_value(*EVERY_THREAD), "bounds", "store"),
    Thread("count", "a load and a store for an atomic", replaced(*NOT_ATOMIC), "race", "atomic"),
    Thread("matmul fp16", "a matrix row 8 bytes too far", matrix_at(8), "alignment", "left"),
    Thread("matmul fp16", "a matrix beyond memory", matrix_at(16384), "bounds", "left"),
    Thread("matmul fp16", "copies one place too far", copies_to(16), "copy", "left"),
    Thread("matmul fp16", "copies into a row", copies_to(8), "alignment", "left"),
    Thread("matmul fp16", "copies half", replaced(*HALF_A_COPY), "uninitialized", "left"),
    Thread("matmul fp16", "copies zeros for half", with_value(*ZEROS_FOR_HALF), "numbers"),
    Thread("matmul fp16", "copies bytes off", with_value(*COPIES_FROM_WITHIN), "alignment", "left"),
]

# fragments of matrices

MMA = r"""thread.mma "m16n8k16[^"]*" """
ROWS_EXCHANGED = (rf"({MMA})(%[\w#]+), (%[\w#]+)", r"\1\3, \2")
SUMS_EXCHANGED = (rf"({MMA}[^:]*)(%[\w#]+), (%[\w#]+) :", r"\1\3, \2 :")
NOT_TRANSPOSED = ("x4.trans.b16", "x4.b16")

FRAGMENTS = [
    Thread("matmul fp16", "rows exchanged", replaced(*ROWS_EXCHANGED), "numbers"),
    Thread("matmul fp16", "sums exchanged", replaced(*SUMS_EXCHANGED), "numbers"),
    Thread("matmul fp16", "a matrix not transposed", replaced(*NOT_TRANSPOSED), "numbers"),
]

FAULTS = [*MASKS, *LANES, *ACCESSES, *FRAGMENTS]
