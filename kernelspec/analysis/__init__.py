"""The facts about a kernel, each computed on demand.

One file per fact; bounds, variances and reports have their own modules.
"""
