"""Feature maps: plans with their random numbers drawn, and rows turned into features.

Arrays and nothing symbolic: what is here neither parses text nor imports SymPy.
"""
