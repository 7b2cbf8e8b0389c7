"""Trees of laws with some of them replaced."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kernelspec.laws.columns_and_lags import replaced
from kernelspec.laws.keys import GcwsLaw
from kernelspec.laws.law import Law
from kernelspec.laws.product import OneLaw
from tests.laws.texts import law


def shortened(found: Law) -> Law | None:
    return replace(found, zero_bit=True) if isinstance(found, GcwsLaw) else None


def below(found: Law) -> list[Law]:
    return [found, *(inner for child in found.children() for inner in below(child))]


@pytest.mark.parametrize(
    "text",
    [
        "minmax()",
        "minmax()[0, 1] * gaussian()",
        "(minmax() - 0.5*match()) ** 2",
        "stretch(minmax() * tilt(shift(laplace(), 0.5), 0.1), 2)",
        "dual(exp(c=1), minmax())",
        "full(relu, input=image(1, 2, 1, base=minmax()))[0, 1]",
    ],
)
def test_every_one_that_is_met_is_replaced(text: str) -> None:
    whole = law(text, 3)
    short = replaced(whole, shortened)
    met = [found for found in below(short) if isinstance(found, GcwsLaw)]
    assert len(met) == len([found for found in below(whole) if isinstance(found, GcwsLaw)]) > 0
    assert all(found.zero_bit for found in met)
    assert [type(found) for found in below(short)] == [type(found) for found in below(whole)]


def test_what_does_not_change_is_the_same_object() -> None:
    for text in ("gaussian()", "match()[0] * (laplace() + linear())", "dual(exp(c=1), gaussian())"):
        whole = law(text, 3)
        assert replaced(whole, shortened) is whole


def test_from_the_top_down() -> None:
    """What is replaced is not looked into."""
    whole = law("minmax() * linear()", 3)
    assert replaced(whole, lambda _: OneLaw()) == OneLaw()
