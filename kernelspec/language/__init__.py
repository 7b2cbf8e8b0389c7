"""Text to tree and back: grammar, parser, diagnostics, printer, formatter.

Syntax alone, every node with its span; the one room that imports Lark.
"""
