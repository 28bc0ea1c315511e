"""A value class that the compiler does not know: a pointer with a stride and a constant."""

import tilewright.language as tl
from tilewright.language.value import value_class


@value_class
class Strided:
    """A pointer and a stride, and a unit that is known at compile time."""

    def __init__(self, base, stride, unit):
        self.base, self.stride, self.unit = base, stride, unit

    def flatten(self):
        return (self.base, self.stride), self.unit

    @classmethod
    def unflatten(cls, parts, key):
        return cls(*parts, key)

    def at(self, i):
        """The address of an element, in an ordinary Python function."""
        return self.base + i * self.stride * self.unit

    def advanced(self, count):
        return Strided(self.at(count), self.stride, self.unit)


@value_class
class Window:
    """A structure with another structure in it, and with a tuple."""

    def __init__(self, where, sizes):
        self.where, self.sizes = where, sizes

    def flatten(self):
        return [self.where, self.sizes], None

    @classmethod
    def unflatten(cls, parts, key):
        return cls(*parts)


@tl.builtin
def addresses(pointer, i):
    """A function of the language that takes a structure."""
    return pointer.at(i)
