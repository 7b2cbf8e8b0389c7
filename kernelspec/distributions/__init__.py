"""Laws on the line: frequencies for bochner(), positive numbers for polya().

To add a distribution: one file, one line in `distributions/distribution.py`, one test file.
"""
