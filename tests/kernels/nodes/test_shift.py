"""Translated lags of any kernel."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.laplace import Laplace
from kernelspec.kernels.nodes.columns_and_lags import Shift
from kernelspec.laws.keys import BinningLaw
from kernelspec.laws.rules import law_of, schemes_of
from kernelspec.laws.translation import TranslationLaw
from tests.kernels.asymmetric import rows


def shifted(text: str, dim: int, by: tuple[float, ...]) -> Shift:
    spec = ks.parse(text)
    return Shift(base=spec.kernel(spec.columns(dim)), by=by, dim=dim)


@pytest.mark.parametrize("text", ["laplace(2)", "(gaussian() - 0.5 * laplace())[1]", "gaussian()[0] * cauchy()"])
def test_is_the_kernel_of_moved_rows(text: str) -> None:
    node, by = shifted(text, 2, (0.5, -1.0)), np.array([0.5, -1.0])
    x, y = rows(2).dense(), rows(2, seed=9).dense()
    moved = ks.parse(text).gram(x + by, y)
    pairs = NumericPairs(rows(2), rows(2, seed=9))
    np.testing.assert_allclose(node.value(pairs), moved, rtol=1e-13)
    turned = NumericPairs(rows(2, seed=9), rows(2))
    np.testing.assert_allclose(np.asarray(node.transposed().value(turned)).T, moved, rtol=1e-12)
    assert node.diagonal() == pytest.approx(float(ks.parse(text).gram(by[None], np.zeros((1, 2)))[0, 0]), rel=1e-13)
    base = law_of(node.base).moments(pairs.translated((0.5, -1.0)))
    np.testing.assert_allclose(law_of(node).moments(pairs).b, base.b)


@pytest.mark.parametrize(
    ("text", "by", "state", "symmetric"),
    [
        ("laplace()", sympy.Rational(1, 2), "disproved", False),
        ("periodic(2)", sympy.Integer(4), "proved", True),
        ("cosine(1)", sympy.pi, "disproved", True),
        ("cosine(1)", 2 * sympy.pi, "proved", True),
        ("cosine(1)", sympy.Integer(1), "disproved", False),
        ("2*gaussian() - laplace()", sympy.Integer(1), "unknown", None),
    ],
)
def test_verdict(text: str, by: sympy.Expr, state: str, symmetric: bool | None) -> None:
    spec = ks.parse(text)
    exact = Shift(base=spec.symbolic_kernel(spec.columns(1)), by=(by,), dim=1).verdict()
    assert (exact.positive_definite, exact.symmetric) == (state, symmetric)
    # a float stands for all numbers that are rounded to it: what it leaves open is never decided otherwise
    rounded = shifted(text, 1, (float(by),)).verdict()
    assert rounded.positive_definite in (state, "unknown")
    assert rounded.symmetric in (symmetric, None)


def test_symbols() -> None:
    d = sympy.Symbol("d", integer=True, positive=True)
    r = sympy.Symbol("r", positive=True)
    size = Shift(base=Laplace(scale=sympy.S.One, dim=d), by=(r,), dim=d).diagonal()
    assert sympy.simplify(size.subs(d, 3).doit() - sympy.exp(-3 * r)) == 0
    assert Shift(base=Laplace(scale=sympy.S.One, dim=2), by=(r, 2 * r), dim=2).diagonal() == sympy.exp(-3 * r)


def test_schemes_of_the_base_go_through() -> None:
    node = shifted("laplace()", 1, (0.5,))
    assert set(schemes_of(node)) == {"polar", "binning"}
    binned = law_of(node, "binning")
    assert isinstance(binned, TranslationLaw)
    assert isinstance(binned.base, BinningLaw)
    pairs = NumericPairs(rows(1), rows(1))
    np.testing.assert_allclose(binned.value(pairs), node.value(pairs), rtol=1e-13)
