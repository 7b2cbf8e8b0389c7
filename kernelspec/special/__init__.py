"""Special functions and exact samplers, in the numbers that kernels and distributions need.

Each to a stated relative error, from the smallest arguments to the largest.
"""
