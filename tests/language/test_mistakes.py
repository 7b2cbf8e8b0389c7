"""Tests of `language/mistakes.py`, by what the parser says."""

from __future__ import annotations

import pytest

from kernelspec.errors import SpecSyntaxError
from kernelspec.language.parser import parse_program

ONE_VARIABLE = "a function has one variable without brackets, as in 'r -> exp(-r)'"
WITH_EQUALS = "write arguments with '=', as in gaussian(scale=2)"
NO_BLANKS = "put a name with spaces in quotes, as in k['{}'], or separate two columns with a comma"
SELECTORS = "write columns as names, positions, ranges or functions, separated by commas: k[age, 5:8, log(income)]"
RANGE = "a param has its value first, then one range, as in 'param s = 2 in [0.1, 10]'"
COMPARISON = "comparisons are only allowed in param lines, as in 'param s > 0'"
EARLY = "the line ends too early; put brackets around an expression that spans several lines"
START = "a line cannot start with an operator; put brackets around an expression that spans several lines"
EMPTY = "the spec is empty; expected a kernel expression"
MISSING = "the kernel expression is missing; add it after the param and let lines"
PYTHON = "'{}' is Python, not part of the language"
LETTERS = "names have ASCII and Greek letters, digits and '_'; put other column names in quotes"
LONG = "c" * 50
LAMBDA = "write a function as 'r -> exp(-r)', without 'lambda' and ':'"


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("stretch(k, (1‹,› 2))", "write a vector in square brackets, as in [1, 2]"),
        ("f((r‹,› s) -> r)", ONE_VARIABLE),
        ("param s‹,› t", "write each param on its own line"),
        ("let s‹,› t = 1", "write each let on its own line"),
        ("k1‹,› k2", "a comma has no meaning outside brackets"),
        ("gaussian(scale=2‹:› 3)", WITH_EQUALS),
        ("f(2 ‹=› x)", "only the name of an argument can come before '='"),
        ("2 ‹=› x", "'=' has no meaning here"),
        ("param ‹'s'› = 2", "only column names have quotes, as in k['sepal length']"),
        ("k[‹]›", "a selection has at least one column"),
        ("2*[‹]›", "a vector has at least one entry"),
        ("k[0:6‹:›2]", "a range of columns has no step; write k[start:stop]"),
        ("k[‹age 3›]", NO_BLANKS.format("age 3")),
        ("k[x, ‹sepal length›]", NO_BLANKS.format("sepal length")),
        ("k[age ‹0›:3]", SELECTORS),
        ("gaussian(scale ‹2.5›)", "missing '=' between 'scale' and '2.5'"),
        ("‹import› os", PYTHON.format("import")),
        ("k1 ‹if› fast else k2", PYTHON.format("if")),
        ("‹lambda› r: r", LAMBDA),
        ("‹λ›: 1", LAMBDA),
        ("r‹^›2", "'^' is not an operator; write a power with '**'"),
        ("r‹²›", "write a square as '**2'"),
        ("‹√›2", "write a square root as sqrt(…)"),
        ("k‹==›2", "use a single '=' for a value; comparisons only exist in param lines"),
        ("r ‹=>› exp(-r)", "write a function with '->', as in 'r -> exp(-r)'"),
        ("math‹.›exp(r)", "remove '.': call functions by their bare names, as in exp(r)"),
        ("iris[Sepal‹.›Length]", 'write a column with a dot in quotes, as in k["Sepal.Length"]'),
        ("a ‹–› b", "this is an en dash; the minus sign is '-'"),
        ("a ‹\u2014› b", "this is an em dash; the minus sign is '-'"),
        ("k[‹“›a”]", "this is a left double quotation mark; use straight quotes"),
        ("a‹\u00a0›+ b", "this is a no-break space (U+00A0); use an ordinary space"),
        ("a‹\ufeff›+ b", "this is a zero width no-break space (U+FEFF); use an ordinary space"),
        ("a ‹?› b", "the character '?' has no meaning here"),
        ("a ‹€› b", "the character '€' has no meaning here"),
        ("k[‹größe›, x]", LETTERS),
        ("‹да› + 1", LETTERS),
        ("2*‹xé›", LETTERS),
        ("‹›", EMPTY),
        ("‹›# only\n\n# comments", EMPTY),
        ("param s‹›", MISSING),
        ("let t = 2‹›\n", MISSING),
        ("param s > 0‹›  # positive", MISSING),
        ("param s > 0 ‹=› 2", RANGE),
        ("param s > 0 ‹<› 1", RANGE),
        ("param s = 2 > 1 ‹<› 3", RANGE),
        ("s ‹>› 0", COMPARISON),
        ("k\n‹k›", "a spec has one kernel expression, but this is a second one"),
        ("k\n‹param› s", "param lines must come before the kernel expression"),
        ("k\n‹+› 2", START),
        ("k +‹›\nk", EARLY),
        ("let t = 2*‹›\nk", EARLY),
        ("k ‹=› gaussian()", "define a name with 'let k = …', or 'param k = …' if callers may change it"),
        ("σ ‹=› 2\nk", "define a name with 'let sigma = …', or 'param sigma = …' if callers may change it"),
        ("let f‹(›r) = exp(-r)", "define a function with 'let f = r -> …'"),
        ("(r) ‹->› r", ONE_VARIABLE),
        ("1 + r ‹->› r", "put a function inside an expression in brackets, as in '2*(r -> exp(-r))'"),
        ("2 ‹->› r", "the function's variable comes before '->', as in 'r -> exp(-r)'"),
        ("k1 ‹k2›", "missing operator between 'k1' and 'k2'; write a product with '*'"),
        ("k1 ‹iffy›", "missing operator between 'k1' and 'iffy'; write a product with '*'"),
        ("2 ‹gaussian›()", "missing operator between '2' and 'gaussian'; write a product with '*'"),
        *(
            (f"{at} ‹b›{after}", f"missing operator{comma} between '{at[-1]}' and 'b'; write a product with '*'")
            for comma, texts in (
                (" or ','", ["f(a…)", "f (a…)", "[a…]", "2*[a…]", "f([1, 2]…)", "f(k[0]…)"]),
                ("", ["2*(a…)", "k[a]*(b…)", "f(a)-(b…)", "f(k[(1…)])", "f(a)…", "(k)[a]…"]),
            )
            for at, after in (text.split("…") for text in texts)
        ),
        ("f(a, # why\n  b ‹c›)", "missing operator or ',' between 'b' and 'c'; write a product with '*'"),
        (f"{'b' * 50} ‹{LONG}›", f"missing operator between '{'b' * 40}…' and '{'c' * 40}…'; write a product with '*'"),
        ("‹+›2", "'+' needs two values; remove it in front of one"),
    ],
)
def test_mistakes_are_named_at_their_place(marked: str, words: str) -> None:
    start, end = marked.index("‹"), marked.index("›") - 1
    with pytest.raises(SpecSyntaxError) as caught:
        parse_program(marked.replace("‹", "").replace("›", ""))
    assert caught.value.message == words
    assert caught.value.span is not None
    assert (caught.value.span.start, caught.value.span.end) == (start, end)


@pytest.mark.parametrize("text", ["f(a,,b)", "[1,,2]", "lambda 2", "important os", "k[a"])
def test_other_mistakes_are_not_these(text: str) -> None:
    with pytest.raises(SpecSyntaxError) as caught:
        parse_program(text)
    assert "comma" not in caught.value.message
    assert "Python" not in caught.value.message
    assert "without 'lambda'" not in caught.value.message


@pytest.mark.parametrize("text", ["k)", "f(1, ,2)", "param", "let = 2\nk", "k**", "->"])
def test_the_rest_is_told_what_was_expected(text: str) -> None:
    with pytest.raises(SpecSyntaxError, match=r"expected|no opening bracket|before '->'|ends too early"):
        parse_program(text)
