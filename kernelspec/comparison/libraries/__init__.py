"""One file for each library whose samplers are measured, listed in kernelspec/comparison/catalogue.py.

May import: what comparison may; the library itself when its samplers are made.
"""
