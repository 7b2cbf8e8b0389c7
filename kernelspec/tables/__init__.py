"""Rows and columns of any table: arrays, data frames, Arrow. This room knows columns, names and
types, but no kernels.
"""
