"""Samplers of other libraries, held against the kernels that they claim to estimate, and against ours in speed.

What is measured comes with its interval; a catalogue has the samplers that everybody can install.
May import: kernels, maps, numerics, testing.
"""
