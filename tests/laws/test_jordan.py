"""The sum of the Jordan parts: which there are, and what is left out."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.gaussian_directions import ShiftGaussian
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.jordan import JordanPart, jordan, rejection
from kernelspec.measures.masses import NEGLIGIBLE
from kernelspec.special.wave_parts import WavePart
from tests.kernels.asymmetric import make, rows


@pytest.mark.parametrize("kind", ["shift", "sinh", "cosh"])
@pytest.mark.parametrize("scheme", [jordan, rejection])
def test_the_parts_sum_up_to_the_kernel(kind: str, scheme) -> None:
    kernel = make(kind, 3)
    law = scheme(kernel)
    pairs = NumericPairs(rows(3), rows(3, seed=8))
    np.testing.assert_allclose(law.value(pairs), kernel.value(pairs), atol=1e-12)
    own = NumericPairs(rows(3), rows(3))
    np.testing.assert_allclose(np.diag(law.value(own)), float(kernel.diagonal()), rtol=1e-12)
    assert isinstance(law.parts[0], FourierLaw) == (kind == "sinh")  # 1 + ig sin θ has a constant real part
    assert all(part.by_rejection == (scheme is rejection) for part in law.parts if isinstance(part, JordanPart))


@pytest.mark.slow
def test_the_size_is_the_jordan_mass() -> None:
    """‖μ_R⁺‖ + ‖μ_R⁻‖ + 2‖μ_I⁺‖ = E |cos| + E |sin| of a normal angle, for a shifted Gaussian."""
    kernel = make("shift", 1, scale=0.7, by=(1.1,))
    law = jordan(kernel)
    assert law is not None
    z = np.linspace(-12, 12, 2_000_001)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    angle = 1.1 / 0.7 * z
    mass = np.trapezoid((np.abs(np.cos(angle)) + np.abs(np.sin(angle))) * density, z)
    assert float(law.magnitude()) == pytest.approx(mass, rel=1e-9)


def test_which_kernels_have_it() -> None:
    for scheme in (jordan, rejection):
        assert scheme(Gaussian(dim=2)) is None
        assert scheme(make("shift", 2, by=(0.0, 0.0))) is None


def test_what_has_no_mass_is_left_out_and_named() -> None:
    kernel = make("shift", 57, scale=2.0, by=(2 / 57,) * 57)  # a = 1/√57
    law = jordan(kernel)
    assert law is not None
    assert [part.wave for part in law.parts if isinstance(part, JordanPart)] == [
        WavePart.POSITIVE_COSINE,
        WavePart.POSITIVE_SINE,
    ]
    (line,) = law.parts[0].lines(tuple(range(57)))
    assert "left out: the negative real part, mass of 2.1" in line
    assert "e-34" in line
    pairs = NumericPairs(rows(57), rows(57, seed=5))
    np.testing.assert_allclose(law.value(pairs), kernel.value(pairs), atol=NEGLIGIBLE)


def test_parts_of_symbols_keep_all_their_masses() -> None:
    s = sympy.Symbol("s", positive=True)
    law = jordan(ShiftGaussian(scale=s, by=(sympy.S.One,), dim=1))
    assert law is not None
    assert len(law.parts) == 3
