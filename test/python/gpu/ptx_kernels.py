"""Kernels written by hand in PTX, launched like compiled kernels."""

from __future__ import annotations

from typing import Any

import tilewright
from tilewright import _core

_HEADER = ".version 7.0\n.target sm_80\n.address_size 64\n"


class Code:
    """Replaces a compiled kernel."""

    launch_conditions: tuple[int, ...] = ()
    written_slots: tuple[int, ...] = ()
    asserts: tuple[Any, ...] = ()

    def __init__(self, text: str, **options: Any) -> None:
        self.image = (_HEADER + text).encode()
        self.options = {"threads": 32, **options}
        self.loaded: dict[str, Any] = {}

    def load(self, device: str) -> Any:
        if device not in self.loaded:
            # Pinned memory has the device "cpu"; the kernel runs on the current CUDA device.
            ordinal = int(device.removeprefix("cuda:")) if device.startswith("cuda:") else 0
            self.loaded[device] = _core.load_cuda(
                "kernel", self.image, "kernel", ordinal, **self.options
            )
        return self.loaded[device]


def give(fn: Any, text: str, **options: Any) -> Any:
    """Makes this the code of a @jit function for all signatures."""
    code = Code(text, **options)
    fn._compile = lambda *request: (code, None)
    fn.code = code
    return fn


def kernel_of(parameters: int, text: str, **options: Any) -> Any:
    """A kernel with a number of parameters."""

    @tilewright.jit
    def none():
        pass

    @tilewright.jit
    def one(a):
        pass

    @tilewright.jit
    def two(a, b):
        pass

    return give((none, one, two)[parameters], text, **options)


# Program i adds b to element i of a, which are int32.
ADD = """
.visible .entry kernel(.param .u64 a, .param .u32 b) {
  .reg .b64 %address, %offset; .reg .b32 %i, %old, %b, %lane; .reg .pred %first;
  mov.u32 %lane, %tid.x;
  setp.ne.u32 %first, %lane, 0;
  @%first ret;
  ld.param.u64 %address, [a];
  ld.param.u32 %b, [b];
  mov.u32 %i, %ctaid.x;
  mul.wide.u32 %offset, %i, 4;
  add.u64 %address, %address, %offset;
  ld.global.u32 %old, [%address];
  add.u32 %old, %old, %b;
  st.global.u32 [%address], %old;
  ret;
}
"""

# Waits for b nanoseconds, then writes 1 to the int32 at a.
WAIT = """
.visible .entry kernel(.param .u64 a, .param .u64 b) {
  .reg .b64 %start, %now, %wanted, %address; .reg .pred %more; .reg .b32 %one;
  ld.param.u64 %wanted, [b];
  mov.u64 %start, %globaltimer;
AGAIN:
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %start;
  setp.lt.u64 %more, %now, %wanted;
  @%more bra AGAIN;
  ld.param.u64 %address, [a];
  mov.u32 %one, 1;
  st.global.u32 [%address], %one;
  ret;
}
"""

# Stores the index of the last 32-bit word of dynamic shared memory there, and copies it to a.
SHARED = """
.extern .shared .align 16 .b8 memory[];
.visible .entry kernel(.param .u64 a) {
  .reg .b64 %address; .reg .b32 %bytes, %base, %last, %value;
  mov.u32 %bytes, %dynamic_smem_size;
  mov.u32 %base, memory;
  sub.u32 %last, %bytes, 4;
  add.u32 %base, %base, %last;
  st.shared.u32 [%base], %last;
  bar.sync 0;
  ld.shared.u32 %value, [%base];
  shr.u32 %value, %value, 2;
  ld.param.u64 %address, [a];
  st.global.u32 [%address], %value;
  ret;
}
"""

NOTHING = ".visible .entry kernel() { ret; }"

# Writes to an invalid address.
WILD = """
.visible .entry kernel(.param .u64 a) {
  .reg .b64 %address; .reg .b32 %zero;
  mov.u64 %address, 4096;
  mov.u32 %zero, 0;
  st.global.u32 [%address], %zero;
  ret;
}
"""

# An assertion that fails.
ASSERT = """
.extern .func __assertfail
  (.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 size);
.global .align 1 .b8 text[6] = {119, 114, 111, 110, 103, 0};
.visible .entry kernel(.param .u64 a) {
  .reg .b64 %text, %one; .reg .b32 %line;
  mov.u64 %text, text;
  cvta.global.u64 %text, %text;
  mov.u64 %one, 1;
  mov.u32 %line, 7;
  .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4;
  st.param.b64 [p0], %text;
  st.param.b64 [p1], %text;
  st.param.b32 [p2], %line;
  st.param.b64 [p3], %text;
  st.param.b64 [p4], %one;
  call.uni __assertfail, (p0, p1, p2, p3, p4);
  ret;
}
"""
