"""Ways to sample dual activations and skeletons: random degrees, random paths, random neurons.

Products of a random number of samples of the kernels below.
"""
