"""For tests of kernels: a statistical laboratory, assertions, and Hypothesis strategies for specs."""
