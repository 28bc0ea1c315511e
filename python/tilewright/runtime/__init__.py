"""Launching kernels.

jit.py           the decorator
function.py      JITFunction: what the decorator makes; C++ launches it (lib/Bindings/Launcher.h)
parameters.py    the parameters of a kernel
source.py        the source of a function, as text and as a tree
dependencies.py  the variables outside of a kernel that it reads
emulation.py     emulated GPUs: what to check, and what was found
mock.py          stand-ins for tensors, to compile without data
arithmetic.py    cdiv, next_power_of_2
"""
