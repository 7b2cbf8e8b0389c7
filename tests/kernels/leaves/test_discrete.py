"""Tests of kernels of atoms."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy
from scipy.stats import skellam

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import NoDensityError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaves.discrete import Constant, Cosine, Periodic
from kernelspec.laws.law import Moments
from kernelspec.laws.rules import closed_to, law_of
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from tests.kernels.cases import direction
from tests.kernels.standard import at, over_columns, standard_kernel_tests
from tests.laboratory import assert_proportions

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


def formula(lag):
    return mp.cos(mp.fsum(mp.mpf(w) * t for w, t in zip(direction(len(lag)), lag, strict=True)))


test_standard_cosine = standard_kernel_tests({"cosine": formula}, leave_out=["symbolic_parameters"])

W = Cosine(by=(1.5, -0.5), dim=2)


def test_atoms():
    atoms = W.atoms()
    assert {tuple(point) for point in atoms.points} == {(1.5, -0.5), (-1.5, 0.5)}
    assert atoms.weights.tolist() == [0.5, 0.5]
    assert atoms.omitted == 0
    assert W.finite_atoms() == (((1.5, -0.5), sympy.S.Half), ((-1.5, 0.5), sympy.S.Half))


def test_density_is_two_deltas():
    with pytest.raises(NoDensityError, match="two atoms"):
        W.density(NumericPairs.of_vectors(np.zeros((1, 2))))
    frequency = SymbolicPairs.frequency(2)
    first, second = frequency.component(1), frequency.component(2)
    written = Cosine(by=(sympy.S(3), sympy.S(1)), dim=2).density_expression(frequency)
    total = sympy.integrate(written * sympy.cos(first + 2 * second), (first, -sympy.oo, sympy.oo))
    assert sympy.simplify(sympy.integrate(total, (second, -sympy.oo, sympy.oo)) - sympy.cos(5)) == 0


def test_second_moment_with_symbols():
    a, b = sympy.symbols("a b", positive=True)
    assert Cosine(by=(a, b), dim=2).second_moment() == a**2 + b**2
    assert Cosine(by=(a, b), dim=2).second_moment(2) == 4 * a**2 + 4 * b**2
    d = sympy.Symbol("d", integer=True, positive=True)
    assert Cosine(by=(a,), dim=d).second_moment() == d * a**2


def formula_of_periodic(period, scale):
    period, scale = mp.mpf(period), mp.mpf(scale)
    return over_columns(lambda t: mp.exp(-2 * mp.sin(mp.pi * t / period) ** 2 / scale**2))


test_standard_periodic = standard_kernel_tests(
    {f"periodic({p:g}, {s:g})": formula_of_periodic(p, s) for p, s in [(1, 1), (2.5, 0.3), (3, 5)]}
)


def test_is_periodic_far_out():
    kernel = Periodic(period=0.5, scale=0.3, dim=1)
    np.testing.assert_array_equal(at(kernel, [[0.125], [1e12 + 0.125]]), at(kernel, [[0.125], [0.125]]))


def test_draws_follow_the_skellam_law():
    """Seed 12, budget 1e-8."""
    kernel = Periodic(period=2.0, scale=0.8, dim=2)
    orders = np.rint(kernel.draw(Stream(12), 100_000) / np.pi).astype(int)
    np.testing.assert_allclose(orders * np.pi, kernel.draw(Stream(12), 100_000), rtol=1e-14)
    rate, cells = 1 / (2 * 0.8**2), np.arange(-6, 7)
    chance = skellam(rate, rate).pmf(cells)
    for column in orders.T:
        counts = [*(column == cells[:, None]).sum(axis=1), (np.abs(column) > 6).sum()]
        assert_proportions(counts, [*chance, 1 - chance.sum()], budget=1e-8)


@pytest.mark.parametrize(("scale", "dim"), [(1.0, 1), (0.3, 1), (5.0, 1), (1.0, 2), (2.0, 3), (4.0, 7)])
def test_atoms_sum_to_the_kernel(scale, dim):
    kernel = Periodic(period=2.5, scale=scale, dim=dim)
    atoms = kernel.atoms()
    assert (np.diff(atoms.weights) <= 0).all()
    assert len(atoms.points) <= 4096
    assert atoms.weights.sum() + atoms.omitted == pytest.approx(1, rel=1e-12)
    assert atoms.omitted < 0.2
    lags = np.random.default_rng(1).standard_normal((6, dim))
    found = np.cos(lags @ atoms.points.T) @ atoms.weights
    np.testing.assert_allclose(found, at(kernel, lags), atol=atoms.omitted + 1e-13)


def test_the_heaviest_atoms_are_found_without_forming_all():
    kernel = Periodic(period=2 * np.pi, scale=0.5, dim=3)
    n = np.arange(-20, 21)
    weights = skellam(2.0, 2.0).pmf(n)
    every = np.sort(np.einsum("i,j,k->ijk", weights, weights, weights).ravel())[::-1]
    np.testing.assert_allclose(kernel.atoms().weights, every[:4096], rtol=1e-10)
    assert kernel.atoms().omitted == pytest.approx(1 - every[:4096].sum(), abs=1e-12)


def test_atoms_in_a_thousand_dimensions():
    atoms = Periodic(period=1.0, scale=30.0, dim=1000).atoms()
    assert atoms.points.shape == (4096, 1000)
    assert atoms.weights[0] == pytest.approx(float(skellam(1 / 1800, 1 / 1800).pmf(0)) ** 1000, rel=1e-10)


def test_density_is_a_sum_of_deltas():
    kernel = Periodic(period=sympy.S(2), scale=sympy.S(1), dim=1)
    with pytest.raises(NoDensityError, match="atoms"):
        Periodic(period=2.0, scale=1.0, dim=1).density(NumericPairs.of_vectors(np.zeros((1, 1))))
    (total,) = kernel.density_expression(SymbolicPairs.frequency(1)).atoms(sympy.Sum)
    omega, n = SymbolicPairs.frequency(1).component(1), total.variables[0]
    near_zero = sympy.integrate(total.function.subs(n, 1), (omega, 3, 4))  # the atom at π
    assert float(near_zero) == pytest.approx(float(skellam(0.5, 0.5).pmf(1)), rel=1e-12)
    assert total.limits == ((n, -sympy.oo, sympy.oo),)
