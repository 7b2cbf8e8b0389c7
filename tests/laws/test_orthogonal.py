"""Which laws draw in orthogonal blocks."""

from __future__ import annotations

import pytest

from kernelspec.laws.orthogonal import orthogonal
from kernelspec.random.orthogonal import OrthogonalStream
from kernelspec.random.streams import Stream
from tests.laws.texts import law


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        ("gaussian()", None),
        ("match()[0] * matern(3/2)", None),
        ("gaussian()[0] * exponential()[1, 2]", None),
        ("dual(relu, sphere())", "neurons"),
        ("shift_gaussian(by=1)", "polar"),
    ],
)
def test_laws_with_normal_vectors(text: str, scheme: str | None) -> None:
    found = orthogonal(law(text, 3, scheme), Stream(5, (2, 1)), 10, (0, 1, 2))
    assert isinstance(found, OrthogonalStream)
    assert (found.seed, found.path) == (5, (2, 1))


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        ("gaussian()[1]", None),
        ("laplace()", None),
        ("laplace()", "binning"),
        ("minmax()", None),
        ("linear()", None),
        ("dual(relu, gaussian())", None),
    ],
)
def test_laws_without(text: str, scheme: str | None) -> None:
    assert orthogonal(law(text, 3, scheme), Stream(5), 10, (0, 1, 2)) is None
