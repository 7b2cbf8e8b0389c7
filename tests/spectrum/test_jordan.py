"""Jordan parts and polar forms through the facts."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.errors import NoDensityError, NotStationaryError


@pytest.mark.parametrize(
    "text", ["shift_gaussian(by=0.7)", "sinh_gaussian(by=0.7)", "gaussian() - 2 * laplace()", "laplace()"]
)
def test_parts_put_the_density_together(text: str) -> None:
    facts = ks.analyze(text, dim=2)
    parts, polar = facts.jordan, facts.polar
    symbols = sympy.symbols("omega_1 omega_2", real=True)
    for point in ([0.3, -0.8], [1.9, 1.1]):
        at = dict(zip(symbols, point, strict=True))
        value = complex(facts.spectral_density_at(np.array([point]))[0])
        found = [float(sympy.S(part).subs(at)) for part in vars(parts).values()]
        assert min(found) >= 0
        assert found == pytest.approx(
            [max(v, 0) for v in (value.real, -value.real, value.imag, -value.imag)], rel=1e-10
        )
        turned = complex((polar.modulus * sympy.exp(sympy.I * polar.argument)).subs(at).evalf())
        assert turned == pytest.approx(value, rel=1e-10)


def test_refusals() -> None:
    with pytest.raises(NoDensityError):
        _ = ks.analyze("shift(cosine(1), 1)", dim=1).jordan
    with pytest.raises(NotStationaryError):
        _ = ks.analyze("match()", dim=1).polar
