"""Laws on the line: spectral distributions for bochner()."""
