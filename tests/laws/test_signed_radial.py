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
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.laws.compositional.test_base_products import values
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
    """Means and second moments of 20,000 samples for six pairs of rows; budget 2e-8 a formula."""
    kernel = kernel_of(text, dim)
    law = law_of(kernel)
    rows = np.random.default_rng(7).normal(size=(4, dim)) * 0.7
    first, second = np.triu_indices(4, 1)
    pairs = NumericPairs(Rows(rows), Rows(rows))
    drawn = np.zeros((20_000, 4, 4), dtype=complex)
    for batch in law.draw(Stream(3), 20_000, tuple(range(dim))):
        np.add.at(drawn, batch.index, values(batch, Rows(rows), Rows(rows)))
    p = drawn[:, first, second]
    exact = np.asarray(kernel.value(pairs))[first, second]
    assert_mean(p.real, exact, budget=1e-8, what=f"mean of {text}")
    moments = law.moments(pairs)
    a, b = (np.broadcast_to(np.asarray(part, dtype=float), (4, 4))[first, second] for part in (moments.a, moments.b))
    found = np.hstack([np.abs(p) ** 2, (p**2).real])
    assert_mean(found, np.hstack([a, b]), budget=1e-8, what=f"second moments of {text}")


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
