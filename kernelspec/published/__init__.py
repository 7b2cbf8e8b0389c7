"""Estimators as they were published, for comparison: biased ones, measured and labelled.

Nothing here is ever chosen by itself: `compile(published=…)` asks for it.
"""
