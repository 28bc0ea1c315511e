"""Ranges for `for` loops, which the front end translates."""

from __future__ import annotations

from typing import Any

from tilewright.errors import ConstantError
from tilewright.language.constexpr import constant_int, constexpr, constexpr_value, known_value


class range:
    """`range` for a loop that is executed at run time, with hints for the compiler.

    Args:
        arg1, arg2, step: As for Python's `range`: constants or integer scalars. If `arg2` is
            None, `arg1` is the end.
        num_stages: The number of pipeline stages.
        loop_unroll_factor: How many copies of the body an iteration of the loop has. A second loop
            runs the remaining iterations; in a loop with `break` or `return`, each copy but the
            first runs only if the loop goes on.
        disallow_acc_multi_buffer: Do not multi-buffer the accumulator of a dot. Always holds:
            accumulators are in registers.
        flatten: Flatten the loop nest into a single loop. Changes nothing: nests are pipelined as
            they are, across the iterations of an outer loop: on Hopper where copies are of boxes,
            elsewhere if that loop has `num_stages`.
        warp_specialize: Let additional warps start the kernel's copies of boxes, on Hopper, where
            that is possible.
        disable_licm: Do not hoist loop-invariant code; LLVM still may. Loops with `break` or
            `return` ignore it.

    Attributes:
        start, stop, step: The bounds; `end` is `stop`.

    Raises:
        ConstantError: `loop_unroll_factor` is not a positive constant.
    """

    __tilewright_builtin__ = True

    def __init__(
        self,
        arg1: Any,
        arg2: Any = None,
        step: Any = None,
        num_stages: Any = None,
        loop_unroll_factor: Any = None,
        disallow_acc_multi_buffer: Any = False,
        flatten: Any = False,
        warp_specialize: Any = False,
        disable_licm: Any = False,
    ) -> None:
        only_end = constexpr_value(arg2) is None
        self.start: Any = constexpr(0) if only_end else arg1
        self.stop: Any = arg1 if only_end else arg2
        self.step: Any = constexpr(1) if constexpr_value(step) is None else step
        self.num_stages = known_value(num_stages)
        self.loop_unroll_factor = known_value(loop_unroll_factor)
        if self.loop_unroll_factor is not None:
            factor = constant_int(self.loop_unroll_factor, "loop_unroll_factor")
            if factor < 1:
                raise ConstantError(f"loop_unroll_factor must be positive, found {factor}")
        self.disallow_acc_multi_buffer = bool(known_value(disallow_acc_multi_buffer))
        self.flatten = bool(known_value(flatten))
        self.warp_specialize = bool(known_value(warp_specialize))
        self.disable_licm = bool(known_value(disable_licm))

    @property
    def end(self) -> Any:
        return self.stop


class static_range:
    """`range` for a loop that is unrolled at compile time; the loop variable is a constant.

    Args:
        arg1, arg2, step: As for Python's `range`, all constant.

    Attributes:
        start, stop, step: The bounds, Python ints; `end` is `stop`.

    Raises:
        ConstantError: A bound is not constant, or the step is zero.
    """

    __tilewright_builtin__ = True

    def __init__(self, arg1: Any, arg2: Any = None, step: Any = None) -> None:
        first = constant_int(arg1, "bound of static_range")
        only_end = constexpr_value(arg2) is None
        self.start = 0 if only_end else first
        self.stop = first if only_end else constant_int(arg2, "bound of static_range")
        no_step = constexpr_value(step) is None
        self.step = 1 if no_step else constant_int(step, "step of static_range")
        if self.step == 0:
            raise ConstantError("the step of static_range must not be zero")

    @property
    def end(self) -> int:
        return self.stop


class condition:
    """The condition of a `while` with hints for the compiler: `while tl.condition(x > 0):`.

    Args:
        arg1: The condition.
        disable_licm: Do not hoist loop-invariant code. Accepted and ignored.
    """

    __tilewright_builtin__ = True

    def __init__(self, arg1: Any, disable_licm: Any = False) -> None:
        self.condition = arg1
        self.disable_licm = bool(known_value(disable_licm))
