"""Words in formulas: nothing in them may mean something to LaTeX."""

from __future__ import annotations

import re

import pytest

from kernelspec.rendering.notebooks import latex_rows, latex_subscript, latex_words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("age", r"\text{age}"),
        ("50%", r"\text{50\%}"),
        ("A&B", r"\text{A\&B}"),
        ("c#", r"\text{c\#}"),
        ("x^2", r"\text{x}{\wedge}\text{2}"),
        ("a_b", r"\text{a\_b}"),
        ("price in $", r"\text{price in \$}"),
        ("{x}", r"\text{\{x\}}"),
        ("a\\b~c", r"\text{a}{\backslash}\text{b}{\sim}\text{c}"),
        ("two\nlines", r"\text{two lines}"),
        ("", r"\text{}"),
    ],
)
def test_words(text: str, shown: str) -> None:
    assert latex_words(text) == shown


def test_no_sign_keeps_its_meaning() -> None:
    found = latex_words("".join(map(chr, range(32, 127))))
    assert not re.search(r"(?<!\\)[%&#_$^~]", found)
    bare = re.sub(r"\\[{}]", "", found)
    depth = 0
    for sign in bare:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0


def test_an_index() -> None:
    assert latex_subscript("x", "12") == "x_{12}"
    assert latex_subscript(r"\omega", "age") == r"\omega_{age}"
    assert latex_subscript("y", "sepal length") == r"y_{\text{sepal length}}"


def test_rows_are_one_formula() -> None:
    found = latex_rows([("why", "A&B\n50%"), ("seed", "0")])
    assert found == (
        "$\\begin{array}{ll}\n"
        "\\text{why} & \\text{A\\&B} \\\\\n\\text{} & \\text{50\\%} \\\\\n\\text{seed} & \\text{0}\n\\end{array}$"
    )
