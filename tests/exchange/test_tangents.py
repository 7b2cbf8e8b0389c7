"""Forward differentiation over trees: sums, products and maps of the rows, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import as_program
from kernelspec.errors import NoCounterpartError
from kernelspec.exchange.derivatives import Place, compile_numbers, plus, tangents
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.tables.rows import Rows

X = np.random.default_rng(0).standard_normal((5, 2))
Y = np.random.default_rng(1).standard_normal((4, 2))
LAG = X[:, None] - Y[None]


def found(text: str, value: float = 1.5):
    kernel = as_program(f"param s > 0\n{text}").symbolic_kernel(Columns(2))
    numbers = compile_numbers(kernel, ("s",))([value])
    return tangents(kernel, Place(NumericPairs(Rows(X), Rows(Y)), (None,), numbers))


def test_what_no_parameter_reaches_has_no_derivative() -> None:
    value, slopes = found("gaussian() + noise()")
    assert slopes == [None]
    np.testing.assert_allclose(value, np.exp(-(LAG**2).sum(axis=-1) / 2))


def test_weights_products_and_powers() -> None:
    k, m = np.exp(-(LAG**2).sum(axis=-1) / 2), np.exp(-np.abs(LAG).sum(axis=-1))
    np.testing.assert_allclose(found("s**2*gaussian()*laplace()")[1][0], 3 * k * m)
    np.testing.assert_allclose(found("(s*gaussian() + laplace())**3")[1][0], 3 * (1.5 * k + m) ** 2 * k)
    np.testing.assert_allclose(found("(s*gaussian())*(laplace() + s*constant())")[1][0], k * m + 2 * 1.5 * k)


def test_maps_of_the_rows() -> None:
    # d/ds exp(−½ δ₀²/s⁴): 2 δ₀² s⁻⁵ k, through two stretches
    k = np.exp(-0.5 * LAG[..., 0] ** 2 / 1.5**4)
    value, (slope,) = found("stretch(stretch(gaussian(), s), s)[0]")
    np.testing.assert_allclose(value, k)
    np.testing.assert_allclose(slope, 2 * LAG[..., 0] ** 2 / 1.5**5 * k)
    # cos(s δ₀ + 2 δ₁), a row of a matrix
    value, (slope,) = found("stretch(cosine(by=1), [[s, 2]])")
    np.testing.assert_allclose(value, np.cos(1.5 * LAG[..., 0] + 2 * LAG[..., 1]))
    np.testing.assert_allclose(slope, -np.sin(1.5 * LAG[..., 0] + 2 * LAG[..., 1]) * LAG[..., 0])


def test_a_constant_below_a_map() -> None:
    assert found("stretch(constant() + laplace(), s)")[1][0] is not None
    np.testing.assert_allclose(found("s*constant()")[1][0], 1)


def test_a_kernel_without_a_rule() -> None:
    with pytest.raises(NoCounterpartError, match=r"a parameter reaches dual.*whose derivatives are not known"):
        found("dual(relu, gaussian(scale=s))")


def test_plus() -> None:
    one = np.ones(2)
    assert plus(None, None) is None
    assert plus(one, None) is one
    assert plus(None, one) is one
    np.testing.assert_array_equal(plus(one, one), [2, 2])
