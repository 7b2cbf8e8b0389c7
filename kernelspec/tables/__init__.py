"""Rows and columns of any table: arrays, data frames, Arrow; what a map reads of them.

A table is known by its columns, their names and types; nothing here knows a kernel.
"""
