"""Numbers and symbols about spectral measures: masses, Jordan parts, the law of one column.

May import: measures, kernels, elaboration, errors.
"""
