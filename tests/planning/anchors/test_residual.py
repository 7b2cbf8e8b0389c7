"""What anchors leave."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.planning.landmarks.landmarks import Residual
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean
from tests.planning.anchors.kernels import DEFINITE, OTHERS, POSITIONS, anchors_of, grid, rows, strata_of, values

ANCHORS, X, Y = rows(10), rows(4, 1, spread=3), rows(4, 2)


@pytest.mark.parametrize("ridge", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("text", [*DEFINITE, *OTHERS])
def test_what_anchors_say_and_what_they_leave_is_the_kernel(text: str, ridge: float) -> None:
    """For any regularisation: with samples of the remainder the map has no bias."""
    anchors, strata = anchors_of(text, ANCHORS, ridge), strata_of(text)
    left = anchors.columns(values(text, X, ANCHORS), "left") * anchors.signs
    explained = left @ anchors.columns(values(text, ANCHORS, Y).T, "right").T
    for pairs, said in (
        (grid(X, Y), explained),
        (NumericPairs(X, Y, grid=False), np.diagonal(explained)),
    ):
        residual = Residual.on(pairs, anchors, strata)
        rest = sum(stratum.weight * residual.kernel(stratum) for stratum in strata)
        np.testing.assert_allclose(said + rest, np.asarray(sum(s.weight * s.value(pairs) for s in strata)), atol=1e-9)


@pytest.mark.parametrize("text", ["gaussian(scale=2)", "tilt(gaussian(scale=2), by=0.3)", "linear()"])
def test_samples_leave_on_average_what_the_kernel_does(text: str) -> None:
    (stratum,) = strata_of(text)
    residual = Residual.on(grid(X, Y), anchors_of(text, rows(2), 0.1), [stratum])
    products = []
    for batch in stratum.law.draw(Stream(3), 4000, POSITIONS):
        left, right = residual.sides(batch)
        products.append((batch.sign * left[:, None] * np.conj(right[None])).real.reshape(16, -1))
        whole = residual.products(left * batch.sign, right)
        np.testing.assert_allclose(whole.ravel(), products[-1].sum(axis=1), rtol=1e-9)
    assert_mean(np.hstack(products).T, residual.kernel(stratum).ravel(), budget=1e-7)


def test_some_of_the_rows() -> None:
    (stratum,), anchors = strata_of("gaussian()"), anchors_of("gaussian()", ANCHORS)
    residual = Residual.on(grid(X, X), anchors, [stratum])
    np.testing.assert_allclose(residual.some(2).kernel(stratum), residual.kernel(stratum)[:2, :2])
    assert residual.forgetting().seen is not residual.seen
