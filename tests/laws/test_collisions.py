"""What hashing adds to the variance, against simulation of the hashing itself."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.errors import PlanError
from kernelspec.laws.keys import Collisions
from kernelspec.testing.laboratory import assert_mean


@pytest.mark.parametrize("columns", [2, 3, 16])
@pytest.mark.parametrize("signed", [True, False])
def test_second_moment(columns: int, signed: bool) -> None:
    # samples of weight 0.7 that agree with chance 0.3
    rng = np.random.default_rng(columns)
    agree = rng.random(200_000) < 0.3
    same_column = agree | (rng.random(200_000) < 1 / columns)
    if signed:
        estimate = 0.7 * same_column * np.where(agree, 1, rng.choice([-1, 1], 200_000))
    else:
        estimate = 0.7 * (columns * same_column - 1) / (columns - 1)
    predicted = Collisions(columns, signed).second_moment(0.49 * 0.3, 0.49)
    assert_mean(estimate[:, None], [0.7 * 0.3])
    assert_mean(np.square(estimate)[:, None], [predicted])


def test_kinds() -> None:
    assert Collisions.of(64, None) == Collisions(64, signed=True)
    assert Collisions.of(64, 3) == Collisions(8, signed=False)
    assert Collisions.of(None, None) is None


@pytest.mark.parametrize(("buckets", "bits"), [(1, None), (0, None), (2, 0), (2, 25)])
def test_refusals(buckets: int, bits: int | None) -> None:
    with pytest.raises(PlanError, match="must be"):
        Collisions.of(buckets, bits)
