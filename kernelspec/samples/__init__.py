"""The one sample type: a weight, a sign, and left and right maps from a row to a key and an amplitude.

Samples are arrays that are multiplied, joined and merged; `laws` draws them.
"""
