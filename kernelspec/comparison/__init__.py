"""Samplers of other libraries, held against the kernels that they claim to estimate.

What is measured comes with its interval; a catalogue has the samplers that everybody can install.
May import: testing.
"""
