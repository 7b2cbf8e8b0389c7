"""The facts of every report, one a file: each is stated once, as text, as LaTeX and as JSON data.

The catalogue lists them in the order of the reports. Imports analysis, no report.
"""
