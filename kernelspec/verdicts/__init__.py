"""Is a kernel positive definite, symmetric, stationary? One rule per file, and counterexamples.

Every verdict comes with its chain of reasons.
"""
