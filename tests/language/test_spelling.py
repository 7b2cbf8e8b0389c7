"""Spellings: everything the grammar accepts has an ASCII form."""

from __future__ import annotations

import re

import pytest

from kernelspec.language.grammar import lalr_parser
from kernelspec.language.literals import ascii_name, ascii_operator, is_plain_name


def test_every_character_of_a_name_has_an_ascii_spelling() -> None:
    (pattern,) = (t.pattern.to_regexp() for t in lalr_parser().terminals if t.name == "NAME")
    accepted = [chr(code) for code in range(0x3000) if re.fullmatch(pattern, chr(code))]
    assert len(accepted) == 53 + 24 * 2 + 1 + 7
    assert all(is_plain_name(ascii_name(character)) for character in accepted)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("σ", "sigma"),
        ("Σ", "Sigma"),
        ("σ_1", "sigma_1"),
        ("λ", "lambda"),
        ("µ", "mu"),
        ("μ", "mu"),
        ("ς", "sigma"),
        ("ω0", "omega0"),
        ("plain", "plain"),
    ],
)
def test_names(text: str, name: str) -> None:
    assert ascii_name(text) == name


@pytest.mark.parametrize(("text", "operator"), [("·", "*"), ("×", "*"), ("⋅", "*"), ("−", "-"), ("*", "*"), ("-", "-")])
def test_operators(text: str, operator: str) -> None:
    assert ascii_operator(text) == operator
