"""The catalogue of kernels, one a file: formula, spectral law, reference.

A kernel is one file here, one line in `kernels/leaf.py`, one test file.
"""
