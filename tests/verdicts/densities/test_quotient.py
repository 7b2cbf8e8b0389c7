"""Largest quotients of densities, against a fine grid."""

from __future__ import annotations

import itertools
from functools import cache

import mpmath as mp
import numpy as np
import pytest

from kernelspec.verdicts.densities.comparison import largest_quotient
from kernelspec.verdicts.densities.laws import Band, Factor, Fejer
from tests.verdicts.densities.examples import EXAMPLES

FACTORS: dict[str, Factor] = {
    **{name: EXAMPLES[name][0] for name in EXAMPLES},
    "band": Band(mp.mpf(2)),
    "narrow": Band(mp.mpf(1)),
    "fejer": Fejer(mp.mpf(1)),
    "wide": Fejer(mp.mpf(5) / 2),
}


def density(factor: Factor, omega: float) -> float:
    w = mp.mpf(omega)
    return float(factor.density(w) if isinstance(factor, Band | Fejer) else mp.exp(factor.log(w * w)))


@cache
def on_grid(name: str) -> list[float]:
    with mp.workdps(30):
        return [density(FACTORS[name], w) for w in np.concatenate([[0.0], np.geomspace(1e-4, 30, 300)])]


@pytest.mark.long
@pytest.mark.parametrize(("over", "under"), list(itertools.permutations(FACTORS, 2)))
def test_no_quotient_is_larger(over: str, under: str) -> None:
    with mp.workdps(30):
        p, q = FACTORS[over], FACTORS[under]
        found = largest_quotient(p, q)
        if found is None:
            return
        largest = max((a / b for a, b in zip(on_grid(over), on_grid(under), strict=True) if b > 0), default=0.0)
        if found.log == mp.inf:
            at = float(found.at)
            a, b = density(p, at), density(q, at)
            assert b == 0 or a / b > 1e3 or a > 1e6 * b
            return
        assert largest <= float(mp.exp(found.log)) * (1 + 1e-12)
        if not isinstance(p, Fejer):  # of which a bound is compared
            attained = density(p, float(found.at)) / density(q, float(found.at))
            assert attained >= 0.99 * float(mp.exp(found.log))


def test_a_laplace_and_a_gaussian_kernel() -> None:
    with mp.workdps(30):
        found = largest_quotient(FACTORS["gaussian"], FACTORS["laplace"])
        assert found is not None
        assert mp.almosteq(mp.exp(found.log), mp.sqrt(2 * mp.pi) * mp.exp(-mp.mpf(1) / 2), rel_eps=1e-15)
        assert mp.almosteq(found.at, 1, rel_eps=1e-6)
        assert not found.is_exact
