"""The catalogue of kernels, by family: formula, spectral distribution, reference."""
