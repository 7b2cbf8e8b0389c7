"""How many samples make the error small, at a point or on a ball.

A bound is one file.
May import: what analysis may.
"""
