"""The masses, with their error."""

from __future__ import annotations

import math

import kernelspec as ks
from kernelspec.analysis.spectral_statements import masses


def test_positive_definite_and_asymmetric() -> None:
    assert masses(ks.analyze("3*gaussian()", dim=2)).lines == ("total variation = 3",)
    found = masses(ks.analyze("shift_gaussian(by=1)", dim=1))
    assert len(found.lines) == 3
    assert float(found.value["total_variation"]) == 1.0
    # ‖μ_R⁺‖ − ‖μ_R⁻‖ = k(0)
    difference = float(found.value["real_positive"]) - float(found.value["real_negative"])
    assert abs(difference - math.exp(-0.5)) < 1e-12


def test_why_there_are_none() -> None:
    free = masses(ks.analyze("param w\nw*gaussian() + laplace()", dim=1))
    assert (free.value, free.explains) == (None, True)
    assert free.lines == (f"masses: {free.missing}",)
    assert masses(ks.analyze("match()", dim=1)).lines == ()
