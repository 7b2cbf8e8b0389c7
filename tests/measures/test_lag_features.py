"""Tests of the lags where a transform changes, in `measures/translated.py`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from kernelspec.measures.translated import landmarks
from tests.measures import oracles as o

OMEGA = np.array([[0.0], [0.4], [1.0], [-1.7], [2.9], [3.0], [8.0]])


def smoothed(density: o.Oracle, half_width: float) -> np.ndarray:
    """The mean of a density over a window about every frequency."""
    return np.array([
        quad(density, w - half_width, w + half_width, points=[0.0, -1.0, 1.0], epsabs=1e-13, limit=200)[0]
        / (2 * half_width)
        for w in OMEGA[:, 0]
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("text", "density", "half_width"),
    [
        ("sinc(2)*sinc(1)", lambda w: 0.5 * (abs(w) <= 1), 2.0),
        ("sinc(2)*cauchy()", lambda w: np.exp(-abs(w)) / 2, 2.0),
        ("bochner(uniform(-2, 2))*laplace()", lambda w: 1 / (np.pi * (1 + w**2)), 2.0),
        ("stretch(sinc(2), 4)*gaussian()", lambda w: np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi), 0.5),
        ("stretch(sinc(2), 4)*bochner(student_t(dof=4))", lambda w: 3 / 8 * (1 + w**2 / 4) ** -2.5, 0.5),
    ],
)
def test_products_with_a_box(text: str, density: o.Oracle, half_width: float) -> None:
    found, errors = o.measure_of_text(text, 1).density_and_error(OMEGA)
    assert (np.abs(found - smoothed(density, half_width)) <= errors + 1e-12).all()
    assert errors.max() < 1e-11


def test_a_shifted_box() -> None:
    # ∫ of ¼ e^{iν/2} e^{−|ω − ν|}/2 over (−2, 2)
    found, errors = o.measure_of_text("shift(sinc(2), by=0.5)*cauchy()", 1).density_and_error(OMEGA)

    def expected(w: float) -> complex:
        value = [
            quad(
                lambda v, wave=wave: wave(v / 2) * np.exp(-abs(w - v)) / 8,
                -2,
                2,
                points=[np.clip(w, -2, 2)],
                epsabs=1e-13,
            )[0]
            for wave in (np.cos, np.sin)
        ]
        return complex(*value)

    assert (np.abs(found - [expected(w) for w in OMEGA[:, 0]]) <= errors + 1e-12).all()
    assert errors.max() < 1e-11


@pytest.mark.long
def test_peaks_far_from_zero_are_found() -> None:
    text = "shift(powered_exponential(alpha=0.7), by=1e6)*shift(laplace(), by=1000001)"
    values, errors = o.measure_of_text(text, 1).density_and_error(np.zeros((1, 1)))
    k = lambda t: np.exp(-(abs(t) ** 0.7) - abs(t + 1))  # noqa: E731
    whole = sum(quad(k, low, high, epsabs=1e-13, limit=400)[0] for low, high in ((-60, -1), (-1, 0), (0, 60)))
    assert abs(values[0] - whole / (2 * np.pi)) <= errors[0] + 1e-10
    assert errors[0] < 1e-9


def test_a_measure_without_a_rule_is_no_silent_zero() -> None:
    with pytest.raises(TypeError, match="no rule says"):
        landmarks(object())  # type: ignore[arg-type]
