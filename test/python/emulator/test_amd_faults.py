"""The emulator finds faults in the lowerings for AMD's GPUs, of waves of 32 and 64 lanes.

The faults are those of NVIDIA's GPUs that change nothing particular to them, and those of barriers,
whose fences are operations of their own.
"""

from __future__ import annotations

import functools

import faults_of_buffers
import faults_of_threads
import pytest
from correct_kernels import PROBLEMS
from planting import Change, Fault, Planted, replaced, with_value
from test_planted_lowerings import check_findings

import tilewright
from tilewright.errors import EmulationError

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)

TARGETS = ("hip:gfx942", "hip:gfx1100")

# Kernels without matrix products, whose copies and instructions depend on the GPU.
KERNELS = {
    "softmax", "layer norm", "column sums", "row sums", "running sum", "transpose", "gather",
    "argmax", "smooth in place", "reverse twice", "count and read", "ticket",
}  # fmt: skip

# What other GPUs do not have, or where they find something else.
OTHERWISE = {
    "softmax: a warp's barrier for a block's",
    "softmax: a shuffle in a branch",
    "softmax: a shuffle whose mask lacks lanes",
    "softmax: an unpredicated load",
    "softmax: an unpredicated store",
    "ticket: without barrier 1",
}

Thread = functools.partial(Fault, phase="thread")

BARRIER = "rocdl.s.barrier"
RELEASE = 'llvm.fence syncscope("workgroup") release'
ACQUIRE = 'llvm.fence syncscope("workgroup") acquire'


def barrier_of(*operations: str) -> Change:
    return replaced(r"thread.barrier( shared)?", "\n".join(operations))


def of(space: str) -> list[str]:
    """The fences of a memory space."""
    tag = f'{{llvm.mmra = #llvm.mmra_tag<"amdgpu-synchronize-as":"{space}">}}'
    return [f"{fence} {tag}" for fence in (RELEASE, ACQUIRE)]


# The compiler's barriers that order global memory, too, order only LDS.
SHARED_BARRIER = replaced(r"tilegpu.barrier(?! shared)", "tilegpu.barrier shared")
OF_LDS, OF_GLOBAL = of("local"), of("global")
OF_WAVE = [text.replace("workgroup", "wavefront") for text in (RELEASE, ACQUIRE)]

# Accesses at an argument plus an offset; some of a thread's last ones are masked.
LOAD = r"(%\w+) = thread.load (%\w+) plus (%\w+) mask (%\w+) other (%\w+) : .*? (loc\(.*\))"
OFFSET = r"(?<=plus )%\w+"


NO_MASK = (r"(?<=mask )%\w+", "arith.constant true", -1)


def moved_by(access: str, further: int) -> Change:
    moved = f"%more = arith.constant {further} : i32\n%moved = arith.addi \\2, %more : i32\n"
    return replaced(rf"(.*{access} %\w+ plus )(%\w+)", rf"{moved}\1%moved")


def buffer_load(size: int, outside: int, number: int = 0) -> Change:
    """A load that is lowered by hand: the size of the resource, and the offset of masked lanes."""
    return replaced(
        LOAD,
        rf"""%stride = arith.constant 0 : i16
        %size = arith.constant {size} : i64
        %flags = arith.constant 159744 : i32
        %zero = arith.constant 0 : i32
        %outside = arith.constant {outside} : i32
        %resource = rocdl.make.buffer.rsrc \2, %stride, %size, %flags : <1> to <8>
        %at = arith.select \4, \3, %outside : i32
        %word = rocdl.raw.ptr.buffer.load %resource, %at, %zero, %zero : f32 \6
        %single = vector.broadcast %word : f32 to vector<1xf32>
        \1 = arith.select \4, %single, \5 : vector<1xf32>""",
        number,
    )


SIZE, OUTSIDE = 2**31 - 1, -(2**31)

# Masked lanes have a resource without bytes instead of another offset.
CHOSEN_RESOURCE = replaced(
    LOAD,
    r"""%stride = arith.constant 0 : i16
    %size = arith.constant 2147483647 : i64
    %none = arith.constant 0 : i64
    %flags = arith.constant 159744 : i32
    %zero = arith.constant 0 : i32
    %whole = rocdl.make.buffer.rsrc \2, %stride, %size, %flags : <1> to <8>
    %empty = rocdl.make.buffer.rsrc \2, %stride, %none, %flags : <1> to <8>
    %resource = llvm.select \4, %whole, %empty : i1, !llvm.ptr<8>
    %word = rocdl.raw.ptr.buffer.load %resource, \3, %zero, %zero : f32 \6
    %single = vector.broadcast %word : f32 to vector<1xf32>
    \1 = arith.select \4, %single, \5 : vector<1xf32>""",
    -1,
)

BUFFERS = [
    Thread("softmax", "a load without its mask", with_value("thread.load ", *NO_MASK), "bounds",
           "load"),
    Thread("softmax", "a store without its mask", with_value("thread.store ", *NO_MASK), "bounds",
           "store"),
    Thread("softmax", "an offset before the argument", moved_by("thread.store", -4), "numbers"),
    Thread("softmax", "an offset between elements", moved_by("thread.load", 2), "alignment",
           "load"),
    Thread("softmax", "a stored offset between elements", moved_by("thread.store", 2), "alignment",
           "store"),
    Thread("softmax", "one offset for all stores",
           with_value("thread.store ", OFFSET, "arith.constant 0 : i32"), "race", "store"),
    Thread("softmax", "masked lanes in range", buffer_load(SIZE, 2**30, -1), "bounds", "load"),
    Thread("softmax", "a resource that is too small", buffer_load(400, OUTSIDE), "numbers"),
    Thread("softmax", "a size that masked lanes are below", buffer_load(2**32 - 1, OUTSIDE, -1),
           "bounds", "load"),
]  # fmt: skip

OWN = [
    Thread("softmax", "a barrier without fences", barrier_of(BARRIER), "race", "max"),
    Thread("softmax", "no fence before a barrier", barrier_of(BARRIER, ACQUIRE), "race", "max"),
    Thread("softmax", "no fence behind a barrier", barrier_of(RELEASE, BARRIER), "race", "max"),
    Thread("softmax", "fences in the wrong order", barrier_of(ACQUIRE, BARRIER, RELEASE), "race",
           "max"),
    Thread("softmax", "fences of a wave", barrier_of(OF_WAVE[0], BARRIER, OF_WAVE[1]), "race",
           "max"),
    Thread("softmax", "fences without a barrier", barrier_of(RELEASE, ACQUIRE), "race", "max"),
    Thread("softmax", "fences of global memory", barrier_of(OF_GLOBAL[0], BARRIER, OF_GLOBAL[1]),
           "race", "max"),
    Thread("softmax", "a fence of global memory behind", barrier_of(RELEASE, BARRIER, OF_GLOBAL[1]),
           "race", "max"),
    Fault("reverse twice", "a barrier of LDS", SHARED_BARRIER, "race", "second"),
    Fault("count and read", "a barrier of LDS", SHARED_BARRIER, "race", "load"),
    Fault("smooth in place", "a barrier of LDS", SHARED_BARRIER, "race", "load"),
    Thread("reverse twice", "a release of LDS", barrier_of(OF_LDS[0], BARRIER, ACQUIRE), "race",
           "second"),
    Thread("reverse twice", "an acquire of LDS", barrier_of(RELEASE, BARRIER, OF_LDS[1]), "race",
           "second"),
    Thread("softmax", "a shuffle of one lane", faults_of_threads.shuffle_of(1), "mask", "max"),
]  # fmt: skip

OWN += BUFFERS

SHARED = [
    fault
    for fault in (*faults_of_buffers.FAULTS, *faults_of_threads.FAULTS)
    if fault.problem in KERNELS and str(fault) not in OTHERWISE
]


def test_most_faults_are_shared() -> None:
    assert len(SHARED) >= 40


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("fault", [*OWN, *SHARED], ids=str)
def test_fault_is_found(fault: Fault, target: str) -> None:
    problem = PROBLEMS[fault.problem]()
    planted = Planted(problem.kernel, fault.phase, fault.change)
    for seed in (0, 1):
        if fault.finds == "numbers":
            assert not problem.solved_by(problem.launch(planted, target=target, seed=seed))
        else:
            with pytest.raises(EmulationError) as raised:
                problem.launch(planted, target=target, seed=seed)
            check_findings(fault, raised.value.findings)


FENCES = {"all": (RELEASE, ACQUIRE), "LDS": OF_LDS}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("fences", FENCES)
def test_the_barrier_of_the_lowering_is_found_correct(fences: str, target: str) -> None:
    problem = PROBLEMS["softmax"]()
    change = barrier_of(FENCES[fences][0], BARRIER, FENCES[fences][1])
    planted = Planted(problem.kernel, "thread", change)
    assert problem.solved_by(problem.launch(planted, target=target))


@pytest.mark.parametrize("target", TARGETS)
def test_a_buffer_load_is_found_correct(target: str) -> None:
    problem = PROBLEMS["softmax"]()
    loads = [buffer_load(SIZE, OUTSIDE), buffer_load(SIZE, OUTSIDE, -1), CHOSEN_RESOURCE]
    for load in loads:
        planted = Planted(problem.kernel, "thread", load)
        assert problem.solved_by(problem.launch(planted, target=target))


@pytest.mark.parametrize("target", ("hip:gfx90a", "hip:gfx950", "hip:gfx1201", *TARGETS))
@pytest.mark.parametrize("name", sorted(KERNELS))
def test_correct_kernels_have_no_findings(name: str, target: str) -> None:
    problem = PROBLEMS[name]()
    for seed in (0, 1, 2):
        assert problem.solved_by(problem.launch(target=target, seed=seed))
    assert problem.solved_by(problem.launch(target=target, checks=False))


def test_an_instruction_without_a_row_is_named() -> None:
    problem = PROBLEMS["softmax"]()
    unknown = 'llvm.call_intrinsic "llvm.amdgcn.s.dcache.inv"() : () -> ()\nthread.barrier'
    planted = Planted(problem.kernel, "thread", replaced("thread.barrier", unknown))
    with pytest.raises(tilewright.errors.PassError, match=r"support 'llvm.amdgcn.s.dcache.inv'"):
        problem.launch(planted, target="hip:gfx942")


def test_the_names_of_all_architectures() -> None:
    for architecture in ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"):
        for name in (f"hip:{architecture}", f"hip:{architecture}:xnack-"):
            assert tilewright.emulate(name).target == name
    with pytest.raises(tilewright.errors.DeviceError):
        tilewright.emulate("hip:gfx000")
