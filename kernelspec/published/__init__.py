"""Estimators as they were published, for comparison: biased ones, measured and labelled.

Nothing here is ever chosen by itself: `compile(published=…)` asks for it.
May import: planning, maps and what they may.
"""
