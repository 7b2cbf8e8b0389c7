"""Tests of `kernels/kernel.py`."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from kernelspec.kernels.kernel import Kernel, Verdict
from kernelspec.kernels.leaves.comparisons import Match
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.nodes.product import Product
from kernelspec.kernels.nodes.sum import Sum
from kernelspec.laws.rules import law_of


def test_children_are_the_kernels_directly_below():
    g, m = Gaussian(scale=2.0, dim=1), Match(dim=1)
    product = Product(factors=(g, m), dim=1)
    assert list(product.children()) == [g, m]
    assert list(Sum(terms=(product,), weights=(2.0,), dim=1).children()) == [product]
    assert list(g.children()) == []


def test_parts_are_all_nodes_from_left_to_right():
    g, h, m = Gaussian(scale=2.0, dim=1), Gaussian(scale=1.0, dim=1), Match(dim=1)
    product = Product(factors=(g, m), dim=1)
    whole = Sum(terms=(product, h), weights=(2.0, 1.0), dim=1)
    assert list(whole.parts()) == [whole, product, g, m, h]


def test_only_positive_stationary_kernels_are_drawn_as_frequencies_of_one_measure():
    g, h = Gaussian(scale=2.0, dim=1), Gaussian(scale=1.0, dim=1)
    assert law_of(g).fourier_kernel() == g
    assert law_of(Sum(terms=(g, h), weights=(1.0, 2.0), dim=1)).fourier_kernel() is not None
    assert law_of(Sum(terms=(g, h), weights=(1.0, -2.0), dim=1)).fourier_kernel() is None
    assert law_of(Product(factors=(g, Match(dim=1)), dim=1)).fourier_kernel() is None


def test_nodes_are_compared_by_value_not_by_place():
    assert Gaussian(scale=2.0, dim=3) == Gaussian(scale=2.0, dim=3)
    assert Gaussian(scale=2.0, dim=3) != Gaussian(scale=2.0, dim=2)


def test_the_contract_cannot_be_instantiated():
    with pytest.raises(TypeError, match="abstract"):
        Kernel(dim=1)


def test_defaults_and_immutability():
    verdict = Verdict("proved", ("because",))
    assert (verdict.symmetric, verdict.stationary) == (True, True)
    with pytest.raises(FrozenInstanceError):
        verdict.symmetric = False
