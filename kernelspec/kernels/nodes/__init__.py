"""Kernels made of kernels: sums, products, powers, selections, linear maps of the lag, duals, skeletons."""
