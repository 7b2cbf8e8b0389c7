"""Long chains of lines that hold numbers: read in their order, each once."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Definitions, number_lines
from kernelspec.errors import RangeError


def chain(kind: str, n: int) -> str:
    """Fibonacci's numbers, divided by the last but one."""
    lines = [f"{kind} a0 = 1", f"{kind} a1 = 1"] + [f"{kind} a{i} = a{i - 1} + a{i - 2}" for i in range(2, n + 1)]
    return "\n".join([*lines, f"gaussian(scale=a{n}/a{n - 1})"])


@pytest.mark.parametrize("kind", ["param", "let"])
def test_a_long_chain_takes_one_step_a_line(kind: str) -> None:
    golden = (1 + 5**0.5) / 2
    assert ks.parse(chain(kind, 400)).gram([[0.0], [golden]])[0, 1] == pytest.approx(0.6065306597126334, rel=1e-12)


def test_in_the_order_of_the_text_and_not_below_what_is_known() -> None:
    program = ks.parse("param a = 1\nlet b = a\nlet c = b + sqrt(a)\nlet k = gaussian(b)[x]\ngaussian(c)").program
    scope = Definitions.of(program, {})
    found = scope.find("c")
    assert found is not None
    assert [line.name for line, _ in number_lines(*found, lambda line: False)] == ["a", "b"]
    assert [line.name for line, _ in number_lines(*found, lambda line: line.name == "b")] == ["a"]
    assert [seen.names() for _, seen in number_lines(*found, lambda line: False)] == [[], ["a"]]
    kernel = scope.find("k")
    assert kernel is not None
    assert number_lines(*kernel, lambda line: False) == []


def test_a_chain_of_kernels_has_their_height() -> None:
    lines = ["let k0 = gaussian()"] + [f"let k{i + 1} = stretch(k{i}, 2)" for i in range(100)]
    with pytest.raises(RangeError, match="nested more than 120 levels deep, counting through lets"):
        ks.parse("\n".join([*lines, "k100"]))
