"""Remainders of several numbers of anchors in one pass, against those of each by itself (see test_search.py, too)."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.planning.landmarks.landmarks import PairSums
from kernelspec.planning.landmarks.pilot import PILOT, Pilots
from kernelspec.planning.landmarks.pivots import NestedRemainders, choose_pivots, solved
from kernelspec.samples.factor import amplitude_values
from tests.planning.anchors.kernels import rows, strata_of, values


def test_variances_by_hand() -> None:
    """φ(x) − k(x, L) k(L, L)⁻¹ φ(L), by NumPy's solver."""
    text, pool, judged = "gaussian(scale=2)", rows(60), rows(20, 8)
    (stratum,) = strata_of(text)
    generator = np.random.default_rng(0)
    pivots = choose_pivots(lambda x, y: values(text, x, y), np.ones(60), pool, 12, generator)
    chosen = pool.take(pivots.chosen)
    whitened = solved(pivots.triangle, values(text, chosen, judged))
    batch = Pilots().single_batch(stratum)
    assert batch is not None
    found = NestedRemainders(pivots, chosen, judged, whitened).variances(stratum, batch, [3, 12])
    for m, own in zip([3, 12], found, strict=True):
        some = chosen.take(slice(0, m))
        a = np.linalg.solve(values(text, some, some), values(text, some, judged)).T
        left = amplitude_values(batch, judged, "left") - a @ amplitude_values(batch, some, "left")
        second = np.einsum("xj,yj->xyj", left, left.conj()).real ** 2
        mean = values(text, judged, judged) - a @ values(text, some, judged)
        expected = PairSums.of(second.sum(axis=2) / PILOT - mean**2)
        assert own.own == pytest.approx(expected.own, rel=1e-6)
        assert own.others == pytest.approx(expected.others, rel=1e-6)
