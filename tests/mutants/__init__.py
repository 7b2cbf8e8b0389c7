"""Named mistakes, each a small patch of the package, which the property tests must find."""
