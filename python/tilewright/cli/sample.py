"""The kernel that `tilewright doctor --full` compiles."""

import tilewright
import tilewright.language as tl


@tilewright.jit
def fill(out, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """Stores to each of the first n elements of `out` (fp32) its index."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, offsets.to(tl.float32), mask=offsets < n)
