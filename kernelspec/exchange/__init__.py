"""Kernels of other libraries as specs, and specs as kernels of other libraries.

A file for each direction and library; no library is imported to read its kernels, which are known by their names.
"""
