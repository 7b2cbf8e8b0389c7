"""Pictures in one style: a function for each, of axes and numbers.

The only package that imports matplotlib (from `kernelspec[plot]`), and only to draw a figure.
"""
