"""Frequencies on unit vectors."""

from __future__ import annotations

import numpy as np

from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.inner_products import RbfCosine
from kernelspec.laws.fourier import FourierLaw, UnitRowsLaw
from kernelspec.random.streams import Stream
from kernelspec.samples.frequencies import UnitColumn


def test_the_frequencies_of_the_base_act_on_unit_columns() -> None:
    base = FourierLaw(Gaussian(scale=0.5, dim=2))
    law = UnitRowsLaw(RbfCosine(gamma=4, dim=2))  # of scale 1/√γ
    (plain,), (moved,) = base.draw(Stream(1), 5, (0, 1)), law.draw(Stream(1), 5, (4, 2))
    assert plain.phasors is not None
    assert moved.phasors is not None
    assert moved.phasors.columns == (UnitColumn(4, (4, 2)), UnitColumn(2, (4, 2)))
    assert np.array_equal(moved.phasors.frequencies, plain.phasors.frequencies)
    assert (law.has_phasor, law.has_key) == (True, False)
    assert law.lines((4, 2), ["a", "b", "c", "d", "e"])[0] == "on columns e, c, divided by the norm of the row:"
