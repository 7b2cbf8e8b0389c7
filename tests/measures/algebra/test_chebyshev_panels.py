"""Panels of Chebyshev polynomials through values of functions whose poles are known."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.measures.algebra.line_density import panel_number, panel_through


def rational(omega):
    return 1 / (1 + 1j * omega) ** 3


@pytest.mark.parametrize("number", [1, -1, 2, -3, 8])
def test_errors_are_true_and_small(number: int) -> None:
    panel = panel_through(number, 1.0, rational)
    at = np.linspace(panel.low, panel.high, 41)
    found, error = panel.at(at)
    exact = rational(at)
    assert (np.abs(found - exact) <= error).all()
    assert (error <= 5e-12 * np.abs(exact)).all()


def test_a_kink_is_seen() -> None:
    panel = panel_through(2, 1.0, lambda omega: abs(omega - 1.3))
    assert panel.at(np.array([1.5]))[1][0] > 1e-3


def test_every_frequency_lies_in_its_panel() -> None:
    at = np.array([-5.0, -1.0, -0.2, 0.0, 1e-300, 0.99, 1.0, 1.99, 2.0, 1e6]) * 0.3
    for number, omega in zip(panel_number(at, 0.3), at, strict=True):
        panel = panel_through(int(number), 0.3, rational)
        assert panel.low <= omega <= panel.high
