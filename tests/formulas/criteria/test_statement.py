"""What criteria say."""

from __future__ import annotations

from kernelspec.expressions.criteria.necessary import Statement


def test_statements_are_values() -> None:
    assert Statement(3, 4, "a reason") == Statement(3, 4, "a reason")
