"""Activations of neurons, each with its dual: a power series with non-negative coefficients that sum to one."""
