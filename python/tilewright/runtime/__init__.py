"""Launching kernels.

jit.py           the decorator
function.py      JITFunction, the decorated function; launched by C++ (lib/Launcher/Launcher.h)
function_attributes.py, device_caches.py, binder.py  its attributes for programs
interface.py     KernelInterface, the base class of kernels that wrap another one
compile_hooks.py  warmups, and hooks around compilations
async_compile.py  compiling several kernels at once
parameters.py    the parameters of a kernel
source.py        the source of a function, as text and as a syntax tree
emulation.py     emulated GPUs: checks, findings and profiles
profile.py, profile_text.py  profiles of emulated launches, and printing them
mock.py          placeholders for tensors, to compile without data
reinterpreted.py tensors that kernels see with another dtype
arithmetic.py    cdiv, next_power_of_2
driver.py        the active driver: target, device and stream, for programs that ask
allocator.py     set_allocator
"""
