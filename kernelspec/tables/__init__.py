"""Rows and columns of any table: arrays, data frames, Arrow; what a map reads of them.

May import: random (hashes of categories), errors.
"""
