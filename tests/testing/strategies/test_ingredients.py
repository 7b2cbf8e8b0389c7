"""Ingredients are the whole language, and do what they say of themselves."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.activations.activation import ACTIVATIONS
from kernelspec.distributions.distribution import DISTRIBUTIONS
from kernelspec.kernels.leaf import KERNELS
from kernelspec.testing.strategies.ingredients import ACTIVATED, DISTRIBUTED, FAMILIES, PLACES, SYMMETRIC
from tests.testing.strategies.examples import drawn

OF_FORMULAS = {"normalised linear", "product"}


def test_they_are_the_whole_language() -> None:
    assert set(FAMILIES) == set(KERNELS) | OF_FORMULAS
    assert set(ACTIVATED) == set(ACTIVATIONS)
    assert set(DISTRIBUTED) | set(SYMMETRIC) == set(DISTRIBUTIONS)


@pytest.mark.parametrize("name", FAMILIES)
def test_families_are_what_they_say(name: str) -> None:
    own = FAMILIES[name]
    for text in drawn(own.write, 5):
        spec = ks.parse(f"({text})[{PLACES[own.holds]}]")
        kernel = spec.kernel(spec.columns(10))
        assert (kernel.verdict().positive_definite == "proved") == own.positive, text
        if own.of_lags:
            stretched = ks.parse(f"(stretch({text}, 2))[{PLACES[own.holds]}]")
            stretched.kernel(stretched.columns(10))
        if own.of_size_one:
            assert kernel.magnitude() == kernel.diagonal() == 1


@pytest.mark.parametrize("name", ACTIVATED)
def test_activations(name: str) -> None:
    for text in drawn(ACTIVATED[name], 3):
        gram = ks.parse(f"dual({text}, gaussian())").gram(np.eye(2))
        np.testing.assert_allclose(np.diagonal(gram), 1, rtol=1e-9)
