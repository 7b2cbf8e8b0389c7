"""How keys become columns: hashed into buckets, by their bits, or learnt from data.

An encoding is one file.
"""
