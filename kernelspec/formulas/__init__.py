"""Formulas of one real variable, written by the user: evaluated, differentiated, enclosed and proved convex.

A formula is a frozen tree of exact numbers, π, the variable and operations by name; text is never evaluated.
May import: language, special.
"""
