"""A kernel for the process that test_launch_running.py interrupts."""

import tilewright


@tilewright.jit
def kernel(a):
    pass
