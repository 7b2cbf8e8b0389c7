"""Laws on the line: of frequencies for bochner(), of positive numbers for polya()."""
