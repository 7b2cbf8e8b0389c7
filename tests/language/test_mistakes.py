"""The list of mistakes: every one speaks for its own examples, and nobody before it does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from kernelspec.errors import SpecSyntaxError
from kernelspec.language import parser as diagnostics
from kernelspec.language.mistakes import MISTAKES, Advice, Situation
from kernelspec.language.parser import parse_program

EXAMPLES = {mistake.__name__: re.findall("`([^`]+)`", mistake.__doc__ or "") for mistake in MISTAKES}
EXAMPLES |= {
    "empty_spec": ["", "# only\n\n# comments"],
    "missing_kernel": ["param s", "let t = 2\n", "param s > 0  # positive"],
    "bound_and_default": ["param s > 0 = 2", "param s > 0 < 1", "param s = 2 > 1"],
    "second_kernel": ["k\nk", "k\nparam s", "k\n+ 2"],
    "broken_line": ["k +\nk", "let t = 2*\nk"],
    "odd_character": ["a ^ b", "a – b", "größe", "k[“a”]", "a?"],
    "assignment_without_let": ["k = gaussian()", "σ = 2\nk"],
}
WORDS = {
    "empty_spec": "the spec is empty; expected a kernel expression",
    "missing_kernel": "the kernel expression is missing; it comes after the param and let lines",
    "bound_and_default": "a param has one bound, as in 'param s > 0', or a default, as in 'param s = 2'",
    "leading_plus": "'+' stands between two values; leave it out in front of one",
    "comparison": "comparisons stand only in param lines, as in 'param s > 0'",
    "function_definition": "a function is defined by 'let f = r -> …'",
    "missing_operator": "missing operator between 'k1' and 'k2'; a product is written with '*'",
    "assignment_without_let": "a name is defined by 'let k = …', or 'param k = …' if callers may change it",
}


def cases() -> Iterator[tuple[str, str]]:
    yield from ((name, text) for name, texts in EXAMPLES.items() for text in texts)


@pytest.mark.parametrize(("name", "text"), list(cases()))
def test_every_mistake_speaks_for_its_examples(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spoke: list[str] = []

    def recorded(mistake: Callable[[Situation], Advice]) -> Callable[[Situation], Advice]:
        def speak(at: Situation) -> Advice:
            advice = mistake(at)
            if advice is not None:
                spoke.append(mistake.__name__)
            return advice

        return speak

    monkeypatch.setattr(diagnostics, "MISTAKES", tuple(recorded(mistake) for mistake in MISTAKES))
    with pytest.raises(SpecSyntaxError):
        parse_program(text)
    assert spoke == [name]


def test_no_mistake_is_without_examples() -> None:
    assert [name for name, texts in EXAMPLES.items() if not texts] == []
    assert len(EXAMPLES) == len(MISTAKES)


@pytest.mark.parametrize("name", WORDS)
def test_what_is_said_of_the_first_example(name: str) -> None:
    with pytest.raises(SpecSyntaxError) as caught:
        parse_program(EXAMPLES[name][0])
    assert caught.value.message == WORDS[name]


@pytest.mark.parametrize("text", ["k)", "f(1, ,2)", "param", "let = 2\nk", "k**", "->"])
def test_the_rest_is_told_what_was_expected(text: str) -> None:
    with pytest.raises(SpecSyntaxError, match=r"expected|closes nothing|before '->'|ends too early"):
        parse_program(text)
