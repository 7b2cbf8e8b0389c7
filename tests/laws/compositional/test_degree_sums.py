"""Sums of many degrees: the law of sums of degrees drawn one by one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp

from kernelspec.activations.activation import Activation
from kernelspec.activations.analytic import Exp, Gaussian
from kernelspec.activations.polynomials import Hermite
from kernelspec.activations.rectifiers import Abs, Relu
from kernelspec.activations.steps import Sign, Step
from kernelspec.errors import PlanError
from kernelspec.laws.compositional import dual as degree_sums
from kernelspec.laws.compositional.dual import draw_degree_sums
from kernelspec.random.streams import Stream
from kernelspec.testing.laboratory import assert_mean


@pytest.mark.parametrize("activation", [Relu(), Step(), Sign(), Exp(c=3.0)], ids=["relu", "step", "sign", "exp"])
def test_sums_are_of_the_law_of_single_draws(activation: Activation, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = np.full(3000, 50)
    one_by_one = draw_degree_sums(activation, Stream(0), counts)
    single = activation.draw_degrees(Stream(9), 3000 * 50).reshape(3000, 50).sum(axis=1)
    assert ks_2samp(one_by_one, single).pvalue > 1e-8
    # a table of 4 degrees, so that most of the mass of a heavy tail lies beyond
    monkeypatch.setattr(degree_sums, "_ONE_BY_ONE", 0)
    monkeypatch.setattr(degree_sums, "_TABLE", 64 if isinstance(activation, Exp) else 4)
    counted = draw_degree_sums(activation, Stream(1), counts)
    assert ks_2samp(counted, single).pvalue > 1e-8


@pytest.mark.parametrize("activation", [Relu(), Abs(), Step(), Sign()], ids=["relu", "abs", "step", "sign"])
@pytest.mark.parametrize("table", [4, 1024])
def test_the_law_of_the_largest_degrees(activation: Activation, table: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(degree_sums, "_TABLE", table)
    tail = degree_sums._tail(activation)
    assert tail is not None
    drawn = degree_sums._drawn(tail, Stream(0).generator("tail"), 200_000)
    coefficients = activation.coefficient(np.arange(40 * table, dtype=float))
    beyond = 1 - coefficients[:table].sum()
    ends = table + np.array([1, 2, 4, 9, 39 * table - 1])
    expected = (np.cumsum(coefficients)[ends] - coefficients[:table].sum()) / beyond
    assert_mean((drawn[:, None] <= ends).astype(float), expected, budget=1e-7)
    assert drawn.min() >= table


def test_many_have_the_mean_and_variance_of_many() -> None:
    m = 10**10
    found = draw_degree_sums(Exp(c=0.5), Stream(0), np.full(2000, m)).astype(float)
    scaled = (found - 0.5 * m) / np.sqrt(0.5 * m)
    assert_mean(np.stack([scaled, scaled**2], axis=1), np.array([0.0, 1.0]), budget=1e-7)
    assert (draw_degree_sums(Hermite(n=3), Stream(0), np.array([m, 7])) == [3 * m, 21]).all()


def test_relu_of_many_grows_like_many() -> None:
    # mean 1; the variance is infinite, of n the largest is about n^(2/3)
    found = draw_degree_sums(Relu(), Stream(0), np.full(50, 10**9)).astype(float)
    assert np.abs(found / 1e9 - 1).max() < 0.01


def test_none_of_none() -> None:
    assert draw_degree_sums(Relu(), Stream(0), np.array([0, 0])).tolist() == [0, 0]
    assert len(draw_degree_sums(Relu(), Stream(0), np.zeros(0, dtype=np.int64))) == 0


def test_too_large_sums_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PlanError, match=r"nodes step to draw, and at most 33,554,432 are drawn: .* heavy tail"):
        draw_degree_sums(Step(), Stream(0), np.array([10**12]))
    assert draw_degree_sums(Step(), Stream(0), np.array([10**5])) > 10**8
    monkeypatch.setattr(degree_sums, "LARGEST_SUM", 10**8)
    with pytest.raises(PlanError, match=r"factors below a node step, and at most 2\^52 are drawn"):
        draw_degree_sums(Step(), Stream(0), np.array([10**5]))


def test_many_draws_of_an_unknown_tail_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    heavy = Gaussian(a=1e6)
    assert draw_degree_sums(heavy, Stream(0), np.array([5000])) > 0
    monkeypatch.setattr(degree_sums, "MOST_DRAWS", 4000)
    with pytest.raises(PlanError, match=r"5,000 nodes gaussian.* to draw, and at most 4,000 are drawn"):
        draw_degree_sums(heavy, Stream(0), np.array([5000]))
