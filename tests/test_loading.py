"""Loading by name."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kernelspec.loading import load_from


def test_the_attribute_of_the_module() -> None:
    assert load_from("fractions:Fraction") is Fraction


@pytest.mark.parametrize(
    ("home", "error"), [("fractions:Friction", AttributeError), ("fictions:Fraction", ModuleNotFoundError)]
)
def test_a_wrong_home_is_not_hidden(home: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        load_from(home)
