"""Kernels of other libraries as specs, and specs as kernels of other libraries.

Reading a kernel imports no library: kernels are recognized by their class names.
"""
