"""Sampling schemes for dual activations and skeletons: random degrees, random paths, random neurons."""
