"""The catalogue of kernels, one a file: formula, spectral law, reference.

A kernel is one file here, one line in `kernels/catalogue.py`, one test file.
May import: what kernels may.
"""
