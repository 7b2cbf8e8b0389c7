"""Products of base kernels, against their factors one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.errors import PlanError
from kernelspec.kernels.leaves.gaussian import Gaussian
from kernelspec.laws.compositional.base_products import check_base, draw_factors, is_drawn_at_once, multiply_factors
from kernelspec.laws.fourier import FourierLaw
from kernelspec.laws.law import Law
from kernelspec.laws.polar import SinhRowsLaw
from kernelspec.random.streams import Stream, mix
from kernelspec.samples.samples import Samples
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.laws.texts import kernel_of, law

POSITIONS = (4, 2, 7)
NODE = np.array([0, 2, 1, 1, 0, 2])
STARTS = np.array([0, 2, 3, 6])
RUNS = [(0, 2), (2, 3), (3, 6)]


def base(text: str) -> Law:
    return law(text, 1)


def products(base: Law, values: np.ndarray) -> Samples:
    return multiply_factors(base, POSITIONS, NODE, values, STARTS)


@pytest.mark.parametrize("text", ["circle()", "gaussian(scale=2)", "laplace()"])
def test_frequencies_add_up(text: str) -> None:
    values = np.array([1.0, -2.0, 3.0, 1.0, 0.5, 2.0])
    found = products(base(text), values)
    assert found.phasors is not None
    assert found.phasors.columns == (2, 4, 7)
    dense = np.zeros((3, 8))
    for sample, (start, stop) in enumerate(RUNS):
        for t in range(start, stop):
            dense[sample, POSITIONS[NODE[t]]] += values[t]
    np.testing.assert_array_equal(found.phasors.frequencies.toarray(), dense[:, [2, 4, 7]])  # type: ignore[union-attr]


def test_signs_are_multiplied() -> None:
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (5, 8))
    counts = np.array([1.0, 2.0, 3.0, 1.0, 1.0, 4.0])
    found = products(base("binary()"), counts)
    (factor,) = found.amplitudes
    values = factor.values(Rows(signs), "left")
    for sample, (start, stop) in enumerate(RUNS):
        expected = np.prod([signs[:, POSITIONS[NODE[t]]] ** counts[t] for t in range(start, stop)], axis=0)
        np.testing.assert_array_equal(values[:, sample], expected)


@pytest.mark.long
def test_categories_are_one_key_or_one_phase() -> None:
    X = np.random.default_rng(0).integers(0, 2, (40, 8)).astype(float)
    agree = np.ones((3, 40, 40), dtype=bool)
    for sample, (start, stop) in enumerate(RUNS):
        for t in range(start, stop):
            column = X[:, POSITIONS[NODE[t]]]
            agree[sample] &= column[:, None] == column[None]
    (key,) = products(base("match()"), np.ones(6)).keys
    keys = key.keys(Rows(X), "left")
    phases = law("match()", 1, "category_phases")
    words = draw_factors(phases, Stream(0), np.array([1, 9, 1, 1, 2, 1]))
    (factor,) = products(phases, words).amplitudes
    values = factor.values(Rows(X), "left")
    for sample in range(3):
        np.testing.assert_array_equal(keys[:, None, sample] == keys[None, :, sample], agree[sample])
        one = values[:, None, sample] * values[None, :, sample].conj()
        np.testing.assert_array_equal(np.abs(one - 1) < 1e-12, agree[sample])


def test_sums_of_frequencies_have_the_law_of_that_many() -> None:
    # a base without a law for sums: each is drawn, and e^{iΔ Σω} has the mean k(Δ)^count
    mixture = base("0.5*gaussian() + 0.5*circle()")
    counts = np.tile([1, 3], 20_000)
    drawn = draw_factors(mixture, Stream(0), counts).reshape(-1, 2)
    k = 0.5 * np.exp(-0.5 * 0.7**2) + 0.5 * np.cos(0.7)
    assert_mean(np.cos(0.7 * drawn), np.array([k, k**3]), budget=1e-7)
    assert not len(draw_factors(mixture, Stream(0), np.zeros(0, dtype=np.int64)))
    with pytest.raises(PlanError, match="base factors, and at most 33,554,432 frequencies"):
        draw_factors(mixture, Stream(0), np.array([2**26]))


def test_words_do_not_depend_on_how_often_a_category_is_asked() -> None:
    phases = law("match()", 1, "category_phases")
    first, second = (draw_factors(phases, Stream(3), np.full(4, count)) for count in (1, 40))
    np.testing.assert_array_equal(first, second)
    assert len(np.unique(mix(first, np.uint64(1)))) == 4


def test_what_is_drawn_at_once() -> None:
    at_once = ["circle()", "gaussian()*laplace()", "binary()", "match()"]
    assert all(is_drawn_at_once(base(text)) for text in at_once)
    assert is_drawn_at_once(law("match()", 1, "category_phases"))
    others = ["minmax()", "match()*gaussian()", "normalize(linear())", "dual(relu, gaussian())"]
    assert not any(is_drawn_at_once(base(text)) for text in others)


def test_bases_that_are_refused() -> None:
    for text in ("circle()", "minmax()", "0.5*gaussian() + 0.5*match()", "normalize(linear())", "tilt(minmax(), 1)"):
        check_base(kernel_of(text, 1), base(text))
    with pytest.raises(PlanError, match=r"over 2\*minmax\(\) - match\(\) cannot be drawn: .* not of a difference"):
        check_base(kernel_of("2*minmax() - match()", 1), base("2*minmax() - match()"))
    with pytest.raises(PlanError, match=r"over linear\(\) cannot be drawn: .* at most 1"):
        check_base(kernel_of("linear()", 1), base("linear()"))
    sums = SinhRowsLaw(FourierLaw(Gaussian(dim=1)), (0.3,))
    with pytest.raises(PlanError, match="its samples are sums of terms"):
        check_base(kernel_of("sinh_gaussian(by=0.3)", 1), sums)
