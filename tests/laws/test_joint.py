"""Tests of `laws/joint.py`."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.joint import REPLICATES, JointLaw, bounded_ratio, joint, most_gained, orthogonal, sobol
from kernelspec.laws.law import Collisions, Law
from kernelspec.laws.rules import DRAWS
from kernelspec.random.coupled import OrthogonalStream, SobolStream
from kernelspec.random.streams import Stream
from kernelspec.samples.samples import mean_products, means_of_runs
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean, z_threshold
from tests.laws.compositional.test_base_products import values
from tests.laws.texts import law
from tests.thoroughness import sweep

GENERATOR = np.random.default_rng(8)
NUMBERS = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, -0.1], [0.5, 0.7, -0.2], [1.5, -1.0, 0.8], [4.0, -3.0, 5.0]])
UNIT = np.array([[1.0, 0.0, 0.0], [0.8, 0.6, 0.0], [0.6, 0.0, 0.8], [0.0, -0.6, 0.8], [-0.48, 0.6, 0.64]])
X = np.hstack([NUMBERS, np.array([[0], [0], [1], [0], [1]]), UNIT])
"""Columns 0 to 2 hold numbers, 3 a category, 4 to 6 a row of norm 1: neighbours, and rows far apart."""

UNBIASED = [name for name, draws in DRAWS.items() if draws.bias is None]
"""Draws in which each sample alone has the law that it has without them."""

COLUMNS = tuple(range(7))
ROWS = Rows(X)
FIRST, SECOND = np.triu_indices(5, 1)
PAIRS = NumericPairs(ROWS.take(FIRST), ROWS.take(SECOND), grid=False)
REPEATS = 150
"""Of every draw; ten times as many under --thorough."""

ALONE = [
    "gaussian(scale=1.5)[0:3]",
    "matern(nu=3/2, scale=2)[0:3]",
    "rational_quadratic(alpha=0.7, scale=1.5)[0:3]",
    "exponential(scale=2)[0:3]",
    "rbf_cosine(gamma=2)[4:7]",
    "shift_gaussian(scale=1.5, by=[0.5, 1, -0.7])[0:3]",
    "stretch(gaussian(), [[1, 0.5, 0], [0, 2, 1]])[0:3]",
]
"""Kernels with a frequency of several entries in each sample, or numbers that mix such."""

BY_COORDINATES = ["laplace(scale=3)[0:3]", "cauchy(scale=2)[0:3]", "gaussian()[0]", "matern(nu=1/2, scale=2)[1]"]
"""Kernels whose frequencies have no direction: numbers of known quantiles, one by one."""

COMPOSED = [
    "gaussian(scale=2)[0:3] * matern(nu=3/2, scale=3)[0:3]",
    "gaussian(scale=2)[0:3] * shift_gaussian(scale=2, by=[0.3, 0, 0.5])[0:3]",
    "rbf_cosine(gamma=1)[4:7] * gaussian(scale=2)[0:3]",
    "rbf_cosine(gamma=1)[4:7] ** 3",
    "(shift_gaussian(scale=2, by=[0.3, 0, 0.5])[0:3]) ** 2",
    "(gaussian()[0:3] + 0.5*match()[3]) * gaussian(scale=3)[1:3]",
    "(gaussian()[0:3] - 0.5*matern(nu=3/2, scale=2)[0:3]) ** 2",
    "(rbf_cosine(gamma=1)[4:7] + gaussian()[0:3]) * (rbf_cosine(gamma=2)[4:7] + 2*gaussian(scale=2)[0:3])",
    "shift(gaussian(), by=[0.5, 0, 1])[0:3] * match()[3]",
    "tilt(gaussian(), by=[0.2, 0, 0.1])[0:3]",
    "dual(exp(c=2), gaussian()[0:3]) * gaussian(scale=2)[0:3]",
    "dual(relu, gaussian(scale=2)[0:3]) + gaussian(scale=2)[0:3]",
    "full(relu, input=image(1, 2, 1, base=gaussian()))[0, 1] * gaussian(scale=2)[0:3]",
]

SCHEMES = [
    ("dual(hermite(2), sphere())[4:7]", "neurons"),
    ("sinh_gaussian(scale=1.5, by=[0.3, -0.1, 0.2])[0:3]", "rows"),
    ("sinh_gaussian(scale=1.5, by=[0.3, -0.1, 0.2])[0:3]", "shifts"),
    ("shift_gaussian(scale=1.5, by=[0.5, 1, -0.7])[0:3]", "jordan"),
]


def together(text: str, draws: str, scheme: str | None = None) -> JointLaw:
    found = joint(law(text, 7, scheme), draws, COLUMNS)
    assert found is not None
    return found


@pytest.fixture
def repeats(thorough: bool) -> int:
    return REPEATS * 10 if thorough else REPEATS


def estimates(drawn: Law, n: int, repeats: int) -> np.ndarray:
    """The mean of n samples at all pairs, by independent draws: (repeats, pairs)."""
    found = [
        mean_products(drawn.draw(Stream(1000 + seed, (3,)), n, COLUMNS), PAIRS.x, PAIRS.y, n) for seed in range(repeats)
    ]
    return np.stack(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "draws"),
    [
        pytest.param(text, draws, marks=[pytest.mark.long] if (number + turn) % 4 else [])
        for number, text in enumerate([*ALONE, *COMPOSED])
        for turn, draws in enumerate(UNBIASED)
    ]
    + sweep(product(BY_COORDINATES, ["sobol"]), every=2),
)
def test_the_mean_of_samples_drawn_together_is_the_kernel(text: str, draws: str, repeats: int) -> None:
    own = together(text, draws)
    assert_mean(estimates(own, 24, repeats), np.broadcast_to(own.value(PAIRS), PAIRS.shape), budget=1e-7, what="mean")


@pytest.mark.long
@pytest.mark.parametrize("draws", UNBIASED)
@pytest.mark.parametrize(("text", "scheme"), SCHEMES)
def test_the_mean_under_other_schemes(text: str, scheme: str, draws: str, repeats: int) -> None:
    own = together(text, draws, scheme)
    assert_mean(estimates(own, 24, repeats), np.broadcast_to(own.value(PAIRS), PAIRS.shape), budget=1e-7, what="mean")


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "draws"),
    [*product([*ALONE, COMPOSED[0], COMPOSED[3], COMPOSED[6]], UNBIASED), *product(BY_COORDINATES, ["sobol"])],
)
def test_each_sample_alone_has_its_law(text: str, draws: str, repeats: int) -> None:
    """Mean and second moments of sample j, for each j of a block and a half, over independent draws."""
    own, n, near = together(text, draws), 5, ROWS.take(slice(0, 4))
    pairs = NumericPairs(near, near)
    drawn = np.zeros((repeats, n, 4, 4), dtype=complex)
    for seed in range(repeats):
        for batch in own.draw(Stream(5000 + seed, (1,)), n, COLUMNS):
            drawn[seed, batch.index] += values(batch, near, near)
    mean, moments = np.asarray(own.value(pairs), dtype=float), own.moments(pairs)
    p = drawn.reshape(repeats, -1)
    assert_mean(p.real, np.tile(mean.ravel(), n), budget=1e-7, what="mean")
    a, b = (
        np.tile(np.broadcast_to(np.asarray(part, dtype=float), (4, 4)).ravel(), n) for part in (moments.a, moments.b)
    )
    assert_mean(np.abs(p) ** 2, a, budget=1e-7, what="A")
    assert_mean((p**2).real, b, budget=1e-7, what="B")


@pytest.mark.parametrize("text", ["gaussian(scale=1.5)[0:3]", "matern(nu=3/2, scale=2)[0:3]"])
def test_frequencies_of_a_block_are_orthogonal(text: str) -> None:
    (batch,) = together(text, "orthogonal").draw(Stream(0), 8, COLUMNS)
    assert batch.phasors is not None
    frequencies = np.asarray(batch.phasors.frequencies)
    for part in (frequencies[:3], frequencies[3:6], frequencies[6:]):
        products = part @ part.T
        np.testing.assert_allclose(products - np.diag(np.diag(products)), 0, atol=1e-10 * np.abs(products).max())


@pytest.mark.parametrize("draws", UNBIASED)
@pytest.mark.parametrize(
    "text", ["gaussian(scale=1.5)[0:3]", "matern(nu=3/2, scale=2)[0:3]", "exponential(scale=3)[0:3]"]
)
def test_the_first_samples_do_not_depend_on_how_many_follow(text: str, draws: str) -> None:
    """By whole blocks of three, and by powers of two: 6 and 8 of 32."""
    own = together(text, draws)
    many = own.draw(Stream(2, (1,)), 32, COLUMNS)[0].phasors
    for n in (3, 6, 30) if draws == "orthogonal" else (1, 2, 8, 16):
        few = own.draw(Stream(2, (1,)), n, COLUMNS)[0].phasors
        assert few is not None
        assert many is not None
        assert np.array_equal(few.frequencies, np.asarray(many.frequencies)[:n]), n


@pytest.mark.slow
@pytest.mark.parametrize("draws", UNBIASED)
@pytest.mark.parametrize(
    ("text", "n"),
    sweep(
        [("gaussian(scale=1.5)[0:3]", 6), ("gaussian(scale=1.5)[0:3]", 16), (COMPOSED[0], 12), (COMPOSED[5], 12)],
        every=3,
    ),
)
def test_the_ratio_that_is_measured_is_that_of_the_variances(text: str, n: int, draws: str) -> None:
    """32 draws against 150 others: the z-score of two means, 1e-6 for a false alarm."""
    own = together(text, draws)
    alone = np.mean(own.base.variance(PAIRS, n, "paired"))
    squares = np.square(estimates(own, n, REPEATS) - np.asarray(own.mean(PAIRS))).mean(axis=1) / alone
    found = own.measured_ratio(PAIRS, n)
    error = squares.std(ddof=1) * np.sqrt(1 / REPEATS + 1 / REPLICATES)
    assert abs(found - squares.mean()) <= z_threshold(1, 1e-6, REPLICATES - 1) * error
    np.testing.assert_allclose(own.variance(PAIRS, n, "paired"), found * own.base.variance(PAIRS, n, "paired"))


@pytest.mark.parametrize("draws", UNBIASED)
@pytest.mark.parametrize("text", [ALONE[1], COMPOSED[0], COMPOSED[5]])
def test_several_draws_at_once_have_samples_of_their_own(text: str, draws: str) -> None:
    """Also of a mixture, whose parts have some of each draw's samples."""
    own, n, runs = together(text, draws), 8, 50
    drawn = own.draw_runs(Stream(3, (1,)), n, runs, COLUMNS)
    assert len(drawn) < runs  # all draws are in the same batches
    places = np.concatenate([batch.index for batch in drawn])
    assert (np.sort(places) == np.arange(n * runs)).all()
    found = means_of_runs(drawn, PAIRS.x, PAIRS.y, n, runs)
    assert_mean(found, np.broadcast_to(own.value(PAIRS), PAIRS.shape), budget=1e-7, what="mean")
    np.testing.assert_allclose(found.mean(axis=0), mean_products(drawn, PAIRS.x, PAIRS.y, n * runs), rtol=1e-9)


def test_neighbours_vary_less_together() -> None:
    """Rows nearer than the scale, for which orthogonal frequencies have a smaller variance [Yu et al. 2016]."""
    near = NumericPairs(ROWS.take(np.array([0, 1, 2, 0])), ROWS.take(np.array([1, 2, 3, 3])), grid=False)
    for draws, n, most in (("orthogonal", 12, 0.6), ("sobol", 64, 0.3)):
        assert together("gaussian(scale=3)[0:3]", draws).measured_ratio(near, n) < most


def test_samples_that_do_not_vary_have_the_ratio_one() -> None:
    own = together("gaussian()[0:3]", "orthogonal")
    same = NumericPairs(ROWS, ROWS, grid=False)
    assert own.measured_ratio(same, 12) == 1.0
    assert not own.variance(same, 12, "paired").any()


def test_collisions_of_keys_come_on_top() -> None:
    own = together("gaussian()[0:3] * match()[3]", "orthogonal")
    buckets = Collisions(16, signed=True)
    extra = own.base.variance(PAIRS, 12, "paired", buckets) - own.base.variance(PAIRS, 12, "paired")
    plain = own.variance(PAIRS, 12, "paired")
    np.testing.assert_allclose(own.variance(PAIRS, 12, "paired", buckets), plain + extra, rtol=1e-12)
    assert (extra[X[FIRST, 3] != X[SECOND, 3]] > 0).all()


@pytest.mark.parametrize(
    ("text", "scheme", "none"),
    [
        ("match()[3]", None, ("orthogonal", "sobol")),
        ("minmax()", None, ("orthogonal", "sobol")),
        ("linear()[0:3]", None, ("orthogonal", "sobol")),
        ("laplace()[0:3]", "binning", ("orthogonal",)),
        *((text, None, ("orthogonal",)) for text in BY_COORDINATES),
        ("dual(relu, gaussian()[0:3])", None, ("orthogonal", "sobol")),
        ("full(relu, input=image(1, 2, 1))[0, 1]", None, ("orthogonal", "sobol")),
    ],
)
def test_where_nothing_changes_there_is_none(text: str, scheme: str | None, none: tuple[str, ...]) -> None:
    base = law(text, 7, scheme)
    for draws in none:
        assert joint(base, draws, COLUMNS) is None
        with pytest.raises(PlanError, match=f"draws='{draws}' changes nothing for these samples"):
            JointLaw(base, draws).draw(Stream(0), 4, COLUMNS)


def test_factors_below_a_dual_stay_independent() -> None:
    """Samples that are multiplied: the draw is bit for bit the one of the law alone."""
    base = law("dual(exp(c=2), gaussian()[0:3]) * gaussian(scale=2)[0:3]", 7)
    own = joint(base, "orthogonal", COLUMNS)
    assert own is not None
    dual = law("dual(exp(c=2), gaussian()[0:3])", 7)
    stream = Stream(3)
    for plain, joined in zip(dual.draw(stream, 40, COLUMNS), dual.draw(OrthogonalStream(3), 40, COLUMNS), strict=True):
        assert np.array_equal(plain.index, joined.index)
        if plain.phasors is not None:
            assert joined.phasors is not None
            assert np.array_equal(plain.phasors.frequencies, joined.phasors.frequencies)


def test_what_it_says() -> None:
    base = law("gaussian()[0:3]", 7)
    for draws, scheme in DRAWS.items():
        own = JointLaw(base, draws)
        assert own.lines(COLUMNS)[0] == f"{base.lines(COLUMNS)[0]}; {scheme.words}"
        assert own.fourier_kernel() is None
        assert np.array_equal(own.value(PAIRS), base.value(PAIRS))
        assert own.moments(PAIRS).a == base.moments(PAIRS).a


@pytest.mark.parametrize("text", ["(0.5*constant() + 0.5*match()[3]) ** 2", "(0.5*linear()[0] + 0.5*constant()) ** 3"])
def test_draws_without_any_error_do_not_prove_that_there_is_none(text: str) -> None:
    """Probabilities of ½: Sobol' points have every branch as often as it should be, at 32 samples and not at one."""
    own = together(text, "sobol")
    for replicates in (16, 32):
        bound = own.measured_ratio(PAIRS, 32, replicates)
        assert bound == 1 - 0.05 ** (1 / replicates)
        assert (1 - bound) ** replicates == pytest.approx(0.05)  # if a share of that size erred, none would in 5 %
    assert own.measured_ratio(PAIRS, 1) == pytest.approx(1, abs=0.5)
    assert bounded_ratio(1e-30, 1.0, 1.0, 16) == 1 - 0.05 ** (1 / 16)
    assert bounded_ratio(1e-9, 1.0, 1.0, 16) == 1e-9


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        ("gaussian()", None),
        ("match()[0] * matern(3/2)", None),
        ("gaussian()[0] * exponential()[1, 2]", None),
        ("dual(relu, sphere())", "neurons"),
        ("shift_gaussian(by=1)", "polar"),
    ],
)
def test_laws_with_normal_vectors(text: str, scheme: str | None) -> None:
    found = orthogonal(law(text, 3, scheme), Stream(5, (2, 1)), 10, (0, 1, 2))
    assert isinstance(found, OrthogonalStream)
    assert (found.seed, found.path) == (5, (2, 1))


@pytest.mark.parametrize("leaf", ["gaussian", "matern(nu=1/2)", "rational_quadratic(alpha=1/2)"])
@pytest.mark.parametrize("distance", [0.2, 1.0, 5.0])
def test_no_more_is_gained_than_the_bound_says(leaf: str, distance: float) -> None:
    """16 samples in R^64 save at most 15/64 of the variance, by 400 draws: a standard error of 0.02 for each ratio."""
    vectors = np.random.default_rng(0).standard_normal((64, 64))
    vectors *= distance / np.linalg.norm(vectors, axis=1, keepdims=True)
    own, columns = law(leaf if "(" in leaf else f"{leaf}()", 64), tuple(range(64))
    bound = most_gained(own, 16, columns)
    assert bound == 15 / 64
    ratio = JointLaw(own, "orthogonal").measured_ratio(NumericPairs.of_vectors(vectors), 16, 400)
    assert 1 - ratio < bound + 5 * 0.02


def test_few_samples_on_many_columns_are_not_measured() -> None:
    own, narrow = (JointLaw(law("gaussian()", d), "orthogonal") for d in (4_096, 784))
    assert own.is_hopeless(100, tuple(range(4_096)))  # they gain 2 %
    assert not own.is_hopeless(200, tuple(range(4_096)))
    assert own.is_hopeless(10_000, tuple(range(4_096)))  # eight draws of them are 2.6 GB
    assert not narrow.is_hopeless(2, tuple(range(784)))
    assert not JointLaw(law("gaussian()", 4_096), "sobol").is_hopeless(100, tuple(range(4_096)))


@pytest.mark.parametrize(
    ("text", "scheme", "count"),
    [
        ("gaussian()", None, 3),
        ("gaussian()[1]", None, 1),
        ("laplace()", None, 3),
        ("match()[0] * gaussian()[1, 2]", None, 2),
        ("rbf_cosine() ** 2", None, 6),
        ("(gaussian() + match()) * match()[1]", None, 4),  # which of the terms is a number, too
        ("dual(relu, sphere())", "neurons", 3),
    ],
)
def test_every_number_has_a_coordinate(text: str, scheme: str | None, count: int) -> None:
    found = sobol(law(text, 3, scheme), Stream(5, (2,)), 10, (0, 1, 2))
    assert isinstance(found, SobolStream)
    assert found.points.shape == (10, count)
    assert sum(width for _, width in found.coordinates.values()) == count
    assert (found.seed, found.path) == (5, (2,))


def test_not_in_very_many_dimensions() -> None:
    assert sobol(law("gaussian()", 256), Stream(5), 4, tuple(range(256))) is not None
    assert sobol(law("gaussian()", 257), Stream(5), 4, tuple(range(257))) is None


def test_the_points_depend_on_the_place_alone() -> None:
    own = law("gaussian()", 3)
    one, same, other = (sobol(own, Stream(5, path), 8, (0, 1, 2)) for path in ((1,), (1,), (2,)))
    assert one is not None
    assert same is not None
    assert other is not None
    assert np.array_equal(one.points, same.points)  # type: ignore[attr-defined]
    assert not np.array_equal(one.points, other.points)  # type: ignore[attr-defined]
