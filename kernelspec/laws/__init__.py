"""Sampling schemes, one per file: mean, moments, draw, and cost. A law is one file and one line in `laws/rules.py`."""
