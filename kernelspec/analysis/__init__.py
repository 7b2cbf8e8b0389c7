"""What a spec is: one pass per question, from the syntax tree to the facts."""
