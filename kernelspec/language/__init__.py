"""Text to tree and back: grammar, parser, diagnostics, printer, formatter. The only room that imports Lark."""
