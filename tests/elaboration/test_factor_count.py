"""The factors of a product, counted through powers, sums and lets."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.errors import RangeError
from kernelspec.limits import MAX_FACTORS


@pytest.mark.parametrize(
    "text",
    [
        "*".join(["periodic(3)**90"] * 11) + "*periodic(3)**{n}",
        "(minmax() + (periodic(3)**10)**99) * minmax()**{n}",
        "stretch((1/2*periodic(3)**100 + triangle()*triangle())**9, 2) * periodic(3)**90 * triangle()**{n}",
        "((periodic(3)**{n})**10)**10",
    ],
)
def test_the_bound_is_allowed_and_one_more_is_not(text: str) -> None:
    assert MAX_FACTORS == 1000
    assert ks.parse(text.format(n=10))
    with pytest.raises(
        RangeError, match=r"this product has 1,[01]\d\d factors, counting powers and every use of a let"
    ):
        ks.parse(text.format(n=11))


def test_a_chain_of_lets_counts_every_use() -> None:
    doubling = "let k0 = gaussian()\n" + "".join(f"let k{i + 1} = k{i}*k{i}\n" for i in range(14)) + "k14"
    with pytest.raises(RangeError, match="this product has 1,024 factors"):
        ks.parse(doubling)
