"""Classes for programs that launch kernels, under the names of `triton.tools`."""
