"""Kernels: the mathematics and nothing else. k(x, y) for one pair, its domain, its arguments.

The catalogue is in `leaves`, what makes kernels of kernels in `nodes`, what several share in `families`.
"""
