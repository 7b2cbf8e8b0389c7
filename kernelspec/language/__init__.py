"""Text to tree and back: grammar, parser, diagnostics, printer, formatter."""
