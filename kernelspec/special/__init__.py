"""Special functions and exact samplers, in the numbers that kernels and distributions need."""
