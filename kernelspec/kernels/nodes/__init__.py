"""Kernels made of kernels: sums, products, powers, selections, linear changes of the lag, duals, skeletons.

Each says what k(x, y) is by what is below it.
"""
