"""The facts in words, in LaTeX and as JSON data.

May import: what analysis may.
"""
