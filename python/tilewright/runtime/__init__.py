"""Launching kernels.

jit.py                  the decorator
function.py             JITFunction, the decorated function; lib/Launcher/Launcher.h launches it
parameters.py           the parameters of a kernel
source.py               the source of a function, as text and as a syntax tree
interface.py            KernelInterface, the base class of kernels that wrap another one
emulation.py            emulated GPUs: checks, findings and profiles
profile.py              profiles of emulated launches
profile_text.py         prints them
mock.py                 placeholders for tensors, to compile without data
reinterpreted.py        tensors that kernels see with another dtype
arithmetic.py           cdiv, next_power_of_2
compile_hooks.py        warmups, and hooks around compilations
async_compile.py        compiling several kernels at once

What programs for Triton read:

function_attributes.py  attributes of a JITFunction
device_caches.py        its kernels by device
binder.py               how arguments specialize it
driver.py               the active driver: target, device and stream
allocator.py            set_allocator
"""
