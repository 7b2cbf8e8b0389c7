"""The one sample type: a weight, a sign, and left and right maps from a row to a key and an amplitude.

Samples are arrays that are multiplied, gathered and merged; how they are drawn is said in `laws`.
"""
