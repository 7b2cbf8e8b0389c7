"""Spectral densities compared: which multiple of one lies below the others."""
