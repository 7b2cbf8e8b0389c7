"""Anchors: rows of the data that explain most of a kernel, so that samples are needed for the remainder only.

Chosen by pivots, compared by pilot samples, kept in the plan.
May import: what planning may.
"""
