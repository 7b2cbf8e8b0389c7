"""Laws on the line: of frequencies for bochner(), of positive numbers for polya().

A distribution is one file, one line in `distributions/distribution.py`, one test file.
"""
