"""Which laws draw from Sobol' points, and how many coordinates these have."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.laws.joint import sobol
from kernelspec.random.sobol import SobolStream
from kernelspec.random.streams import Stream
from tests.laws.texts import law


@pytest.mark.parametrize(
    ("text", "scheme", "count"),
    [
        ("gaussian()", None, 3),
        ("gaussian()[1]", None, 1),
        ("laplace()", None, 3),
        ("match()[0] * gaussian()[1, 2]", None, 2),
        ("rbf_cosine() ** 2", None, 6),
        ("(gaussian() + match()) * match()[1]", None, 4),  # which of the terms is a number, too
        ("dual(relu, sphere())", "neurons", 3),
    ],
)
def test_every_number_has_a_coordinate(text: str, scheme: str | None, count: int) -> None:
    found = sobol(law(text, 3, scheme), Stream(5, (2,)), 10, (0, 1, 2))
    assert isinstance(found, SobolStream)
    assert found.points.shape == (10, count)
    assert sum(width for _, width in found.coordinates.values()) == count
    assert (found.seed, found.path) == (5, (2,))


@pytest.mark.parametrize("text", ["minmax()", "match()", "linear()", "dual(relu, gaussian())"])
def test_laws_without(text: str) -> None:
    assert sobol(law(text, 3), Stream(5), 10, (0, 1, 2)) is None


def test_not_in_very_many_dimensions() -> None:
    assert sobol(law("gaussian()", 256), Stream(5), 4, tuple(range(256))) is not None
    assert sobol(law("gaussian()", 257), Stream(5), 4, tuple(range(257))) is None


def test_the_points_depend_on_the_place_alone() -> None:
    own = law("gaussian()", 3)
    one, same, other = (sobol(own, Stream(5, path), 8, (0, 1, 2)) for path in ((1,), (1,), (2,)))
    assert one is not None
    assert same is not None
    assert other is not None
    assert np.array_equal(one.points, same.points)  # type: ignore[attr-defined]
    assert not np.array_equal(one.points, other.points)  # type: ignore[attr-defined]
