"""Keys: what two rows must share for a sample to be other than zero. Cells, minima, categories.

A kind of key is one file.
May import: what samples may.
"""
