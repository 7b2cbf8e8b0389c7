"""Complexity, norms and the bounds of the paper on compositional kernels."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.analysis.compositional import (
    complexity,
    composition_of,
    learning_bound,
    norm_bound,
    pointwise_error,
    pointwise_samples,
)
from kernelspec.errors import PlanError
from kernelspec.kernels.kernel import Kernel


def kernel_of(text: str, dim: int = 4) -> Kernel:
    spec = ks.parse(text)
    return spec.kernel(spec.columns(dim, None))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gaussian()", 1),
        ("dual(relu, gaussian())", 1),  # σ̂′(1) = 1
        ("dual(exp(c=0.25), gaussian())", 0.25),
        ("dual(hermite(3), gaussian() * match()[0])", 6),
        ("dual(relu, dual(exp(c=2), dual(hermite(2), gaussian())))", 4),
        ("layer(hermite(2), dual(exp(c=3), circle()[0]), circle()[1])", 2 * (3 + 1) / 2),
        ("dual(step, gaussian())", math.inf),
        ("dual(exp(c=2), 0.5 * gaussian())", 1),  # degrees are Poisson(c m)
        ("(gaussian() + match()[0]) ** 3 * match()[1]", 4),
    ],
)
def test_complexity(text: str, expected: float) -> None:
    assert complexity(kernel_of(text)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gaussian()", 1),
        ("circle()[0] * match()[1]", 1),
        ("sphere()", math.sqrt(2)),
        ("sphere()[0]", 1),
        ("sphere() ** 3", 2**1.5),
        ("linear()", math.inf),
        ("4 * gaussian()", 2),
        ("gaussian() - 0.5 * match()[0]", math.sqrt(1.5)),
        ("dual(relu, mean(gaussian(), circle()[0]))", 1),
        ("dual(relu, sphere())", math.inf),
        ("dual(hermite(3), sphere(), max_degree=3)", 2**1.5),
        ("dual(exp(c=1), 2 * gaussian())", math.sqrt(math.e)),
    ],
)
def test_norm(text: str, expected: float) -> None:
    assert norm_bound(kernel_of(text)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("text", ["sphere() ** 2", "dual(relu, mean(gaussian(), circle()[0]))", DIFFERENCE])
def test_features_keep_the_bound_and_reach_it(text: str) -> None:
    x = np.random.default_rng(0).standard_normal((50, 4))
    unit = np.concatenate([np.eye(4), x / np.linalg.norm(x, axis=1, keepdims=True)])
    kernel, rows = kernel_of(text), Rows(unit)
    batches = kernel.sampler((0, 1, 2, 3)).draw(Stream(0), 2000)
    assert sorted(int(i) for batch in batches for i in batch.index) == list(range(2000))
    largest = []
    for batch in batches:  # |e^{iω·x}| = 1, and of keys that agree it is 1
        assert batch.growth is None
        values = [np.abs(factor.values(rows, "left")) for factor in batch.amplitudes]
        largest.append(np.max(np.sqrt(batch.weight) * math.prod(values, start=np.ones((len(unit), 1)))))
    assert max(largest) == pytest.approx(norm_bound(kernel), rel=1e-9)
    assert any(batch.keys for batch in batches) == (text == DIFFERENCE)


def test_columns_of_maps_keep_the_bound() -> None:
    x = np.random.default_rng(0).standard_normal((50, 4))
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    for text in ("sphere() ** 2", "dual(relu, mean(gaussian(), circle()[0]))", f"({DIFFERENCE}) * circle()[0]"):
        fmap = ks.compile(text, dim=4, n_features=2000, method="complex")
        size = math.sqrt(sum(n for _, n in fmap.plan.parts))
        found = csr_array(fmap.transform(unit)) * size
        assert np.abs(found.toarray()).max() <= norm_bound(kernel_of(text)) * (1 + 1e-9), text


def test_the_bound_holds_and_inverts() -> None:
    n = pointwise_samples(1.0, 0.1, 0.01)
    assert n == math.ceil(2 * math.log(200) / 0.01)
    assert pointwise_samples(1.0, 0.1, 0.01, phase=True) == math.ceil(8 * math.log(200) / 0.01)
    assert pointwise_samples(math.sqrt(2), 0.1, 0.01) == math.ceil(8 * math.log(200) / 0.01 - 1e-9)
    assert pointwise_error(1.0, n, 0.01) <= 0.1 < pointwise_error(1.0, n - 1, 0.01)
    text = "dual(relu, gaussian())"
    x = np.random.default_rng(1).standard_normal((2, 4))
    errors = [
        abs(
            ks.compile(text, dim=4, n_features=n, method="complex", seed=seed).approximate(x)[0, 1]
            - ks.parse(text).gram(x)[0, 1]
        )
        for seed in range(20)
    ]
    assert max(errors) <= 0.1  # each fails with probability 1 % at most, by a bound that is far from sharp


def test_learning_bound() -> None:
    assert learning_bound(1.0, 800, 100, radius=2.0, lipschitz=3.0) == pytest.approx(6 * (0.1 + 0.1))
    assert learning_bound(2.0, 800, 100, radius=1.0) == pytest.approx(0.4)


def test_refusals() -> None:
    for call in (
        lambda: pointwise_samples(math.inf, 0.1, 0.1),
        lambda: pointwise_samples(1.0, 0, 0.1),
        lambda: pointwise_samples(1.0, 0.1, 1.5),
        lambda: pointwise_error(1.0, 0, 0.1),
        lambda: learning_bound(1.0, 0, 10, radius=1.0),
    ):
        with pytest.raises(PlanError):
            call()


def test_facts() -> None:
    assert ks.analyze("gaussian()", dim=2).composition is None
    assert composition_of(kernel_of("gaussian()")) is None
    facts = ks.analyze("1 * dual(exp(c=1/2), mean(circle()[0], circle()[1]))", dim=2)
    assert "a feature has 0.5 factors in the mean; its norm is at most C = 1" in facts.report()
    assert "2 ln(2/δ)/ε² samples" in facts.report()
    assert "8 with random offsets" in facts.report()
    assert facts.to_dict()["composition"] == {"complexity": "0.5", "norm": "1.0"}
    assert "infinite factors" in ks.analyze("dual(step, gaussian())", dim=2).report()
