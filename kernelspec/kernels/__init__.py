"""Kernels, the mathematics only: k(x, y) for one pair, domain, arguments.

`leaves` has the catalogue, `nodes` kernels made of kernels.
"""
