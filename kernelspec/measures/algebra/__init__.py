"""Closed forms of spectral densities: piecewise exponential polynomials of the lag or of the frequency.

A kind of piece or number is one file.
"""
