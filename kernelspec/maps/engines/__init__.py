"""Maps applied to what other engines hold: collections that are computed piece by piece, streams of record batches.

None of these engines is imported unless something of it is given. What is here may import what `maps` may.
"""
