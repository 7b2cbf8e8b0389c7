"""Tests of `kernels/leaves/of_rows.py`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy
from scipy.sparse import csr_array
from sklearn.gaussian_process.kernels import WhiteKernel

import kernelspec as ks
from kernelspec.errors import DataError, NotStationaryError, TypeMismatchError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.symbolic_pairs import SymbolicPairs
from kernelspec.kernels.leaves.of_rows import MinMax, Noise
from kernelspec.tables.rows import Rows
from kernelspec.testing.samples import assert_samples

RNG = np.random.default_rng(6)
X = RNG.standard_normal((9, 7)) * (RNG.random((9, 7)) < 0.6)
X[2] = 0
Y = np.concatenate([X[:3], 1e6 * X[3:5], 1e-6 * X[5:7], RNG.standard_cauchy((2, 7))])


def exactly(u, v):
    """The definition in rational numbers."""
    a = [max(sign * Fraction(float(w)), Fraction(0)) for w in u for sign in (1, -1)]
    b = [max(sign * Fraction(float(w)), Fraction(0)) for w in v for sign in (1, -1)]
    total = sum(map(max, a, b))
    return float(sum(map(min, a, b)) / total) if total else 1.0


def test_is_the_definition_for_every_storage():
    expected = np.array([[exactly(u, v) for v in Y] for u in X])
    kernel = MinMax(dim=7)
    for x in (X, csr_array(X)):
        for y in (Y, csr_array(Y)):
            found = kernel.numbers(NumericPairs(Rows(x), Rows(y)))
            np.testing.assert_allclose(found, expected, rtol=1e-14)
            aligned = kernel.numbers(NumericPairs(Rows(x), Rows(y), grid=False))
            np.testing.assert_allclose(aligned, np.diagonal(expected), rtol=1e-14)


def test_rows_of_zeros_are_equal_to_each_other_alone():
    x = Rows(np.array([[0.0, -0.0], [1.0, 0.0], [0.0, -5e-324]]))
    assert MinMax(dim=2).numbers(NumericPairs(x, x)).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_is_proved_positive_definite_minmax():
    assert MinMax(dim=1).verdict().positive_definite == "proved"
    rows = RNG.standard_cauchy((40, 5))
    assert np.linalg.eigvalsh(ks.parse("minmax()").gram(rows)).min() > -1e-12


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_expression_has_the_same_values(dim):
    pairs = SymbolicPairs.between(dim)
    written = MinMax(dim=dim).expression(pairs)
    for u, v in ((X[0, :dim] + 1, X[1, :dim] - 0.5), (X[3, :dim], X[3, :dim]), (np.zeros(dim), np.zeros(dim))):
        numbers = {}
        for i in range(dim):
            left, right = pairs.operands(i + 1)
            numbers |= {left: sympy.Float(float(u[i]), 30), right: sympy.Float(float(v[i]), 30)}
        assert float(written.subs(numbers)) == pytest.approx(exactly(u, v), rel=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["gcws", "poisson"])
def test_features_are_unbiased(method):
    assert_samples("minmax()", X[:6], methods=[method], n=4000)


ROWS = np.array([[1.0, 2], [1, 3], [1, 2], [0.5, 0]])
SAME = np.array([[1.0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]])


def test_one_where_all_selected_columns_agree() -> None:
    np.testing.assert_array_equal(ks.parse("noise()").gram(ROWS), SAME)
    np.testing.assert_array_equal(ks.parse("noise()").gram(ROWS, ROWS[:2]), SAME[:, :2])
    np.testing.assert_array_equal(ks.parse("noise()[0]").gram(ROWS)[0], [1, 1, 1, 0])
    np.testing.assert_array_equal(ks.parse("noise()").gram(ROWS), ks.parse("match()").gram(ROWS))
    assert ks.parse("noise()")([0.0], [-0.0]) == 1


def test_how_it_differs_from_white_kernel() -> None:
    white, noise = WhiteKernel(noise_level=1.0), ks.parse("noise()")
    unique = ROWS[[0, 1, 3]]
    np.testing.assert_array_equal(white(unique), noise.gram(unique))  # the same for a table of different rows,
    np.testing.assert_array_equal(white(ROWS), np.eye(4))  # not where rows are equal,
    assert noise.gram(ROWS)[0, 2] == 1
    np.testing.assert_array_equal(white(ROWS, ROWS), np.zeros((4, 4)))  # and not between two tables
    np.testing.assert_array_equal(noise.gram(ROWS, ROWS), SAME)


def test_numbers_only() -> None:
    with pytest.raises(DataError, match="the kernel needs numbers there"):
        ks.parse("noise()").gram([["a", 1.0], ["b", 2.0]])
    with pytest.raises(DataError, match=r"nan|NaN"):
        ks.parse("noise()").gram([[np.nan]])
    for form in ("stretch(noise(), 2)", "shift(noise(), by=1)", "tilt(noise(), by=1)"):
        with pytest.raises(TypeMismatchError, match=r"acts on differences, but noise\(\) compares rows"):
            ks.parse(form)


def test_facts() -> None:
    facts = ks.analyze("gaussian()*noise()[0] + noise()[0]", dim=2)
    assert facts.verdict.positive_definite == "proved"
    assert facts.verdict.stationary is True  # a function of x − y, though without a measure
    assert facts.noise is None
    assert not Noise(dim=1).is_stationary
    with pytest.raises(NotStationaryError, match=r"noise\(\) jumps at zero"):
        _ = facts.spectral_measure
    assert facts.k0 == 2
    assert "KroneckerDelta(x_1, y_1)" in str(facts.kernel)


NOISY = [
    ("gaussian() + 0.1*noise()", 0.1),
    ("param v > 0\nlet nugget = v*noise()\n2*(gaussian() + nugget)", 0.6),
    ("mean(gaussian(), noise())", 0.5),
    ("gaussian()[0] + noise()/4 + noise()/4", 0.5),
    ("gaussian()[log(3 + x)] + 0.2*noise()", 0.2),
    ("gaussian() + noise()[0, 1]", 0.0),
    ("(gaussian() + noise())[x, y]", 0.0),
    ("gaussian() + noise()*noise()", 0.0),
    ("gaussian() - 0.1*noise()", 0.0),
    ("2*noise()", 0.0),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "variance"), NOISY, ids=[text for text, _ in NOISY])
def test_observation_noise_is_kept_beside_the_features(tmp_path, text: str, variance: float) -> None:
    spec = ks.parse(text, {"v": 0.3} if "param" in text else None)
    rows, names = ROWS[:, :2], ["x", "y"]
    square = spec.gram(rows, columns=names)
    between = spec.gram(rows, rows, columns=names)
    np.testing.assert_allclose(square, between + variance * np.eye(4), rtol=1e-15)  # by position, as WhiteKernel
    features = ks.compile(spec, columns=names, data=rows, n_features=64)
    assert features.noise == pytest.approx(variance)
    assert ("observation noise of variance" in features.explain()) == (variance > 0)
    assert ("noise" in features.explain()) or not variance
    features.save(tmp_path / "map.npz")
    again = ks.load_map(tmp_path / "map.npz", redraw=True)
    assert again.noise == features.noise
    facts = ks.analyze(spec, columns=names)
    assert (facts.noise or 0) == pytest.approx(variance)
    assert facts.to_dict()["noise"] == (str(facts.noise) if variance else None)
    assert ("observation noise" in facts.report()) == (variance > 0)


def test_a_map_of_another_noise_than_its_spec_is_not_drawn_again(tmp_path) -> None:
    features = ks.compile("gaussian() + 0.5*noise()", dim=2, n_features=8)
    forged = replace(features, plan=replace(features.plan, noise=0.25))
    forged.save(tmp_path / "map.npz")
    with pytest.raises(ks.FileError, match="noise differs"):
        ks.load_map(tmp_path / "map.npz", redraw=True)


def test_the_variance_in_symbols() -> None:
    facts = ks.analyze("param v > 0\ngaussian() + v*noise()")
    assert str(facts.noise) == "v"
    assert facts.spectral_density is not None
