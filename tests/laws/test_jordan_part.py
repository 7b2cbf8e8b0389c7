"""Jordan parts: masses, transforms by integration, what is left out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import sympy
from scipy.integrate import quad

from kernelspec.errors import NotStationaryError
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.laws.jordan_part import NEGLIGIBLE, JordanPart, jordan_sum, part_mass
from kernelspec.measures.measure_of import measure_of
from kernelspec.notation.pairs import NumericPairs
from kernelspec.special.wave_part import WavePart
from tests.kernels.asymmetric import make, rows


@pytest.mark.parametrize("kind", ["shift", "sinh", "cosh"])
def test_parts_are_the_positive_parts_of_the_density(kind: str) -> None:
    kernel = make(kind, 1, scale=0.7, by=(1.1,))
    density = measure_of(kernel).density

    def part(omega: float, wave: WavePart) -> float:
        value = complex(density(np.array([[omega]]))[0])
        component = value.imag if wave.odd else value.real
        return max(wave.sign * component, 0.0)

    jordan = jordan_sum(kernel)
    edges = np.pi / 2 / abs(float(kernel.step[0])) * np.arange(-60, 61)
    edges = edges[np.abs(edges) < 14]
    for weight, term in zip(jordan.weights, jordan.terms, strict=True):
        if not isinstance(term, JordanPart):
            continue
        times = 2 if term.wave.odd else 1

        def total(function: object, wave: WavePart = term.wave) -> float:
            pieces = pairwise(edges)
            return sum(quad(lambda w: part(w, wave) * function(w), lo, hi, epsabs=1e-13)[0] for lo, hi in pieces)  # type: ignore[operator]

        assert abs(weight) == pytest.approx(times * total(lambda w: 1.0), rel=1e-9)
        for lag in (0.4, -2.0):
            pairs = NumericPairs.of_vectors(np.array([[lag]]))
            mean = (lambda w, t=lag: -np.sin(w * t)) if term.wave.odd else (lambda w, t=lag: np.cos(w * t))
            doubled = (lambda w, t=lag: -np.cos(2 * w * t)) if term.wave.odd else (lambda w, t=lag: np.cos(2 * w * t))
            size = abs(weight) / times
            assert float(term.value(pairs)[0]) == pytest.approx(total(mean) / size, abs=1e-9)
            assert float(term.moments(pairs).b[0]) == pytest.approx(total(doubled) / size, abs=1e-9)


def test_what_has_no_mass_is_left_out_and_named() -> None:
    kernel = make("shift", 57, scale=2.0, by=(2 / 57,) * 57)  # a = 1/√57
    jordan = jordan_sum(kernel)
    assert [term.wave for term in jordan.terms if isinstance(term, JordanPart)] == [
        WavePart.POSITIVE_COSINE,
        WavePart.POSITIVE_SINE,
    ]
    (line,) = jordan.terms[0].sampler(tuple(range(57))).lines()
    assert "left out: the negative real part, mass of 2.1" in line
    assert "e-34" in line
    pairs = NumericPairs(rows(57), rows(57, seed=5))
    np.testing.assert_allclose(jordan.value(pairs), kernel.value(pairs), atol=NEGLIGIBLE)


def test_parts_of_symbols_keep_all_their_masses() -> None:
    s = sympy.Symbol("s", positive=True)
    from kernelspec.kernels.leaves.shift_gaussian import ShiftGaussian

    jordan = jordan_sum(ShiftGaussian(scale=s, by=(sympy.S.One,), dim=1))
    assert len(jordan.terms) == 3
    assert part_mass(WavePart.POSITIVE_SINE, 1 / s).has(sympy.Sum)


def test_verdicts_and_diagonals() -> None:
    jordan = jordan_sum(make("shift", 2))
    states = [(t.verdict().positive_definite, t.verdict().symmetric, t.diagonal()) for t in jordan.terms]
    assert states == [("proved", True, 1.0), ("proved", True, 1.0), ("disproved", False, 0)]
    assert isinstance(jordan, Sum)
    assert jordan.diagonal() == pytest.approx(make("shift", 2).diagonal(), rel=1e-12)
    with pytest.raises(NotStationaryError, match=r"facts\.jordan"):
        measure_of(jordan.terms[0])
    assert "imaginary part of shift_gaussian" in str(jordan.terms[2])
