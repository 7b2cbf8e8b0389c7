"""Is it positive definite, symmetric, stationary? A rule a file, and witnesses against.

Every verdict comes with the chain of its reasons.
"""
