"""Densities of random composites against quadrature of k itself, each within its stated error bar."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.random_densities import composite, ratios


@pytest.mark.long
def test_differences_are_within_the_error_bars() -> None:
    """Twelve on the line; python -m benchmarks.random_densities has two hundred, half of them in the plane."""
    generator = np.random.default_rng(8)
    for i in range(12):
        text = composite(generator, 1, asymmetric=i % 2 == 1)
        assert (ratios(text, generator.uniform(-3, 3, (3, 1))) <= 1).all(), text
