"""What the code of a kernel depends on besides its arguments' types: names, values and code.

The front end reads everything outside of a kernel through a `Record`, which records what was read
and what was found. The key of the disk cache and the watches that the launcher checks before each
launch are both derived from this record.

    record.py     what was read, in order; replays the same readings
    texts.py      values as text, equal exactly if a compilation can't distinguish the values
    contents.py   the same, including everything that Python code could reach from a value
    code.py       what a Python function reads, according to its bytecode
    files.py      the content of libraries
    watches.py    what the launcher compares, at a few nanoseconds each
    kinds.py      whether a value belongs to Tilewright, to a library or to the user
"""

from tilewright.dependencies.kinds import Untrackable, is_jit_function
from tilewright.dependencies.record import MISSING, Dependencies, Record, Shape
from tilewright.dependencies.texts import digest, forget_text, function_name

__all__ = [
    "MISSING",
    "Dependencies",
    "Record",
    "Shape",
    "Untrackable",
    "digest",
    "forget_text",
    "function_name",
    "is_jit_function",
]
