"""Samples and their columns: how plans are drawn, and how drawn maps turn rows into features."""
