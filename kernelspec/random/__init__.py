"""Random numbers that depend on seed, place and index alone, and hashes that are the same everywhere.

Streams of independent numbers, in orthogonal blocks, from Sobol' points.
"""
