"""What the code of a kernel depends on besides its arguments' types: names, values and code.

The front end reads everything that lies outside of a kernel through a `Record`, which notes what
was read and what was found there. From this one record come both the key of the disk cache and
what the launcher compares before each launch.

    record.py     what was read, in order; reading the same things again
    texts.py      values as text that is equal exactly when a compilation can't tell them apart
    contents.py   the same with everything that Python code could reach from a value
    code.py       what a Python function reads, by its bytecode
    watches.py    what the launcher compares, some nanoseconds each
    kinds.py      what belongs to Tilewright, to a library, to the user
"""

from tilewright.dependencies.kinds import Untrackable, is_jit_function
from tilewright.dependencies.record import MISSING, Dependencies, Record, Shape
from tilewright.dependencies.texts import digest, function_name

__all__ = [
    "MISSING",
    "Dependencies",
    "Record",
    "Shape",
    "Untrackable",
    "digest",
    "function_name",
    "is_jit_function",
]
