"""A density at ω + iβ: the transform of k(Δ) e^{β·Δ}, in closed form for pieces."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.measures.translated import ComplexFrequency
from kernelspec.random.streams import Stream
from tests.measures.algebra import referees as r


@pytest.mark.parametrize("text", ["tilt(laplace(), by=0.5)", "tilt(triangle(2), by=0.5)"])
def test_what_all_have_in_common(text: str) -> None:
    measure = r.measure_of_text(text)
    assert isinstance(measure, ComplexFrequency)
    assert measure.is_complex
    assert measure.total_mass() == 1
    assert measure.without_density() is None
    lags = np.array([[0.0], [0.7]])
    assert measure.characteristic_function(lags)[1] == pytest.approx(
        float({"l": r.laplace(), "t": r.triangle(2)}[text[5]](0.7)) * np.exp(0.35)
    )
    with pytest.raises(PlanError):
        measure.sample(Stream(0), 1)


def test_tilts_of_triangles_close() -> None:
    facts = ks.analyze("tilt(triangle(2), by=0.5)", dim=1)
    expected = [r.density(r.tilted(r.triangle(2), 0.5), at, reach=2) for at in (0.3, -4.0)]
    np.testing.assert_allclose(facts.spectral_density_at([[0.3], [-4.0]]), expected, rtol=1e-12)
    assert (facts.spectral_density_error_at([[0.3]]) == 0).all()
    omega = next(iter(facts.spectral_density.free_symbols))
    assert complex(facts.spectral_density.subs(omega, 0.3).evalf(20)) == pytest.approx(expected[0], rel=1e-12)
    two = ks.analyze("tilt(triangle(2), by=0.5)*laplace()", dim=2)
    factors = [r.density(r.product(r.tilted(r.triangle(2), 0.5), r.laplace()), at, reach=2) for at in (0.3, -4.0)]
    np.testing.assert_allclose(two.spectral_density_at([[0.3, -4.0]]), [factors[0] * factors[1]], rtol=1e-11)
