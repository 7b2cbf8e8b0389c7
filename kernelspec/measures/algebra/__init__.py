"""Closed forms of spectral densities: piecewise exponential polynomials of the lag or of the frequency.

One file per kind of piece or number.
"""
