"""Masses of the parts of cosine and sine waves under a normal law."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import sympy
from scipy.integrate import quad
from scipy.stats import norm

from kernelspec.measures.masses import NEGLIGIBLE, part_mass
from kernelspec.special.wave_parts import WavePart


@pytest.mark.parametrize("a", [0.4, 1.0, 3.7])
@pytest.mark.parametrize("wave", list(WavePart))
def test_against_integrals_from_zero_to_zero(wave: WavePart, a: float) -> None:
    trig = np.sin if wave.odd else np.cos
    zeros = (np.arange(-40, 41) + (0 if wave.odd else 0.5)) * np.pi / a
    edges = [-12.0, *zeros[np.abs(zeros) < 12], 12.0]

    def part(height: float) -> float:
        return abs(height) if wave in (WavePart.ABSOLUTE_COSINE, WavePart.ABSOLUTE_SINE) else max(wave.sign * height, 0)

    total = sum(
        quad(lambda z: part(trig(a * z)) * norm.pdf(z), low, high, epsabs=1e-14)[0] for low, high in pairwise(edges)
    )
    assert float(part_mass(wave, a)) == pytest.approx(total, rel=1e-9, abs=1e-13)


def test_of_a_symbol_it_is_a_series() -> None:
    s = sympy.Symbol("s", positive=True)
    assert part_mass(WavePart.POSITIVE_SINE, 1 / s).has(sympy.Sum)  # type: ignore[union-attr]


def test_what_is_negligible_is_far_below_what_is_printed() -> None:
    assert 0 < NEGLIGIBLE <= 1e-9
