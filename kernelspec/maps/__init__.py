"""Feature maps: plans with drawn random numbers, which turn rows into features.

Only arrays: this room neither parses text nor imports SymPy.
"""
