"""Activations of neurons, each with its dual: a power series with non-negative coefficients that sum to one.

An activation is one file, one line in `activations/activation.py`, one test file.
"""
