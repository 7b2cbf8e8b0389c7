"""Frequencies from the Jordan parts."""

from __future__ import annotations

import numpy as np
import pytest
from kernelspec.laws.arcs import ArcSampler
from scipy.stats import norm

from kernelspec.errors import PlanError
from kernelspec.kernels.leaves.shift_gaussian import ShiftGaussian
from kernelspec.laws.jordan_part import JordanPart, jordan_sum
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_proportions

KERNEL = ShiftGaussian(scale=0.8, by=(0.6, -0.9), dim=2)
PARTS = [
    part
    for by_rejection in (False, True)
    for part in jordan_sum(KERNEL, by_rejection=by_rejection).terms
    if isinstance(part, JordanPart)
]


@pytest.mark.parametrize("part", PARTS, ids=lambda p: f"{p.wave.name}{' by rejection' if p.by_rejection else ''}")
def test_law_along_and_across(part: JordanPart) -> None:
    n = 40_000
    (batch,) = ArcSampler(part, (0, 1)).draw(Stream(5), n)
    assert batch.phasors is not None
    turn = np.rint(batch.phasors.left / (np.pi / 2))
    omega = batch.phasors.frequencies
    if part.wave.odd:
        np.testing.assert_allclose(batch.phasors.left, turn * np.pi / 2)
        assert_proportions([(turn > 0).sum(), (turn < 0).sum()], [0.5, 0.5], budget=1e-8)
        omega = omega * turn[:, None]  # (−ν, −i) comes from the same ν
    else:
        assert not batch.phasors.left.any()
    unit, sigma = KERNEL.unit(), 0.8
    along, across = sigma * omega @ unit, sigma * omega @ [-unit[1], unit[0]]
    fine = np.linspace(-3, 3, 30 * 200 + 1)
    middle = (fine[1:] + fine[:-1]) / 2
    size = part.wave.values(float(KERNEL.frequency) * middle) * norm.pdf(middle) / float(part.mass)
    inside = (size * (fine[1] - fine[0])).reshape(30, 200).sum(axis=1)
    inside[inside < 1e-12] = 0
    counts = np.histogram(along, fine[::200])[0]
    assert_proportions(np.append(counts, n - counts.sum()), np.append(inside, 1 - inside.sum()), budget=1e-8)
    edges = [-np.inf, -1.5, -0.5, 0.5, 1.5, np.inf]
    assert_proportions(np.histogram(across, edges)[0], np.diff(norm.cdf(edges)), budget=1e-8)


def test_rejection_is_bounded() -> None:
    thin = ShiftGaussian(scale=1.0, by=(0.3,), dim=1)
    part = next(p for p in jordan_sum(thin, by_rejection=True).terms if isinstance(p, JordanPart) and p.wave.sign < 0)
    with pytest.raises(PlanError, match=r"mass 8.79e-09: rejection would take 1.14e\+08 proposals .* at most 1000"):
        ArcSampler(part, (0,)).draw(Stream(0), 1)
    assert ArcSampler(part, (0,)).work(3, 1.0) > 3e7


def test_arcs_do_not_mind_the_mass() -> None:
    thin = ShiftGaussian(scale=1.0, by=(0.3,), dim=1)
    part = next(p for p in jordan_sum(thin).terms if isinstance(p, JordanPart) and p.wave.sign < 0)
    (batch,) = ArcSampler(part, (0,)).draw(Stream(0), 200)
    assert batch.phasors is not None
    assert (np.cos(0.3 * batch.phasors.frequencies) < 0).all()
    assert ArcSampler(part, (0,)).work(3, 1.0) == 0
