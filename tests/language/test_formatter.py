"""The formatter: pairs of text before and after, and its laws on random programs."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from kernelspec.errors import KernelspecError, SpecSyntaxError
from kernelspec.language import nodes
from kernelspec.language import printer as formatter
from kernelspec.language.parser import parse_program
from kernelspec.language.printer import format_text, print_node
from kernelspec.language.scanner import scan
from kernelspec.loading import Source
from tests.language.strategies import programs

PAIRS = {
    "spacing": ("0.7*gaussian( scale = 2 )+0.3·linear( )", "0.7*gaussian(scale=2) + 0.3*linear()\n"),
    "line ends": ("k\r\n# last\r\n", "k\n# last\n"),
    "blank lines": ("\n\n# a\n\n\n\nparam s\nlet t=s\n\n\nt\n\n\n", "# a\n\nparam s\nlet t = s\n\nt\n"),
    "comments above, behind and below": (
        "#! kernelspec 1\n# above  \nparam s>0# behind\n  # indented\nk   #   the kernel\n#below\n",
        "#! kernelspec 1\n# above\nparam s > 0  # behind\n# indented\nk  #   the kernel\n#below\n",
    ),
    "comments inside brackets move above": (
        "param s\n\nmean( # first\n  a, # second\n  # third\n  b\n) # behind\n",
        "param s\n\n# first\n# second\n# third\nmean(a, b)  # behind\n",
    ),
    "brackets around a whole statement": ("(a # one\n + b\n # two\n)", "# one\n# two\na + b\n"),
    "a kernel that looks like a statement": ("(param + 1)", "(param + 1)\n"),
    "a long sum": (
        "0.7*gaussian(scale=bandwidth)[age,balance]*match()[country]+0.3*polya(gamma(shape=2),area=1)[tenure]",
        "(\n    0.7*gaussian(scale=bandwidth)[age, balance]*match()[country]\n"
        "    + 0.3*polya(gamma(shape=2), area=1)[tenure]\n)\n",
    ),
    "a long let": (
        "let whitening = [[0.25, 0.125, 0.0625], [0.5, 0.25, 0.125], [0.75, 0.375, 0.1875], [1, 2, 3]]\nk",
        "let whitening = [\n    [0.25, 0.125, 0.0625],\n    [0.5, 0.25, 0.125],\n"
        "    [0.75, 0.375, 0.1875],\n    [1, 2, 3],\n]\nk\n",
    ),
    "a long call with a tail": (
        "stretch(gaussian(scale=bandwidth_of_the_first_kernel), by=[1, 2, 3], another_argument=4)[age, income]**2",
        "stretch(\n    gaussian(scale=bandwidth_of_the_first_kernel),\n"
        "    by=[1, 2, 3],\n    another_argument=4,\n)[age, income]**2\n",
    ),
    "a long function": (
        "radial(radius -> exp(-radius**1.5)*cos(radius*first_frequency)*cos(radius*second_frequency)/normaliser)",
        "radial(\n    radius -> (\n        exp(-radius**1.5)\n        * cos(radius*first_frequency)\n"
        "        * cos(radius*second_frequency)\n        / normaliser\n    ),\n)\n",
    ),
    "what cannot be broken stays": ("a" * 90, "a" * 90 + "\n"),
}


@pytest.mark.parametrize(("before", "after"), PAIRS.values(), ids=PAIRS.keys())
def test_pairs(before: str, after: str) -> None:
    assert format_text(before) == after
    assert format_text(after) == after


@pytest.mark.slow
@given(programs(), st.data())
def test_the_laws(program: nodes.Program, data: st.DataObject) -> None:
    """Same program, same comments in the same order, and formatting again changes nothing."""
    endings = st.sampled_from(["\n", "  # why not\n", "\n\n\n", "\n   # alone \n", "\r\n#\n"])
    lines = [line + data.draw(endings) for line in print_node(program).split("\n")]
    text = data.draw(endings) + "".join(lines)
    formatted = format_text(text)
    assert parse_program(formatted) == program
    assert [c.text.strip() for c in scan(Source(formatted)).comments] == [
        c.text.strip() for c in scan(Source(text)).comments
    ]
    assert format_text(formatted) == formatted


@pytest.mark.slow
@given(programs())
def test_lines_in_brackets_keep_their_comments(program: nodes.Program) -> None:
    """A comment after every opening bracket and comma outside quotes."""
    printed = print_node(program)
    if '"' in printed:
        return
    text = printed.replace("(", "( # open\n").replace(", ", ", # comma\n")
    formatted = format_text(text)
    assert formatted.count("# open") == text.count("# open")
    assert formatted.count("# comma") == text.count("# comma")
    assert format_text(formatted) == formatted


def test_text_that_does_not_parse_is_refused() -> None:
    with pytest.raises(SpecSyntaxError, match=r"my\.kernel:1:3"):
        format_text("a b", "my.kernel")


@pytest.mark.parametrize(
    ("broken", "message"),
    [(["b"], "formatting would change the kernel"), (["a  # new"], "formatting would lose a comment")],
)
def test_a_wrong_result_is_never_returned(broken: list[str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatter, "_statement", lambda node: broken)
    with pytest.raises(KernelspecError, match=message):
        format_text("a")
