"""Compiled loops, matrix products, threads, memory that is used again: arrays in, arrays out, no concepts.

The one room that imports Numba.
"""
