"""Amplitudes that are no phasors: products of columns, neurons, phases of categories.

A kind of amplitude is one file.
May import: what samples may, activations.
"""
