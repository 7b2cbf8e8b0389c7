"""One spelling for everything: Greek letters and typographic operators are accepted, ASCII is what is kept."""

from __future__ import annotations

import re

__all__ = ["ascii_name", "ascii_operator", "find_forbidden", "is_plain_name"]

_GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "ϵ": "epsilon",
    "ζ": "zeta",
    "η": "eta",
    "θ": "theta",
    "ϑ": "theta",
    "ι": "iota",
    "κ": "kappa",
    "ϰ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "\N{MICRO SIGN}": "mu",
    "ν": "nu",
    "ξ": "xi",
    "ο": "omicron",
    "π": "pi",
    "ϖ": "pi",
    "ρ": "rho",
    "ϱ": "rho",
    "σ": "sigma",
    "ς": "sigma",
    "τ": "tau",
    "υ": "upsilon",
    "φ": "phi",
    "ϕ": "phi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
}
_CAPITALS = {
    letter.upper(): word.capitalize() for letter, word in _GREEK.items() if letter in "αβγδεζηθικλμνξοπρστυφχψω"
}
_LETTERS = str.maketrans(_GREEK | _CAPITALS)
_OPERATORS = str.maketrans({"·": "*", "⋅": "*", "×": "*", "−": "-"})
# Control characters but tab and newline, half characters, and the marks that make text read backwards.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def ascii_name(text: str) -> str:
    """The ASCII spelling of a name: `σ_1` is `sigma_1`. What has no ASCII spelling stays as it is."""
    return text if text.isascii() else text.translate(_LETTERS)


def ascii_operator(text: str) -> str:
    """The ASCII spelling of an operator: `·` and `×` are `*`, the minus sign U+2212 is `-`."""
    return text if text.isascii() else text.translate(_OPERATORS)


def is_plain_name(text: str) -> bool:
    """Whether the text is a name that needs no quotes."""
    return _PLAIN_NAME.fullmatch(text) is not None


def find_forbidden(text: str) -> re.Match[str] | None:
    """The first character that no spec may contain, not even in a comment or a quoted name."""
    return _FORBIDDEN.search(text)
