"""Functions of the language that only some targets have: `tl.extra.cuda`."""

from tilewright.language.extra import cuda as cuda

__all__ = ["cuda"]
