"""Rendering for notebooks and single lines: tables in HTML and LaTeX, colored specs, quoted text.

Text and pairs of text in, text out: specs, plans and certificates choose their own content.
"""
