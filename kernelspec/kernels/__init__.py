"""The catalogue, one kernel a file, and the nodes that make kernels from kernels."""
