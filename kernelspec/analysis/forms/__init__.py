"""Named forms that make a kernel from kernels, one a file."""
