"""Compiled loops, matrix products, threads and reusable memory: arrays in, arrays out, no concepts.

The only package that imports Numba.
"""
