"""No sample is larger than the bound, and some come near it."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.random.streams import Stream
from kernelspec.testing.samples import sample_values
from kernelspec.verification.statistics import largest_sample

X = np.array([[0.3, 0.0, 0.0], [0.4, -0.3, 0.0], [1.1, 0.6, 1.0], [-0.7, 1.0, 1.0]])

BOUNDED = {
    "gaussian()": 1.5,
    "tilt(laplace(), by=[0.3, -0.2, 0.5])": 1.5,
    "tilt(gaussian(), by=0.4) * linear()": 4.0,
    "(0.5 * tilt(laplace(), by=0.5) + linear()[0:2]) ** 2 * match()[2]": 30.0,
    "linear()": 4.0,
    "normalize(linear())": 4.0,
    "stretch(shift(tilt(cauchy(), by=0.3), by=0.5), 2)": 1.5,
    "gaussian() - 0.5 * laplace()": 1.5,
}
"""Kernels, and how much larger than the largest of many samples the bound may be."""


@pytest.mark.parametrize("text", BOUNDED)
def test_the_bound_holds_and_is_of_use(text: str) -> None:
    places = tuple(np.indices((4, 4)).reshape(2, -1))
    for method in ("paired", "binning") if "laplace" in text else ("paired",):
        plan = ks.compile(text, dim=3, n_features=64, method=method).plan  # type: ignore[arg-type]
        rows = plan.layout.read(X)
        for stratum in plan.strata:
            bound = largest_sample(stratum.law, NumericPairs(rows, rows).select(stratum.positions)).ravel()
            values = sample_values(stratum, "paired", 4000, Stream(1), rows, rows, places)
            met = np.abs(values).max(axis=0)
            assert (met <= bound * (1 + 1e-9)).all()
            assert (bound[met > 0] <= BOUNDED[text] * met.max()).any()


def test_normal_neurons_have_no_bound() -> None:
    plan = ks.compile("dual(relu, normalize(linear()))", dim=3, n_features=8, method="neurons").plan
    rows = plan.layout.read(X)
    assert np.isinf(largest_sample(plan.strata[0].law, NumericPairs(rows, rows))).all()
