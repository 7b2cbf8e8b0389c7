"""Specs, estimators and callables as subjects of one kind."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.testing.subjects import ByFit, OfSpec, kernel_matrix, subject_of

X = np.array([[0.3, 0.0], [0.4, 0.0], [1.1, 1.0]])


def test_a_spec_is_drawn_again_from_one_plan() -> None:
    subject = subject_of("gaussian()", X, n_features=8)
    assert isinstance(subject, OfSpec)
    expected = ks.compile("gaussian()", None, 8, seed=5, data=X, draws="independent", landmarks="never").approximate(X)
    np.testing.assert_allclose(subject.estimate(X, 5), expected, rtol=1e-12)
    np.testing.assert_allclose(subject.exact(X), ks.parse("gaussian()").gram(X))
    assert subject.is_symmetric
    assert not subject_of("shift(laplace(), by=1)", X).is_symmetric  # type: ignore[union-attr]
    assert subject.variance(X).shape == subject.fourth_moment(X).shape == (3, 3)


@pytest.mark.slow
def test_estimators_are_fitted_with_a_state_of_their_own() -> None:
    given = ks.KernelFeatures("gaussian()", n_features=8)
    subject = subject_of(given, X)
    assert isinstance(subject, ByFit)
    assert not np.allclose(subject.estimate(X, 0), subject.estimate(X, 1))
    np.testing.assert_array_equal(subject.estimate(X, 1), subject.estimate(X, 1))
    assert given.random_state is None


def test_kernels_are_specs_callables_or_matrices() -> None:
    gram = ks.parse("laplace()").gram(X)
    for given in ("laplace()", ks.parse("laplace()"), lambda a, b: ks.parse("laplace()").gram(a, b), gram):
        np.testing.assert_allclose(kernel_matrix(given, X), gram)
    with pytest.raises(PlanError, match="shape"):
        kernel_matrix(np.eye(2), X)
