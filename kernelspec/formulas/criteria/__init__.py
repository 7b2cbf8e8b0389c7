"""For which numbers of columns f(‖x − y‖) is positive definite: criteria for formulas, one a file.

A criterion is one file and one line in the catalogue.
May import: what formulas may.
"""
