"""Steps do not repeat themselves, and names are given once."""

from __future__ import annotations

import sympy

from kernelspec.measures.derivation_steps import Journal, Step


def test_sides_that_repeat_another_are_left_out() -> None:
    t = sympy.Symbol("t")
    f = sympy.Function("f_1")(t)
    assert Step("piece", "", f, t**2, t**2).equals == (f, t**2)
    assert Step("catalogue", "", f, None, t).equals == (f, t)
    assert Step("sum", "", f, t + 1, sympy.exp(t)).equals == (f, t + 1, sympy.exp(t))


def test_names_count_by_letter() -> None:
    journal = Journal()
    assert [str(journal.name(letter)) for letter in "ffTf"] == ["f_1", "f_2", "T_1", "f_3"]
    journal.write("rule", "words", 1, 2, 3)
    assert journal.steps == [Step("rule", "words", 1, 2, 3)]
