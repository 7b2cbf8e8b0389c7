"""Tests of `kernels/leaves/of_rows.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sympy

import kernelspec as ks
from kernelspec.errors import (
    DataError,
    DimensionError,
    NoDensityError,
    NotStationaryError,
    RangeError,
    TypeMismatchError,
)
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.leaves.discrete import Circle
from kernelspec.kernels.leaves.of_rows import Binary, CosineSimilarity, Linear, Sphere
from kernelspec.laws.coordinate import CoordinateLaw
from kernelspec.measures.measure import measure_of
from kernelspec.random.streams import Stream
from kernelspec.tables.rows import Rows
from kernelspec.testing.assertions import assert_unbiased
from kernelspec.testing.laboratory import assert_mean
from kernelspec.testing.samples import assert_samples

X = np.array([[1.0, 2.0, -1.0], [0.3, -0.4, 5.0], [3e-200, 1e-200, 0.0], [-2e200, 1e199, 2e200]])
TAME = np.array([[1.0, 2.0, -1.0], [0.3, -0.4, 5.0], [-2.0, 0.1, 0.2], [1e-3, 2e-3, 0.0]])


def cosines(x: np.ndarray) -> np.ndarray:
    scaled = x / np.abs(x).max(axis=1, keepdims=True)
    unit = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    return unit @ unit.T


def test_is_the_cosine_at_any_size() -> None:
    gram = ks.parse("normalize(linear())").gram(X)
    np.testing.assert_allclose(gram, cosines(X), atol=1e-14)
    assert np.abs(gram).max() <= 1


ROTATED = [
    "rbf_cosine(2)", "rbf_cosine(2)[0, 1] * gaussian(scale=3)[1, 2]", "rbf_cosine(3) * match()[0]",
    "rbf_cosine()[0, 2] * rbf_cosine()[0, 1] + laplace()",
]  # fmt: skip
PRODUCTS = [
    "normalize(linear())", "normalize(linear())[0, 2] * gaussian()", "normalize(linear()[1])", "linear()",
    "linear() ** 2", "linear() * gaussian()", "linear() - 0.5 * linear()[0]", "linear()[0:2] * match()[2]",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("method", ["paired", "phase", "complex", "exact"])
@pytest.mark.parametrize("text", PRODUCTS + ROTATED)
def test_features(text: str, method: Any) -> None:
    if (text in ROTATED, method) != (True, "exact"):
        rows = X_OF_LINEAR if text.startswith("linear") else TAME
        assert_samples(text, rows, methods=[method], n=4000)


ALL = [Binary(dim=1), CosineSimilarity(dim=3), Linear(dim=3), Sphere(dim=3)]


@pytest.mark.parametrize("kernel", ALL, ids=str)
def test_no_measure_but_positive_definite(kernel) -> None:
    assert kernel.verdict().positive_definite == "proved"
    assert kernel.verdict().stationary is False
    assert not kernel.is_stationary
    assert not kernel.takes_differences
    with pytest.raises(NotStationaryError, match="is an inner product, not a function of x − y, so it has"):
        measure_of(kernel)


SIGNS = np.array([[1.0, -1.0], [-1.0, -1.0], [1.0, 1.0]])


def test_value_and_features() -> None:
    exact = SIGNS[:, :1] @ SIGNS[:, :1].T
    assert np.array_equal(ks.parse("binary()[0]").gram(SIGNS), exact)
    fmap = ks.compile("binary()[0]", dim=2, n_features=1)
    assert np.array_equal(fmap.transform(SIGNS), SIGNS[:, :1])
    assert not fmap.predicted_variance(SIGNS).any()


def test_products_of_columns_are_parities() -> None:
    fmap = ks.compile("binary()[0] * binary()[1]", dim=2, n_features=1)
    assert np.array_equal(fmap.transform(SIGNS), SIGNS.prod(axis=1, keepdims=True))


def test_refusals() -> None:
    with pytest.raises(DimensionError, match=r"binary\(\) is a kernel on one column of −1 and 1, not on 2"):
        ks.parse("binary()").gram(SIGNS)
    with pytest.raises(TypeMismatchError, match=r"shift\(\) acts on differences, but binary\(\) is a function"):
        ks.parse("shift(binary()[0], 1)")


ANGLES = np.array([[0.0], [1.0], [4.0], [-2.5], [100.0]])


def test_is_the_inner_product_of_points() -> None:
    points = np.hstack([np.cos(ANGLES), np.sin(ANGLES)])
    np.testing.assert_allclose(ks.parse("circle()").gram(ANGLES), points @ points.T, atol=1e-12)
    np.testing.assert_allclose(ks.parse("cosine(1)").gram(ANGLES), points @ points.T, atol=1e-12)


def test_sums_of_frequencies() -> None:
    counts = np.array([0, 1, 2, 7, 10**12])
    drawn = np.stack([Circle(dim=1).draw_sums(Stream(seed), counts)[:, 0] for seed in range(2000)])
    assert (drawn[:, 0] == 0).all()
    assert (np.abs(drawn) <= counts).all()
    assert ((drawn - counts) % 2 == 0).all()
    # a sum of l signs has mean 0, mean square l and fourth moment 3l² − 2l
    scaled = drawn[:, 1:] / np.sqrt(counts[1:])
    assert_mean(scaled, np.zeros(4))
    assert_mean(scaled**2, np.ones(4))
    assert_mean(scaled**4, 3 - 2 / counts[1:])


def test_facts() -> None:
    facts = ks.analyze("circle()", dim=1)
    assert facts.verdict.positive_definite == "proved"
    assert facts.second_moment == 1
    assert facts.atoms is not None
    assert sorted(zip(facts.atoms.points[:, 0], facts.atoms.weights, strict=True)) == [(-1, 0.5), (1, 0.5)]
    with pytest.raises(NoDensityError):
        _ = facts.spectral_density


def test_more_columns_are_refused() -> None:
    with pytest.raises(DimensionError, match=r"circle\(\) is a kernel on one column of angles, not on 3: select a"):
        ks.parse("gaussian() + circle()").gram(np.zeros((2, 3)))


X_OF_LINEAR = np.array([[1.0, 2.0, -1.0], [0.3, -0.4, 5.0], [0.0, 0.0, 0.0], [-2.0, 0.1, 0.2]])


def test_value() -> None:
    x, some = X_OF_LINEAR, X_OF_LINEAR[:, [0, 2]]
    np.testing.assert_allclose(ks.parse("linear()").gram(x), x @ x.T, rtol=1e-14)
    np.testing.assert_allclose(ks.parse("linear()").gram(sp.csr_array(x), x[:2]), x @ x[:2].T, rtol=1e-14)
    np.testing.assert_allclose(ks.parse("2 * linear()[0, 2]").gram(x), 2 * some @ some.T, rtol=1e-14)


def test_exact_features_are_the_columns() -> None:
    fmap = ks.compile("linear()", dim=3, n_features=10)
    assert fmap.method == "exact"
    np.testing.assert_array_equal(fmap.transform(X_OF_LINEAR), X_OF_LINEAR)
    assert not fmap.predicted_variance(X_OF_LINEAR).any()
    one = ks.compile("4 * linear()[2]", dim=3, n_features=10).transform(X_OF_LINEAR)
    np.testing.assert_array_equal(one, 2 * X_OF_LINEAR[:, 2:])


@pytest.mark.slow
def test_few_features_are_columns_at_random() -> None:
    assert ks.compile("linear()", dim=3, n_features=2).n_columns == 2
    assert_unbiased("linear()", X_OF_LINEAR, n_features=2, n_maps=400)


def test_the_diagonal_depends_on_the_row() -> None:
    facts = ks.analyze("linear() + gaussian()", dim=2)
    x = sympy.symbols("x_1 x_2", real=True)
    assert sympy.simplify(facts.k0 - (x[0] ** 2 + x[1] ** 2 + 1)) == 0
    assert facts.verdict.positive_definite == "proved"
    assert "k(x, x) = x_1**2 + x_2**2" in ks.analyze("linear()", dim=2).report()
    with pytest.raises(NotStationaryError, match="inner product"):
        _ = facts.spectral_measure
    with pytest.raises(TypeError, match="has_constant_diagonal"):
        ks.parse("linear()").kernel(ks.parse("linear()").columns(2, None)).diagonal()


def test_differences_are_proved_or_disproved() -> None:
    assert ks.analyze("linear() - 0.5 * linear()[0]", dim=2).verdict.positive_definite == "proved"
    assert ks.analyze("linear()[0] - linear()[1]", dim=2).verdict.positive_definite == "disproved"


def test_normalised() -> None:
    good = X_OF_LINEAR[[0, 1, 3]]
    unit = good / np.linalg.norm(good, axis=1, keepdims=True)
    np.testing.assert_allclose(ks.parse("normalize(linear())").gram(good), unit @ unit.T, atol=1e-14)
    np.testing.assert_allclose(
        ks.parse("normalize(3 * linear() ** 2 * gaussian())").gram(good),
        (unit @ unit.T) ** 2 * ks.parse("gaussian()").gram(good),
        atol=1e-14,
    )
    with pytest.raises(DataError, match="row 2 is all zeros, so it has no direction"):
        ks.parse("normalize(linear())").gram(X_OF_LINEAR)
    with pytest.raises(RangeError, match="which is -1 for a factor: it must be positive"):
        ks.parse("normalize(linear() * (gaussian() - 2 * laplace()))")
    with pytest.raises(RangeError, match="depends on x only works for linear"):
        ks.parse("normalize(linear() + gaussian())")


def test_changes_of_the_lag_are_refused() -> None:
    for form in ("stretch(linear(), 2)", "shift(linear(), 1)", "tilt(gaussian()*linear(), 1)", "modulate(linear(), 1)"):
        with pytest.raises(TypeMismatchError, match="acts on differences"):
            ks.parse(form)


def formula(x: np.ndarray, y: np.ndarray, gamma: float) -> np.ndarray:
    cosine = (x @ y.T) / np.linalg.norm(x, axis=1)[:, None] / np.linalg.norm(y, axis=1)
    return np.exp(-gamma * (1 - cosine))


@pytest.mark.parametrize("gamma", [0.1, 1, 5])
def test_kernel(gamma: float) -> None:
    spec = ks.parse(f"rbf_cosine(gamma={gamma})")
    np.testing.assert_allclose(spec.gram(TAME), formula(TAME, TAME, gamma), rtol=1e-12)
    np.testing.assert_allclose(spec.gram(sp.csr_array(TAME), TAME * 7), formula(TAME, TAME, gamma), rtol=1e-12)
    gaussian = ks.parse(f"gaussian(scale={gamma**-0.5!r})").gram(TAME / np.linalg.norm(TAME, axis=1)[:, None])
    np.testing.assert_allclose(gaussian, spec.gram(TAME), rtol=1e-12)


def test_sizes_beyond_squares() -> None:
    for scale in (1e300, 1e-300):
        np.testing.assert_allclose(ks.parse("rbf_cosine()").gram(TAME * scale), formula(TAME, TAME, 1), rtol=1e-12)


def test_facts_rbf_cosine() -> None:
    facts = ks.analyze("rbf_cosine(gamma=2)", dim=2)
    assert (facts.verdict.positive_definite, facts.verdict.stationary) == ("proved", False)
    numbers = {
        sympy.Symbol(f"{side}_{i + 1}", real=True): TAME[row, i] for row, side in enumerate("xy") for i in (0, 1)
    }
    k = formula(TAME[:1, :2], TAME[1:2, :2], 2)[0, 0]
    assert float(facts.kernel.subs(numbers)) == pytest.approx(k, rel=1e-12)
    assert float(facts.variance["paired"].subs(numbers)) == pytest.approx((1 - k**2) ** 2 / 2, rel=1e-12)
    with pytest.raises(NotStationaryError, match="function of the angle"):
        _ = facts.spectral_measure
    symbolic = ks.analyze("rbf_cosine(2)").kernel
    assert symbolic.has(sympy.Sum)


def test_refusals_rbf_cosine() -> None:
    with pytest.raises(DataError, match="row 1 is all zeros, so it has no direction"):
        ks.parse("rbf_cosine()").gram(TAME * [[1], [0], [1], [1]])
    with pytest.raises(DataError, match="row 2 is all zeros, so it has"):
        ks.compile("rbf_cosine()", dim=3, n_features=4).transform(TAME * [[1], [1], [0], [1]])
    with pytest.raises(RangeError):
        ks.parse("rbf_cosine(0)").gram(TAME)


def test_dense_and_sparse_rows_have_the_same_features(tmp_path) -> None:
    fmap = ks.compile("rbf_cosine(2)[0, 1] * gaussian()[2]", dim=3, n_features=32)
    dense = fmap.transform(TAME)
    np.testing.assert_allclose(fmap.transform(sp.csr_array(TAME)), dense, rtol=1e-12, atol=1e-14)
    fmap.save(tmp_path / "map.npz")
    assert np.array_equal(ks.load_map(tmp_path / "map.npz").transform(TAME), dense)


RNG = np.random.default_rng(1)


def unit_rows(d: int) -> np.ndarray:
    x = RNG.standard_normal((6, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_moments_are_those_of_all_samples(d: int) -> None:
    # every sample there is, with its probability: √(d/2)(x_j + i b x_{j+1})
    x, y = unit_rows(d), unit_rows(d)
    pairs = NumericPairs(Rows(x), Rows(y))
    if d == 1:
        samples = [x @ y.T]
    else:
        features = [
            tuple(np.sqrt(d / 2) * (z[:, j] + 1j * b * z[:, (j + 1) % d]) for z in (x, y))
            for j in range(d)
            for b in (1, -1)
        ]
        samples = [np.multiply.outer(left, right.conj()) for left, right in features]
    np.testing.assert_allclose(np.mean(samples, axis=0), x @ y.T, atol=1e-12)
    moments = CoordinateLaw(Sphere(dim=d)).moments(pairs)
    np.testing.assert_allclose(moments.a, np.mean(np.abs(samples) ** 2, axis=0), rtol=1e-12)
    np.testing.assert_allclose(moments.b, np.mean(np.real(np.square(samples)), axis=0), rtol=1e-12, atol=1e-12)
    assert np.array_equal(np.broadcast_to(moments.real, (6, 6)), moments.a if d == 1 else np.zeros((6, 6)))


def test_two_columns_are_the_circle() -> None:
    angles = RNG.uniform(0, 7, (5, 1))
    points = np.hstack([np.cos(angles), np.sin(angles)])
    np.testing.assert_allclose(ks.parse("sphere()").gram(points), ks.parse("circle()").gram(angles), atol=1e-12)
    fmap = ks.compile("sphere()", dim=2, n_features=40, method="paired")
    np.testing.assert_allclose(np.diag(fmap.approximate(points)), 1, rtol=1e-12)  # norm-efficient: |z| = 1


@pytest.mark.slow
@pytest.mark.parametrize("method", ["paired", "phase", "complex", "exact"])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_features_sphere(d: int, method: str) -> None:
    if (d, method) != (1, "exact"):
        assert_samples("sphere()", unit_rows(d), methods=[method], n=4000)  # type: ignore[list-item]
