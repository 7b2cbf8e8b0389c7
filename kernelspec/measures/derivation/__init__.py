"""How a closed spectral density comes about: the rules applied, in order, each with the formula that it gives.

One kind of measure is one file; the algebra does the work, and this room names its steps.
May import: what measures may.
"""
