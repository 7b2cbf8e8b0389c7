"""Feature maps on disk: a header in JSON and arrays in NPZ, never a pickle.

The format is described in docs/format.md.
"""
