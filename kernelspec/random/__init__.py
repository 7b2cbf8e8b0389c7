"""Random numbers that depend only on seed, place and index, and hashes that are the same on every machine.

Streams of independent numbers, orthogonal blocks, and Sobol' points.
"""
