"""Random numbers that depend on seed, place and index alone, and hashes that are the same everywhere.

May import: nothing of kernelspec.
"""
