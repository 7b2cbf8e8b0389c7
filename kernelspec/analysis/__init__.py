"""The facts about a kernel, each computed when it is asked for.

One file for a fact; bounds, variances and reports have folders of their own.
"""
