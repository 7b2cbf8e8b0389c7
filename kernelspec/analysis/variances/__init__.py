"""How much one sample varies, for each way to sample a kernel, as expressions.

May import: what analysis may.
"""
