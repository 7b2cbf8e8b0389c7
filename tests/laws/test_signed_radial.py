"""The two parts of formulas whose spectral density changes sign."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.jordan import SignedRadialLaw
from kernelspec.laws.rules import law_of
from kernelspec.laws.sums_and_products import MixtureLaw
from kernelspec.tables.rows import Rows
from tests.laws.test_rules import check_samples
from tests.laws.texts import kernel_of
from tests.thoroughness import sweep

SIGNED = [
    ("radial(r -> exp(-r**2/2)*(1 - r**2))", 2),
    ("radial(r -> max(0, 1 - r/2)**4*(2*r + 1))", 5),
    ("radial(r -> 1/(1 + r**3))", 3),
    ("product(t -> exp(-t**3))", 1),
    ("product(t -> exp(-t**4))", 2),
    ("0.5*radial(r -> exp(-r**3))*gaussian(scale=2) + 0.5*gaussian()", 2),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "dim"), sweep(SIGNED, every=3))
def test_samples_have_the_kernel_and_the_moments(text: str, dim: int) -> None:
    """Of 20,000 samples, for all pairs of four rows; the value of the law is that of the kernel."""
    kernel = kernel_of(text, dim)
    rows = np.random.default_rng(7).normal(size=(4, dim)) * 0.7
    pairs = NumericPairs(Rows(rows), Rows(rows))
    np.testing.assert_allclose(law_of(kernel).value(pairs), kernel.value(pairs), rtol=1e-12, atol=1e-14)
    check_samples(law_of(kernel), 20_000, rows)


@pytest.mark.slow
def test_maps_have_signs_and_say_so() -> None:
    text = SIGNED[0][0]
    fmap = ks.compile(text, dim=2, n_features=64, method="jordan")
    assert fmap.method == "jordan"
    assert set(np.unique(fmap.signs)) == {-1.0, 1.0}
    assert "to 1e-06 in the distribution function" in fmap.explain()
    with pytest.raises(PlanError):
        fmap.transform(np.zeros((2, 2)))
    masses = ks.analyze(text, dim=2).masses
    assert masses.real_negative == pytest.approx(2 * np.exp(-0.5) - 1, abs=masses.error)


@pytest.mark.slow
def test_parts_make_up_the_kernel_and_other_numbers_are_refused() -> None:
    law = law_of(kernel_of(SIGNED[0][0], 2))
    assert isinstance(law, MixtureLaw)
    law.validate()
    for part in law.parts:
        part.validate()
    assert sum(law.weights) == pytest.approx(1, abs=1e-15)
    kernel = kernel_of(SIGNED[0][0], 2)
    for sign, mass in ((2, 1.2), (1, 1.3)):
        with pytest.raises(ValueError, match="part"):
            SignedRadialLaw(kernel, sign, mass).validate()
    with pytest.raises(ValueError, match="no part of sign 1"):
        SignedRadialLaw(kernel_of("radial(r -> tanh(r)/r)", 2), 1, 1.0).validate()
