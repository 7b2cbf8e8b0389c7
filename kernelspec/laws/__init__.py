"""Ways to sample kernels, one a file: mean, moments, draw, and what a sample costs.

A law is one file and one line in `laws/rules.py`.
"""
