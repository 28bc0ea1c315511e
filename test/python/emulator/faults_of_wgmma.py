"""Faults of kernels of one warp group that execute wgmma instructions, step by step.

Step n of a kernel is line n. The kernel multiplies two matrices in shared memory, which `fill`
writes, and `use` reads an accumulator.
"""

from __future__ import annotations

from dataclasses import dataclass

from wgmma_kernels import Body, Registers

N = 8
B_PLACE = 16 << 10
SHARED_END = 96 << 10
_TEXT = (
    "{ .reg .pred p; setp.ne.b32 p, $6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
    "{$0, $1, $2, $3}, $4, $5, p, 1, 1, 0, 0; }"
)
_FROM_REGISTERS = (
    "{ .reg .pred p; setp.ne.b32 p, $9, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
    "{$0, $1, $2, $3}, {$4, $5, $6, $7}, $8, p, 1, 1, 0; }"
)
_PLAIN = {
    "proxy": "fence.proxy.async.shared::cta;",
    "fence": "wgmma.fence.sync.aligned;",
    "commit": "wgmma.commit_group.sync.aligned;",
    "copied": "cp.async.wait_all;",
}
_OPERATIONS = {
    "nvvm-proxy": (
        "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}"
    ),
    "nvvm-fence": "nvvm.wgmma.fence.aligned",
    "nvvm-commit": "nvvm.wgmma.commit.group.sync.aligned",
    "nvvm-wait": "nvvm.wgmma.wait.group.sync.aligned 0",
}


@dataclass(frozen=True)
class WgmmaFault:
    """A kernel with a fault, and the steps of its finding: that of either access."""

    name: str
    steps: str
    finds: str
    at: int  # the number of the step, from 1

    def __str__(self) -> str:
        return self.name


def descriptor(start: int) -> int:
    """A matrix along K with a swizzle of 128 bytes."""
    return start >> 4 | 1 << 16 | 1024 >> 4 << 32 | 1 << 62


def multiply(body: Body, step: str, scale: str | None = None) -> None:
    """Adds the wgmma. `scale` is the value of scale-d, which is 1 without it."""
    starts = {"multiply": 0, "misaligned": 512, "beyond": SHARED_END - B_PLACE}
    right = body.descriptor(descriptor(B_PLACE + starts.get(step, 0)))
    if step == "disagreeing":  # the last warp has another descriptor
        last = body.value(f'llvm.icmp "uge" %tid, {body.constant(96, "i32")} : i32')
        other = body.descriptor(descriptor(0))
        right = body.value(f"llvm.select {last}, {other}, {right} : i1, i64")
    one = (scale or body.constant(1, "i32"), "r", "i32")
    if step == "from-registers":
        left = [(body.constant(0, "i32"), "r", "i32")] * 4
        body.with_accumulators(_FROM_REGISTERS, [*left, (right, "l", "i64"), one])
    else:
        left = [(body.descriptor(descriptor(0)), "l", "i64")]
        body.with_accumulators(_TEXT, [*left, (right, "l", "i64"), one])


def copy(body: Body) -> None:
    """Each thread copies 16 bytes to B, asynchronously."""
    at = body.value(f"llvm.mul %thread, {body.constant(4)} : i64")
    first = body.value(f"llvm.add {at}, {body.constant(B_PLACE // 4)} : i64")
    to, source = body.address("%shared", first, 3), body.address("%memory", first)
    pointer = body.value(f"llvm.ptrtoint {to} : !llvm.ptr<3> to i32")
    body.add(
        'llvm.inline_asm has_side_effects "cp.async.ca.shared.global [$0], [$1], 16, 16;", "r,l" '
        f"{pointer}, {source} : (i32, !llvm.ptr<1>) -> ()"
    )


def do(body: Body, step: str) -> None:
    if step in _PLAIN:
        body.assembly(_PLAIN[step])
    elif step in _OPERATIONS:
        body.add(_OPERATIONS[step])
    elif step == "barrier":
        body.barrier()
    elif step in ("wait", "wait-for-less"):
        body.wait(0 if step == "wait" else 1)
    elif step == "use":
        one = body.value("llvm.mlir.constant(1.0 : f32) : f32")
        body.values[0] = body.value(f"llvm.fadd {body.values[0]}, {one} : f32")
    elif step == "exchange":
        body.values[0], body.values[2] = body.values[2], body.values[0]
    elif step == "overwrite":
        at = body.value(f"llvm.add %thread, {body.constant(B_PLACE // 4)} : i64")
        body.store(body.constant(0, "i32"), body.address("%shared", at, 3), space=3)
    elif step == "copy":
        copy(body)
    else:
        multiply(body, step)


def kernel(steps: str) -> str:
    """The module of a kernel. The first step is `fill`, or `proxy-fill` with a fence before it."""
    body = Body(Registers(N // 2, "f32"))
    first, *rest = steps.split()
    body.at(1).begin(early_fence=first == "proxy-fill")
    for line, step in enumerate(rest, 2):
        do(body.at(line), step)
    return body.end()


def loop(iterations: int, last_wait: bool) -> str:
    """A loop with one group in flight across its iterations, which ignores the first accumulators.

    The accumulators are read in line 8; without the last wait they are in flight.
    """
    body = Body(Registers(N // 2, "f32"))
    body.at(1).begin()
    do(body.at(2), "proxy")
    do(body.at(3), "barrier")
    carried = ", ".join(["i64", *["f32"] * len(body.values)])
    none = body.constant(0)
    body.add(f"llvm.br ^head({none}, {', '.join(body.values)} : {carried})")
    names = [f"%sum{i}" for i in range(len(body.values))]
    parameters = ", ".join(f"{name}: f32" for name in names)
    body.lines.append(f"  ^head(%k: i64, {parameters}):")
    body.values = names
    do(body.at(4), "fence")
    later = body.value(f'llvm.icmp "ne" %k, {body.constant(0)} : i64')
    multiply(body.at(5), "multiply", body.value(f"llvm.zext {later} : i1 to i32"))
    do(body, "commit")
    do(body.at(6), "wait-for-less")
    following = body.value(f"llvm.add %k, {body.constant(1)} : i64")
    more = body.value(f'llvm.icmp "ult" {following}, {body.constant(iterations)} : i64')
    body.add(
        f"llvm.cond_br {more}, ^head({following}, {', '.join(body.values)} : {carried}), ^exit"
    )
    body.lines.append("  ^exit:")
    if last_wait:
        do(body.at(7), "wait")
    do(body.at(8), "use")
    return body.end()


CORRECT = [
    "fill proxy barrier fence multiply commit wait use",
    "fill barrier proxy fence multiply commit wait use",
    "fill proxy barrier fence multiply multiply commit wait use",
    "fill proxy barrier fence multiply commit multiply commit wait-for-less wait use",
    "fill proxy barrier fence multiply commit wait multiply commit wait use",
    "fill proxy barrier fence from-registers commit wait use fence from-registers commit wait use",
    "fill proxy barrier fence multiply commit wait barrier overwrite proxy barrier fence multiply"
    " commit wait use",
    "fill barrier copy copied proxy barrier fence multiply commit wait use",
    "fill nvvm-proxy barrier nvvm-fence multiply nvvm-commit nvvm-wait use",
]

FAULTS = [
    WgmmaFault("no proxy fence", "fill barrier fence multiply commit wait use", "proxy", 4),
    WgmmaFault(
        "a proxy fence before the writes",
        "proxy-fill barrier fence multiply commit wait use", "proxy", 4,
    ),
    WgmmaFault(
        "a proxy fence before the copies have completed",
        "fill barrier copy proxy copied barrier fence multiply commit wait use", "proxy", 3,
    ),
    WgmmaFault("no barrier", "fill proxy fence multiply commit wait use", "race", 4),
    WgmmaFault("no wgmma.fence", "fill proxy barrier multiply commit wait use", "register", 4),
    WgmmaFault(
        "no wgmma.fence after other instructions",
        "fill proxy barrier fence multiply commit wait use multiply commit wait", "register", 9,
    ),
    WgmmaFault(
        "no wgmma.fence before registers of A",
        "fill proxy barrier fence from-registers commit wait from-registers commit wait use",
        "register", 8,
    ),
    WgmmaFault("no wait", "fill proxy barrier fence multiply commit use wait", "register", 7),
    WgmmaFault(
        "a wait for one group less",
        "fill proxy barrier fence multiply commit wait-for-less use wait", "register", 8,
    ),
    WgmmaFault("no group", "fill proxy barrier fence multiply wait use", "register", 6),
    WgmmaFault(
        "accumulators exchanged in flight",
        "fill proxy barrier fence multiply exchange multiply commit wait use", "register", 7,
    ),
    WgmmaFault(
        "B overwritten in flight",
        "fill proxy barrier fence multiply commit barrier overwrite wait use", "race", 8,
    ),
    WgmmaFault(
        "B copied to in flight",
        "fill proxy barrier fence multiply commit barrier copy wait use copied", "race", 8,
    ),
    WgmmaFault(
        "B overwritten after a wait for one group less",
        "fill proxy barrier fence multiply commit wait-for-less barrier overwrite wait use",
        "race", 9,
    ),
    WgmmaFault(
        "no barrier after the wait",
        "fill proxy barrier fence multiply commit wait overwrite use", "race", 8,
    ),
    WgmmaFault(
        "B between the rows of the swizzle",
        "fill proxy barrier fence misaligned commit wait use", "alignment", 5,
    ),
    WgmmaFault("B beyond memory", "fill proxy barrier fence beyond commit wait use", "bounds", 5),
    WgmmaFault(
        "a warp with another descriptor",
        "fill proxy barrier fence disagreeing commit wait use", "warpgroup", 5,
    ),
]  # fmt: skip
