"""Variances from pilot samples, against formulas where there are some, and against other samples."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.planning.landmarks.landmarks import PairSums, Residual
from kernelspec.planning.landmarks.pilot import Pilots
from kernelspec.planning.landmarks.pivots import SampleColumns
from kernelspec.planning.strata import Stratum
from kernelspec.random.streams import Stream
from tests.laws.texts import law
from tests.planning.anchors.kernels import POSITIONS, anchors_of, grid, rows, strata_of

X = rows(30, 5)


def residual_of(stratum: Stratum, n: int, text: str) -> Residual:
    return Residual.on(grid(X, X), anchors_of(text, rows(n)), [stratum])


def test_far_from_the_anchors_it_is_the_formula() -> None:
    """Anchors a hundred scales away say nothing: (1 + k(2Δ))/2 - k²."""
    text = "gaussian(scale=2)"
    (stratum,) = strata_of(text)
    far = Residual.on(grid(X, X), anchors_of(text, rows(5, spread=1e4)), [stratum])
    expected = stratum.law.variance(grid(X, X), 1, "paired")
    found = Pilots().variance(stratum, far)
    assert np.sqrt(found.sum() / expected.sum()) == pytest.approx(1, abs=0.05)  # five standard errors of 1,024 samples


@pytest.mark.parametrize("text", ["gaussian(scale=2)", "laplace(scale=3)", "tilt(gaussian(scale=2), by=0.2)"])
def test_the_sum_over_pairs_is_the_sum(text: str) -> None:
    (stratum,) = strata_of(text)
    residual, pilots = residual_of(stratum, 12, text), Pilots()
    whole, summed = PairSums.of(pilots.variance(stratum, residual)), pilots.total_variance(stratum, residual)
    assert summed.others == pytest.approx(whole.others, rel=1e-2)  # no single pair is cut off at zero there
    assert summed.own == pytest.approx(whole.own, rel=1e-2, abs=1e-9)


def test_samples_of_several_terms() -> None:
    """A sample that is the sum of all columns does not vary, whatever the anchors leave of it."""
    stratum = Stratum(1.0, law("linear()", 3, "exact"), POSITIONS)
    residual = residual_of(stratum, 2, "linear()")
    assert Pilots().variance(stratum, residual).max() < 1e-9
    assert Pilots().total_variance(stratum, residual).others < 1e-9


@pytest.mark.parametrize("text", ["linear()*gaussian(scale=3)", "(linear()[0] + constant())**2 * gaussian()[1]"])
def test_terms_of_one_sample_are_not_taken_for_samples(text: str) -> None:
    """One by one, what is left of them sums to far less than what is left of the samples."""
    stratum = Stratum(1.0, law(text, 3, "exact"), POSITIONS)
    samples = SampleColumns.drawn(stratum, 16)
    assert samples is None or len(samples.batch) > 16
    data = rows(200).dense()
    fmap = ks.compile(text, data=data, n_features=48, method="anchored", seed=1)
    assert fmap.plan.chosen.named == ("exact",)
    assert fmap.plan.chosen.error == pytest.approx(fmap.predicted_error(data), rel=0.5)  # it was 0 for the second


def test_the_prediction_is_what_other_samples_vary() -> None:
    """64 means of 64 samples each, none of them the pilot's."""
    text = "laplace(scale=3)"
    (stratum,) = strata_of(text)
    residual = residual_of(stratum, 12, text)
    exact, squares = residual.kernel(stratum), 0.0
    for seed in range(64):
        (batch,) = stratum.law.draw(Stream(seed + 1), 64, POSITIONS)
        squares += np.square(residual.products(*residual.sides(batch)) / 64 - exact).sum() / 64
    assert squares == pytest.approx(Pilots().variance(stratum, residual).sum() / 64, rel=0.15)


def test_sums_over_all_pairs_are_those_of_the_pairs() -> None:
    text = "gaussian(scale=2) + dual(relu, gaussian(scale=3))"
    for stratum in strata_of(text):
        residual, pilots = residual_of(stratum, 6, text), Pilots(256)
        assert len(pilots.samples(stratum)[0]) <= 256
        expected = pilots.variance(stratum, residual).sum()
        assert pilots.sum_over_pairs(stratum, residual) == pytest.approx(expected, rel=1e-9)
        sums = pilots.total_variance(stratum, residual)
        assert sums.own + sums.others == pytest.approx(expected, rel=1e-9)
