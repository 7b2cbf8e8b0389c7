"""Tests of `laws/compositional/dual.py`."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ks_2samp

import kernelspec as ks
from kernelspec.activations.activation import Activation
from kernelspec.activations.analytic import Exp, Gaussian
from kernelspec.activations.piecewise import Abs, Relu, Sign, Step
from kernelspec.activations.series import Hermite
from kernelspec.errors import PlanError
from kernelspec.laws.compositional import dual as degree_sums
from kernelspec.laws.compositional.dual import DualLaw, draw_degree_sums
from kernelspec.maps.feature_map import draw_map
from kernelspec.planning.options import Method
from kernelspec.random.streams import Stream
from kernelspec.testing.assertions import assert_unbiased
from kernelspec.testing.laboratory import assert_mean
from kernelspec.testing.samples import assert_samples
from tests.laboratory import assert_proportions, assert_variance
from tests.laws.texts import law


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


@pytest.mark.slow
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


def test_too_large_sums_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PlanError, match=r"nodes step to draw, but at most 33,554,432 can be drawn: .* heavy tail"):
        draw_degree_sums(Step(), Stream(0), np.array([10**12]))
    assert draw_degree_sums(Step(), Stream(0), np.array([10**5])) > 10**8
    monkeypatch.setattr(degree_sums, "LARGEST_SUM", 10**8)
    with pytest.raises(PlanError, match=r"factors below a node step, but at most 2\^52 can be drawn"):
        draw_degree_sums(Step(), Stream(0), np.array([10**5]))


def test_many_draws_of_an_unknown_tail_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    heavy = Gaussian(a=1e6)
    assert draw_degree_sums(heavy, Stream(0), np.array([5000])) > 0
    monkeypatch.setattr(degree_sums, "MOST_DRAWS", 4000)
    with pytest.raises(PlanError, match=r"5,000 nodes gaussian.* to draw, but at most 4,000 can be drawn"):
        draw_degree_sums(heavy, Stream(0), np.array([5000]))


RNG = np.random.default_rng(0)
NUMBERS = RNG.standard_normal((5, 3))
UNIT = NUMBERS / np.linalg.norm(NUMBERS, axis=1, keepdims=True)
SIGNS = np.where(RNG.random((5, 1)) < 0.5, -1.0, 1.0)
X = np.hstack([NUMBERS, UNIT, SIGNS, np.arange(5)[:, None] % 3])

# columns 0:3 are numbers, 3:6 a row of norm 1, 6 a sign, 7 a category
BASES = {
    "circle": "circle()[0]",
    "binary": "binary()[6]",
    "match": "match()[7]",
    "gaussian": "gaussian(scale=1.5)[0:2]",
    "sphere": "sphere()[3:6]",
    "laplace": "laplace(scale=2)[1]",
}
METHODS: list[Method] = ["paired", "phase", "complex"]


COLUMNS = tuple(range(8))


def law_of_dual(text: str) -> DualLaw:
    found = law(text, 8)
    assert isinstance(found, DualLaw)
    return found


def nesting(generator: np.random.Generator, depth: int) -> str:
    """A random composition; activations with entire duals, so that spheres keep a finite variance."""
    if depth == 0:
        return BASES[str(generator.choice(list(BASES)))]
    parts = [
        nesting(generator, depth - int(generator.integers(1, 3)) if depth > 1 else 0)
        for _ in range(generator.integers(1, 4))
    ]
    activation = generator.choice(["exp(c=0.2)", "hermite(2)", "cos(0.5)", "polynomial([1, 1, 0.5])", "sin(1)"])
    return f"layer({activation}, {', '.join(parts)})"


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("activation", ["relu", "activation(x -> x**2 + x)"])
def test_over_every_bounded_base(activation: str, method: Method) -> None:
    bases = [base for name, base in BASES.items() if name != "sphere"]
    assert_samples(f"layer({activation}, {', '.join(bases)})", X, methods=[method], n=4000)


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(4))
def test_random_nestings(seed: int, method: Method) -> None:
    text = nesting(np.random.default_rng(seed), 3 if seed % 2 else 2)
    assert_samples(text, X, methods=[method], n=4000)


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "dual(relu, gaussian()[0:2]) * sphere()[3:6] + match()[7]",
        "dual(exp(c=0.2), sphere()[3:6]) * match()[7]",
        "sphere()[3:6] * match()[7] * gaussian()[0]",
        "layer(relu, layer(relu, match()[7], laplace()[0]), binary()[6])",
        "dual(exp, gaussian()[0] - 0.5 * gaussian(scale=2)[0])",
        "dual(exp(c=0.3), 0.5 * gaussian()[0] + 0.1 * match()[7])",
        "dual(exp(c=0.02), linear()[0:2])",
        "dual(exp, shift(gaussian(), 0.3)[0:2])",
        "dual(cos(1), tilt(gaussian(), 0.2)[0:2])",
    ],
)
def test_mixtures_signs_and_shifts(text: str) -> None:
    for method in METHODS:
        assert_samples(text, X, methods=[method], n=4000)


@pytest.mark.long
def test_hashed_keys_stay_unbiased() -> None:
    assert_unbiased("layer(relu, match()[7], gaussian()[0])", X, n_features=48, n_maps=150, hashed=True)


@pytest.mark.long
def test_binning_below_a_dual() -> None:
    assert_samples("dual(relu, laplace(scale=2)[0:2])", X, methods=["binning"], n=4000)


@pytest.mark.parametrize("text", ["dual(relu, sphere()[3:6])", "dual(exp(c=0.5), linear()[0:3])"])
def test_a_feature_has_as_many_factors_as_its_degree(text: str) -> None:
    own = law_of_dual(text)
    batches = own.draw(Stream(3), 20_000, COLUMNS)
    lengths = np.zeros(20_000, dtype=int)
    for batch in batches:
        for factor in batch.amplitudes:
            lengths[batch.index] = np.diff(factor.starts)  # type: ignore[attr-defined]
    a = own.kernel.activation.coefficient(np.arange(5.0))
    counts = [*(int((lengths == degree).sum()) for degree in range(5)), int((lengths > 4).sum())]
    shares = [*a, 1 - a.sum()]
    assert_proportions(
        [n for n, share in zip(counts, shares, strict=True) if share > 0], [share for share in shares if share > 0]
    )


@pytest.mark.parametrize("base", ["gaussian(scale=2)[0]", "cosine(0.7)[0]", "mean(circle()[0], gaussian()[0])"])
def test_products_drawn_at_once_have_the_law_of_products(base: str) -> None:
    # E cos(Ω·Δ) over sums Ω of l frequencies is k(Δ)^l
    spec = ks.parse(base)
    below = law(base, 8)
    counts = np.repeat([0, 1, 3, 40], 4000)
    drawn = below.draw_products(Stream(1), counts, COLUMNS)
    assert drawn is not None
    assert drawn.phasors is not None
    lag = 0.4
    assert drawn.phasors.columns == (0,)
    turned = np.cos(np.asarray(drawn.phasors.frequencies)[:, 0] * lag) * drawn.weight * drawn.sign
    k = spec.gram(np.array([[lag] + [0.0] * 7]), np.zeros((1, 8)))[0, 0]
    assert_mean(turned.reshape(4, 4000).T, k ** np.array([0, 1, 3, 40]))


def test_heavy_tails_are_drawn_exactly_where_a_law_is_known() -> None:
    # 4000 degrees of step reach beyond 10⁵: P(l > n) ≈ ¼/√n
    for base in ("gaussian()[0:2]", "circle()[0]", "mean(circle()[0], circle()[1], gaussian()[2])"):
        fmap = ks.compile(f"dual(step, {base})", dim=8, n_features=8000, method="paired")
        z = (fmap.approximate(X) - ks.parse(f"dual(step, {base})").gram(X)) / np.sqrt(
            fmap.predicted_variance(X, hashed=False) + 1e-20
        )
        assert np.abs(z[np.triu_indices(5, 1)]).max() < 5.5
        assert "E l is infinite" in fmap.explain()


@pytest.mark.parametrize("text", ["dual(sign, minmax()[7])", "layer(sign, minmax()[7], circle()[0])"])
def test_heavy_tails_are_refused_where_none_is_known(text: str) -> None:
    message = r"the samples of the activation sign need .* more than can be drawn one by one .* with max_degree="
    with pytest.raises(PlanError, match=message):  # whether it is written as dual or as layer
        ks.compile(text, dim=8, n_features=100_000)


def test_values_below_all_floats_are_refused() -> None:
    with pytest.raises(PlanError, match=r"over a kernel of mass 0.9 are smaller than any float"):
        ks.compile("dual(exp(10000), 0.9*gaussian()[0])", dim=8, n_features=4)
    # e^{5000(0.9 k − 1)} ≤ e^{−500} has features
    fmap = ks.compile("dual(exp(5000), 0.9*gaussian()[0])", dim=8, n_features=4)
    assert np.diag(fmap.approximate(X)) == pytest.approx(math.exp(-500), rel=1e-9)


@pytest.mark.long
def test_cut_degrees_are_labelled_with_their_bound() -> None:
    text = "dual(step, gaussian()[0:2], max_degree=9)"
    fmap = ks.compile(text, dim=8, n_features=64, method="paired", data=X)
    assert not fmap.unbiased
    (cut,) = fmap.plan.cuts
    a = [0.5] + [math.comb(2 * k, k) / 4**k / (math.pi * (2 * k + 1)) for k in range(5)]
    assert cut.omitted == pytest.approx(1 - sum(a), rel=1e-9)
    assert f"cut at degree 9, so that its features have a mean within {cut.omitted:.3g} of it" in fmap.explain()
    # the mean of the samples is the series up to the cut, and their variance is the one predicted
    rho = ks.parse("gaussian()[0:2]").gram(X)
    mean = sum(share * rho ** (0 if i == 0 else 2 * i - 1) for i, share in enumerate(a))
    plans = [replace(fmap.plan, seed=seed) for seed in range(600)]
    maps = [draw_map(plan) for plan in plans]
    upper = np.triu_indices(5)
    estimates = np.stack([one.approximate(X)[upper] for one in maps])
    assert_mean(estimates, mean[upper])
    assert_variance(estimates, fmap.predicted_variance(X)[upper])
    assert ks.compile("dual(hermite(2), gaussian()[0], max_degree=2)", dim=8, n_features=4).unbiased


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "omitted"),
    [
        ("activation(x -> x/abs(x))", math.sqrt(2 / math.pi) * 2 / math.pi / math.sqrt(4096)),  # P(l > n) of sign
        ("activation(x -> max(0, x))", math.sqrt(2 / math.pi) / (3 * math.pi) / 4096**1.5),  # and of relu
    ],
)
def test_what_a_formula_leaves_out_is_labelled_with_its_bound(text: str, omitted: float) -> None:
    fmap = ks.compile(f"dual({text}, circle()[0])", dim=8, n_features=64)
    assert not fmap.unbiased
    (cut,) = fmap.plan.cuts
    assert cut.omitted == pytest.approx(2 * omitted, rel=1e-3)
    assert f"in its exact values too, so that its features have a mean within {cut.omitted:.3g} of it" in fmap.explain()
    assert "unbiased:" not in fmap.explain()
    assert ks.compile("dual(activation(x -> exp(x)), circle()[0])", dim=8, n_features=4).unbiased
    assert ks.compile(f"dual({text}, sphere()[3:6])", dim=8, n_features=64, method="neurons").unbiased


@pytest.mark.parametrize(
    ("text", "mean"),
    [
        ("dual(relu, circle()[0])", 1.0),
        ("dual(exp(c=3), 0.5 * circle()[0])", 1.5),
        ("dual(step, circle()[0])", math.inf),
        ("dual(activation(x -> log(abs(x))), circle()[0])", None),
        ("dual(activation(x -> max(0, x)), circle()[0])", None),
        ("dual(activation(x -> x/abs(x)), 0.999 * circle()[0])", None),
    ],
)
def test_one_mean_of_the_degrees(text: str, mean: float | None) -> None:
    """What a law says of itself, and the complexity of the kernel; of formulas, the mean of the law drawn."""
    own = law_of_dual(text)
    (line,) = (line for line in own.lines(COLUMNS) if "E l is" in line)
    found = float(line.rsplit("E l is ", 1)[1].rstrip(":").replace("infinite", "inf"))
    if mean is None:
        degrees = np.arange(4096)
        shares = own.kernel.activation.coefficient(degrees) * own.mass**degrees
        mean = float(degrees @ shares / shares.sum())
    assert found == pytest.approx(mean, rel=5e-3)
    composition = ks.analyze(text, dim=8).composition
    assert composition is not None
    assert composition.complexity == pytest.approx(mean, rel=1e-9)


def test_the_mean_of_the_degrees_that_are_not_zero() -> None:
    """E(l | l ≥ 1) = E l/(1 − a_0), a_0 = 1/π for relu."""
    own = replace(law_of_dual("dual(relu, circle()[0])"), least_degree=1)
    assert f"given that l ≥ 1, E l is {1 / (1 - 1 / math.pi):.3g}:" in own.lines(COLUMNS)[0]
    degrees = np.concatenate([own._degrees(Stream(seed), 10_000) for seed in range(20)])
    assert np.minimum(degrees, 100).mean() == pytest.approx(1 / (1 - 1 / math.pi), abs=0.05)


def test_real_samples_take_one_column() -> None:
    fmap = ks.compile("dual(relu, gaussian()[0])", dim=8, n_features=400, method="paired")
    assert fmap.dense is not None
    constants = fmap.dense.n_real
    assert fmap.n_columns == 400 - constants
    assert 30 < constants < 100  # 1/π of 200
    assert sum(name.startswith("real") for name in fmap.names()) == constants
