"""Other names in a program: what follows, and what keeps its name."""

from __future__ import annotations

import pytest

from kernelspec.elaboration.valued_program import mentioned, renamed, words
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import print_node

TEXT = 'param s > 0\nparam t = 2*s\nlet f = s -> s + t\nlet k = gaussian(scale=s)[s, t]\nk + bochner(s)["t"]'


def test_only_what_the_name_stands_for_is_renamed() -> None:
    # not the columns called s and t, and not the variable s of the formula, which hides the parameter
    assert print_node(renamed(parse_program(TEXT), {"s": "width"})) == (
        "param width > 0\nparam t = 2*width\nlet f = s -> s + t\nlet k = gaussian(scale=width)[s, t]\n"
        "k + bochner(width)[t]"
    )
    assert print_node(renamed(parse_program(TEXT), {"k": "near", "t": "other"})) == (
        "param s > 0\nparam other = 2*s\nlet f = s -> s + other\nlet near = gaussian(scale=s)[s, t]\n"
        "near + bochner(s)[t]"
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gaussian(scale=s)[age]", {"s"}),
        ("product(t -> t*s)", {"s"}),
        ("product(t -> exp(t))**t", {"t"}),
        ("param s > least\ndual(relu, k)", {"least", "relu", "k"}),
        ("let a = b\na", {"a", "b"}),
    ],
)
def test_names_that_are_mentioned(text: str, names: set[str]) -> None:
    assert mentioned(parse_program(text)) == names


def test_words() -> None:
    assert words(parse_program(TEXT)) == {"s", "t", "f", "k", "gaussian", "bochner"}
    assert words(parse_program("product(t -> exp(t))[age]")) == {"product", "t", "exp", "age"}
