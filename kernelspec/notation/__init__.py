"""What kernels are stated in: arguments, pairs of rows, functions of a pair, in numbers and in SymPy.

Here k(x, y) has its words: the lag, the norm, the inner product, each for arrays and for symbols.
May import: tables.
"""
