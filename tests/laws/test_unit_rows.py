"""Frequencies on unit vectors."""

from __future__ import annotations

import numpy as np

from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.laws.unit_rows import UnitRowsSampler
from kernelspec.random.streams import Stream
from kernelspec.samples.columns_read import UnitColumn


def test_the_frequencies_of_the_base_act_on_unit_columns() -> None:
    base = Gaussian(scale=0.5, dim=2).sampler((0, 1))
    sampler = UnitRowsSampler(base, (4, 2))
    (plain,), (moved,) = base.draw(Stream(1), 5), sampler.draw(Stream(1), 5)
    assert plain.phasors is not None
    assert moved.phasors is not None
    assert moved.phasors.columns == (UnitColumn(4, (4, 2)), UnitColumn(2, (4, 2)))
    assert np.array_equal(moved.phasors.frequencies, plain.phasors.frequencies)
    assert (sampler.has_phasor, sampler.has_key) == (True, False)
    assert sampler.lines(["a", "b", "c", "d", "e"])[0] == "on columns e, c, divided by the norm of the row:"
