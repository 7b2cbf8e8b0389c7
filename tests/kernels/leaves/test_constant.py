"""The kernel that is one everywhere."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import NoDensityError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaves.discrete import Constant
from kernelspec.laws.law import Moments
from kernelspec.laws.rules import closed_to, law_of
from kernelspec.tables.rows import Rows
from tests.kernels.standard import standard_kernel_tests

# its expression has no d, its frequencies are all alike, and one feature is enough: see below
test_standard = standard_kernel_tests(
    {"constant()": lambda lag: mp.mpf(1)}, leave_out=["expression", "prefix", "second_moment", "features"]
)

ROWS = np.random.default_rng(0).standard_normal((5, 3))


def kernel(text: str, dim: int = 3):
    return ks.parse(text).kernel(Columns(dim))


def test_one_constant_feature_without_variance() -> None:
    features = ks.compile("2*constant()", data=ROWS, n_features=64)
    np.testing.assert_allclose(features.transform(ROWS), np.full((5, 1), np.sqrt(2)))
    assert features.predicted_error(ROWS) == 0
    rows = Rows(ROWS)
    pairs = NumericPairs(rows, rows)
    assert law_of(Constant(dim=3)).moments(pairs) == Moments(1, 1, 1)
    assert closed_to(Constant(dim=3)) == frozenset()
    both = ks.compile("gaussian() + 0.5*constant()", data=ROWS, n_features=65)
    assert both.n_columns == 65
    constant = [column for column in both.transform(ROWS).T if np.ptp(column) == 0]
    np.testing.assert_allclose(constant, np.full((1, 5), np.sqrt(0.5)))


def test_the_measure_is_an_atom_at_zero() -> None:
    facts = ks.analyze("3*constant()", dim=2)
    np.testing.assert_array_equal(facts.atoms.points, [[0, 0]])
    np.testing.assert_array_equal(facts.atoms.weights, [3])
    assert facts.masses.total_variation == 3
    assert facts.kernel == 3
    with pytest.raises(NoDensityError, match="atom"):
        facts.spectral_density_at([[0.0, 0.0]])
    first, second = sympy.symbols("omega_1 omega_2", real=True)
    assert ks.analyze("constant()", dim=2).spectral_measure == sympy.DiracDelta(first) * sympy.DiracDelta(second)
    d = sympy.Symbol("d", integer=True, positive=True)
    assert Constant(dim=d).expression(SymbolicPairs.between(d)) == 1
    assert Constant(dim=d).finite_atoms() is None
    assert Constant(dim=2).second_moment() == 0


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("constant()*gaussian()", "gaussian()"),
        ("2*constant()*gaussian()*constant()", "2*gaussian()"),
        ("constant()*constant()", "constant()"),
        ("constant()**3", "constant()"),
        ("constant()**0.5", "constant()"),
        ("constant()[0, 2]", "constant()"),
        ("stretch(constant(), 2)", "constant()"),
        ("stretch(constant(), [[1, 0, 1]])", "constant()"),
        ("shift(constant(), by=1)", "constant()"),
        ("modulate(constant(), by=2)", "cosine(by=2)"),
        ("constant()[0] + constant()", "2*constant()"),
        ("(gaussian() + constant())**2 - (gaussian() + constant())**2", "constant() - constant()"),
    ],
)
def test_it_changes_nothing_as_a_factor(text: str, same: str) -> None:
    assert kernel(text) == kernel(same)


def test_it_reads_no_column() -> None:
    spec = ks.parse("gaussian()[age] + constant()")
    table = {"age": [1.0, 2.0], "country": ["se", "no"]}
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table)
    np.testing.assert_allclose(spec.gram(frame), 1 + np.exp(-0.5 * np.array([[0, 1], [1, 0]])))
    assert ks.compile("match()[country]*gaussian()[age] + constant()", data=frame).transform(frame).shape[0] == 2
    assert spec.kernel(spec.columns()).dim == 1  # only what is named


def test_below_a_dual() -> None:
    np.testing.assert_allclose(ks.parse("dual(relu, constant())").gram(ROWS), 1)
    exact = ks.parse("dual(exp, 0.5*gaussian() + 0.5*constant())")
    np.testing.assert_allclose(exact.gram(ROWS), np.exp(0.5 * ks.parse("gaussian()").gram(ROWS) - 0.5))
