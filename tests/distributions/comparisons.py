"""What the tests of single laws compare: a law with another law, and its values with a formula in many digits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
import pytest
import sympy

from kernelspec.random.streams import Stream

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kernelspec.distributions.distribution import Positive

__all__ = [
    "FREQUENCIES",
    "LAGS",
    "assert_evaluated_by_sympy",
    "assert_finite_draws",
    "assert_same_law",
    "assert_values",
    "rounded_phases",
]

LAGS = np.concatenate([[0.0, 1e-300, 1e-9], np.geomspace(1e-3, 100, 60)])
FREQUENCIES = np.array([0.0, 1e-8, 0.01, 0.7, 3.0, 40.0, 1e6])


def assert_same_law(first: Positive, second: Positive) -> None:
    """Two laws, parametrised differently, are one: kernel, transform, density, support and both means."""
    np.testing.assert_allclose(first.polya_kernel(LAGS), second.polya_kernel(LAGS), rtol=1e-12)
    np.testing.assert_allclose(first.polya_transform(FREQUENCIES), second.polya_transform(FREQUENCIES), rtol=1e-12)
    np.testing.assert_allclose(first.density(LAGS[1:]), second.density(LAGS[1:]), rtol=1e-12)
    assert tuple(map(float, first.support())) == tuple(map(float, second.support()))
    assert float(first.mean()) == pytest.approx(float(second.mean()), rel=1e-14)
    assert float(first.inverse_mean()) == pytest.approx(float(second.inverse_mean()), rel=1e-14)


def assert_values(
    found: Callable[[np.ndarray], np.ndarray],
    exact: Callable[[Any], Any],
    places: Sequence[float],
    *,
    digits: int = 60,
    rel: float | Sequence[float] = 1e-12,
    least: float = 0.0,
) -> None:
    """A function of arrays, at every place alone and at all together, against a formula in mpmath.

    `exact` takes one number of mpmath and is evaluated in so many decimal digits; `rel` is the relative tolerance, one
    for all places or one each; `least` is the size below which nothing is expected of the relative error.
    """
    with mpmath.workdps(digits):
        expected = [float(exact(mpmath.mpf(place))) for place in places]
    together = found(np.array(places))
    tolerances = np.broadcast_to(rel, len(places))
    for place, value, among, tolerance in zip(places, expected, together, tolerances, strict=True):
        near = pytest.approx(value, rel=float(tolerance), abs=least)
        assert float(found(np.array([place]))[0]) == near, f"at {place}"
        assert float(among) == near, f"at {place}, among others"


def rounded_phases(frequencies: Sequence[float], rel: float = 1e-12) -> list[float]:
    """Relative tolerances of a transform that is summed as waves cos rω, where every phase rω has been rounded."""
    return [rel + 4e-16 * frequency for frequency in frequencies]


def assert_finite_draws(law: Positive) -> None:
    """However heavy the tails are, pitches are finite and greater than zero."""
    drawn = law.draw(Stream(1), (1000,))
    assert np.isfinite(drawn).all()
    assert (drawn > 0).all()


def assert_evaluated_by_sympy(law: Positive) -> None:
    """SymPy itself evaluates the integral that the transform is written as, at a negative frequency too."""
    w = sympy.Symbol("w", real=True)
    written = law.polya_transform_expression(w).subs(w, sympy.Float(-0.9, 30))
    assert float(written.evalf(15)) == pytest.approx(float(law.polya_transform(np.array([0.9]))[0]), rel=1e-12)
