"""Canonical sums: what is one term, and what is nothing."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.elaboration.operators import is_zero, scaled, weighted_sum, weighted_terms
from kernelspec.elaboration.scope import Columns
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.kernel import Kernel
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.kernels.nodes.sum import Sum

X = np.random.default_rng(3).normal(size=(6, 3))
SPAN = ks.parse("gaussian()").program.body.span
ONE = Columns(1)
G, L = Gaussian(scale=2.0, dim=1), Laplace(scale=1.0, dim=1)


def tree(text: str) -> Kernel:
    return ks.parse(text).kernel(Columns(3, ("a", "b", "c")))


def test_sums_of_sums_are_flat_and_equal_terms_one() -> None:
    inner = weighted_sum([(2.0, G), (1.0, L)], ONE, SPAN)
    outer = weighted_sum([(3.0, inner), (0.5, G)], ONE, SPAN)
    assert isinstance(outer, Sum)
    assert (outer.terms, outer.weights) == ((G, L), (6.5, 3.0))


def test_a_lone_term_of_weight_one_is_itself() -> None:
    assert weighted_sum([(1.0, G)], ONE, SPAN) is G
    assert scaled(weighted_sum([(3.0, G)], ONE, SPAN)) == (3.0, G)
    assert scaled(G) == (1, G)


def test_what_cancels_leaves_nothing() -> None:
    assert is_zero(weighted_sum([(0.1, G), (0.2, G), (-0.3, G)], ONE, SPAN))
    assert not is_zero(weighted_sum([(0.1, G), (-0.3, G)], ONE, SPAN))
    assert not is_zero(G)


@pytest.mark.parametrize(
    "text",
    [
        "gaussian() - gaussian()",
        "0*laplace()",
        "0.1*gaussian() + 0.2*gaussian() - 0.3*gaussian()",
        "mean(laplace(), laplace(), laplace()) - laplace()",
        "gaussian()*laplace() - laplace()*gaussian()",
        "(gaussian() - gaussian())*matern(nu=1)",
        "(gaussian() - gaussian())**3",
        "(gaussian() - gaussian())[a]",
        "stretch(laplace() - laplace(), 2)",
        "modulate(laplace() - laplace(), 2)",
        "2*laplace()[a] - (2*laplace())[0]",
        "laplace()[a, b, c] - laplace()",
    ],
)
def test_the_zero_kernel(text: str) -> None:
    kernel = tree(text)
    assert isinstance(kernel, Sum)
    assert kernel.terms == ()
    np.testing.assert_array_equal(ks.parse(text).gram(X, columns=["a", "b", "c"]), np.zeros((6, 6)))
    assert ks.analyze(text, columns=["a", "b", "c"]).verdict.positive_definite == "proved"


def test_any_kernel_is_weights_times_kernels() -> None:
    assert weighted_terms(G) == [(1, G)]
    assert weighted_terms(weighted_sum([(2.0, G), (-3.0, L)], ONE, SPAN)) == [(2.0, G), (-3.0, L)]
    assert weighted_terms(weighted_sum([], ONE, SPAN)) == []


@pytest.mark.parametrize("text", ["radial(r -> 0.5*exp(-r))", "product(t -> 0.5*exp(-t))", "0.5*gaussian()"])
def test_values_are_floats_where_weights_are_fractions(text: str) -> None:
    spec = ks.parse(text)
    assert np.asarray(spec.kernel(spec.columns(2)).value(NumericPairs.of_vectors(np.ones((3, 2))))).dtype == float
