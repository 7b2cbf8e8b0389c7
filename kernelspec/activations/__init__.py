"""Activations of neurons, each with its dual: a power series with non-negative coefficients that sum to one.

To add an activation: one file, one line in `activations/activation.py`, one test file.
"""
