"""Numbers and symbols about spectral measures: masses, Jordan parts, the law of one column.

Numbers come with their error where they are not exact.
May import: kernels, measures, notation, random, special.
"""
