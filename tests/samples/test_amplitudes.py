"""Tests of `samples/amplitudes.py`."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csr_array
from scipy.stats import kstest

import kernelspec as ks
from kernelspec.activations.activation import load_activation
from kernelspec.errors import DataError
from kernelspec.kernels.leaves.of_rows import Match
from kernelspec.laws.keys import CategoryPhasesLaw
from kernelspec.random.streams import Stream
from kernelspec.samples.amplitudes import CategoryPhases, LinearForms, Neurons
from kernelspec.samples.frequencies import Growth, UnitColumn, cosines, phasors
from kernelspec.samples.samples import Side, mean_products
from kernelspec.tables.rows import Rows
from tests.laws.compositional.test_base_products import values
from tests.laws.texts import law

X = np.array([[0, 1], [0, 1], [1, 1], [2, 0]], dtype=float)


def phases(n: int, positions: tuple[int, ...] = (0, 1)) -> CategoryPhases:
    (batch,) = CategoryPhasesLaw(Match(dim=len(positions))).draw(Stream(5), n, positions)
    (factor,) = batch.amplitudes
    assert isinstance(factor, CategoryPhases)
    return factor


def test_phases_are_uniform_and_those_of_other_categories_independent() -> None:
    z = phases(20_000).values(Rows(X), "left")
    np.testing.assert_allclose(np.abs(z), 1, rtol=1e-12)
    np.testing.assert_array_equal(z[0], z[1])
    for turned in (z[0], z[2], z[3], z[0] * z[2].conj(), z[2] * z[3], z[0] * z[2] * z[3] ** 2):
        assert kstest(np.angle(turned) / (2 * np.pi) % 1, "uniform").pvalue > 1e-7


FORMS = np.random.default_rng(0).standard_normal((6, 5))


def forms(*samples: list[tuple[int, int, float, float]], reads=(0, 2, 4)) -> LinearForms:
    """Each sample a list of factors (first, second, turn, scale)."""
    flat = [factor for sample in samples for factor in sample]
    first, second, turn, scale = (np.array([factor[i] for factor in flat]) for i in range(4))
    starts = np.concatenate([[0], np.cumsum([len(sample) for sample in samples])])
    return LinearForms(
        reads, starts, first.astype(np.intp), second.astype(np.intp), turn.astype(float), scale.astype(float)
    )


REAL = forms([(0, -1, 1, 2.0)], [], [(1, -1, 1, 1.0), (1, -1, 1, 1.0), (2, -1, 1, 3.0)])
TURNING = forms([(0, 1, 1, 2.0)], [(2, -1, 1, 1.0), (1, 0, -1, 1.0)], [(2, 0, -1, 0.5)])
REAL_VALUES = np.stack([2 * FORMS[:, 0], np.ones(6), 3 * FORMS[:, 2] ** 2 * FORMS[:, 4]], axis=1)
TURNING_VALUES = np.stack(
    [
        2 * (FORMS[:, 0] + 1j * FORMS[:, 2]),
        FORMS[:, 4] * (FORMS[:, 2] - 1j * FORMS[:, 0]),
        0.5 * (FORMS[:, 4] - 1j * FORMS[:, 0]),
    ],
    axis=1,
)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_values(kind) -> None:
    rows = Rows(kind(FORMS))
    np.testing.assert_allclose(REAL.values(rows, "left"), REAL_VALUES, rtol=1e-13)
    np.testing.assert_allclose(TURNING.values(rows, "right"), TURNING_VALUES, rtol=1e-13)
    assert (REAL.is_complex, TURNING.is_complex) == (False, True)
    assert REAL.columns == (0, 2, 4)
    assert REAL.structure != TURNING.structure


def test_zero_times_what_overflows_is_zero() -> None:
    rows = Rows(np.array([[1e200, 0.0, 1e200, 0.0, 0.0]]))
    many = forms([(0, -1, 1, 1.0)] * 3 + [(2, -1, 1, 1.0)])
    assert many.values(rows, "left")[0, 0] == 0
    turning = forms([(0, 1, 1, 1.0)] * 3 + [(2, 2, 1, 1.0)])
    assert turning.values(rows, "left")[0, 0] == 0


def test_products_fuse() -> None:
    product = REAL.times(TURNING)
    assert isinstance(product, LinearForms)
    np.testing.assert_allclose(product.values(Rows(FORMS), "left"), REAL_VALUES * TURNING_VALUES, rtol=1e-13)


def test_unit_rows() -> None:
    unit = FORMS[:, [1, 3]] / np.linalg.norm(FORMS[:, [1, 3]], axis=1, keepdims=True)
    reads = (UnitColumn(1, (1, 3)), UnitColumn(3, (1, 3)))
    found = forms([(0, 1, 1, 1.0)], reads=reads).values(Rows(FORMS), "left")
    np.testing.assert_allclose(found[:, 0], unit[:, 0] + 1j * unit[:, 1], rtol=1e-12)


INPUTS = np.random.default_rng(0).standard_normal((300, 4))
RELU = load_activation("relu")()


def test_values_are_the_activation_of_the_linear_forms() -> None:
    weights = np.random.default_rng(1).standard_normal((600, 2))
    found = Neurons(RELU, (1, 3), weights).values(Rows(INPUTS), "left")
    np.testing.assert_allclose(found, np.sqrt(2) * np.maximum(INPUTS[:, [1, 3]] @ weights.T, 0), rtol=1e-12, atol=1e-12)
    sparse = Neurons(RELU, (1, 3), weights).values(Rows(sp.csr_array(INPUTS)), "left")
    np.testing.assert_allclose(sparse, found, rtol=1e-12, atol=1e-12)


RATES = np.array([[0.5, -1.0], [0.0, 0.0], [0.5, -1.0]])
GROWING = np.random.default_rng(0).standard_normal((4, 3))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("sparse", [False, True])
def test_factors(side: Side, sparse: bool) -> None:
    growth = Growth((2, 0), RATES)
    factors, which = growth.factors(Rows(csr_array(GROWING) if sparse else GROWING), side, np.dtype(np.float64))
    sign = 1 if side == "left" else -1
    np.testing.assert_allclose(factors[:, which], np.exp(sign * GROWING[:, [2, 0]] @ RATES.T), rtol=1e-13)
    assert factors.shape == (4, 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_that_are_scaled_beyond_all_numbers_are_refused(dtype: type) -> None:
    growth = Growth((0,), np.array([[1.0], [2.0]]))
    edge = float(np.log(np.finfo(dtype).max)) / 2
    found, _ = growth.factors(Rows(np.array([[edge * 0.99]], dtype=dtype)), "left", np.dtype(dtype))
    assert np.isfinite(found).all()
    with pytest.raises(DataError, match="which is not finite"):
        growth.factors(Rows(np.array([[1.0], [edge * 1.01]], dtype=dtype)), "left", np.dtype(dtype))
    with pytest.raises(DataError, match="which is not finite"):
        growth.factors(Rows(np.array([[-edge * 1.01]], dtype=dtype)), "right", np.dtype(dtype))


def test_they_are_cosine_and_sine() -> None:
    generator = np.random.default_rng(0)
    angles = np.concatenate([generator.standard_normal(2_000) * 10.0 ** generator.uniform(-8, 12, 2_000)])
    angles = np.concatenate([angles, np.pi * np.arange(-8, 9) / 2, np.zeros(1), [1e-300]]).reshape(-1, 3)
    found = phasors(angles)
    np.testing.assert_allclose(found.real, np.cos(angles), rtol=0, atol=1e-15)
    np.testing.assert_allclose(found.imag, np.sin(angles), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(cosines(angles), found.real)
    assert phasors(np.zeros((0, 3))).shape == (0, 3)


WHOLE = np.random.default_rng(0).integers(1, 4, (6, 3)) * np.array([1.0, 1.0, -1.0])
COLUMNS, N = (0, 1, 2), 30

TEXTS = [
    "gaussian()",
    "minmax()",
    "linear()",
    "normalize(linear()) * gaussian()",
    "rbf_cosine(gamma=1) * match()[1]",
    "tilt(gaussian(), 0.1) * match()[0]",
    "shift(laplace(), 0.5)",
    "gaussian() - 0.5*match()[2]*normalize(linear())",
    "dual(relu, gaussian()) * tilt(laplace(), 0.2) * match()[1]",
    "full(relu, input=image(1, 3, 1))",
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_mean_of_all_samples(text: str) -> None:
    batches, y = law(text, 3).draw(Stream(1), N, COLUMNS), WHOLE[::-1].copy()
    total = sum(values(batch, Rows(WHOLE), Rows(y)).sum(axis=0) for batch in batches)
    found = mean_products(batches, Rows(WHOLE), Rows(y), N)
    np.testing.assert_allclose(found, np.diag(total).real / N, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("text", ["gaussian()", "minmax()", "normalize(linear()) * gaussian()"])
def test_the_estimate_of_the_map_with_these_samples(text: str) -> None:
    fmap = ks.compile(text, dim=3, n_features=64, method="paired")
    ((stratum, n),) = fmap.plan.parts
    batches = stratum.law.draw(Stream(fmap.plan.seed).child(0), n, stratum.positions)
    found = stratum.weight * mean_products(batches, Rows(WHOLE), Rows(WHOLE[::-1]), n)
    np.testing.assert_allclose(found, np.diag(fmap.approximate(WHOLE, WHOLE[::-1])), rtol=1e-10, atol=1e-12)


def test_sparse_rows_and_no_samples() -> None:
    batches = law("gaussian()", 3).draw(Stream(1), N, COLUMNS)
    dense = mean_products(batches, Rows(WHOLE), Rows(WHOLE[::-1]), N)
    sparse = mean_products(batches, Rows(csr_array(WHOLE)), Rows(csr_array(WHOLE[::-1])), N)
    np.testing.assert_allclose(sparse, dense, rtol=1e-12)
    assert np.array_equal(mean_products([], Rows(WHOLE), Rows(WHOLE), 4), np.zeros(6))
