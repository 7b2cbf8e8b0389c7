"""The columns of anchors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.planning.anchors.kernels import DEFINITE, OTHERS, anchors_of, rows, values

ANCHORS, X, Y = rows(12), rows(5, 1), rows(4, 2)


@pytest.mark.parametrize("ridge", [0.0, 1e-6, 0.1, 1.0])
@pytest.mark.parametrize("text", [*DEFINITE, *OTHERS])
def test_the_columns_are_the_formula(text: str, ridge: float) -> None:
    """h_l diag(s) h_r' = a k(L, y) + k(x, R) b - a k(L, R) b for the P that the weights are made of."""
    anchors = anchors_of(text, ANCHORS, ridge)
    left, right, k = values(text, X, ANCHORS), values(text, ANCHORS, Y), values(text, ANCHORS, ANCHORS)
    a, b = anchors.weights(left, "left"), anchors.weights(right.T, "right").T
    expected = a @ right + left @ b - a @ k @ b
    found = (anchors.columns(left, "left") * anchors.signs) @ anchors.columns(right.T, "right").T
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("text", ["gaussian(scale=2)", "laplace(scale=3)", "gaussian() - 0.4*laplace()"])
def test_without_a_ridge_the_anchors_themselves_are_explained(text: str) -> None:
    anchors, k = anchors_of(text, ANCHORS), values(text, ANCHORS, ANCHORS)
    own = anchors.columns(k, "left")
    np.testing.assert_allclose((own * anchors.signs) @ own.T, k, atol=1e-8)
    assert (anchors.signs < 0).any() == ("-" in text)


def test_the_inverse_with_a_ridge_is_that_of_the_paper() -> None:
    """P = (K + εI)⁻¹ for a symmetric kernel."""
    anchors, k = anchors_of("gaussian(scale=2)", ANCHORS, 0.3), values("gaussian(scale=2)", ANCHORS, ANCHORS)
    np.testing.assert_allclose(anchors.weights(np.eye(12), "left"), np.linalg.inv(k + 0.3 * np.eye(12)), atol=1e-9)


def test_rows_that_say_nothing_new_have_no_columns() -> None:
    twice = ANCHORS.followed_by(ANCHORS)
    assert anchors_of("laplace(scale=3)", twice).n_columns == 12
    assert anchors_of("linear()", twice).n_columns == 3


def test_what_does_not_fit_together() -> None:
    anchors = anchors_of("gaussian()", ANCHORS)
    for change in ({"left_root": anchors.left_root[1:]}, {"signs": 0.5 * anchors.signs}):
        with pytest.raises(ValueError, match=r"anchors are other rows|sign must be"):
            replace(anchors, **change).validate()
