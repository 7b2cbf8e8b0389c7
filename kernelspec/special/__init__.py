"""Special functions and exact samplers that kernels and distributions need.

Each has a stated relative error, from the smallest arguments to the largest.
"""
