"""Which pixels occur together in the features of a skeleton, against probabilities from exact kernel values."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import kernelspec as ks
from benchmarks import cooccurrence as module
from benchmarks.cooccurrence import Cooccurrence, cooccurrence, skeleton_of
from kernelspec.errors import ParameterError, PlanError, TypeMismatchError
from tests.laboratory import assert_proportions

TWO = "full({top}, input=conv({low}, size=3, stride=3, input=image(6, 6, {channels}{base})))"


def values(spec: ks.Spec, pixels: list[tuple[int, int]], lags: np.ndarray, channels: int) -> np.ndarray:
    """k(t) for the lags (n, pixels) at some pixels, in all their channels, and lag 0 everywhere else."""
    rows = np.zeros((len(lags), 6, 6, channels))
    for i, (row, column) in enumerate(pixels):
        rows[:, row, column] = lags[:, i, None]
    return spec.gram(rows.reshape(len(lags), -1), np.zeros((1, 36 * channels)))[:, 0]


def unused(spec: ks.Spec, pixels: list[tuple[int, int]], channels: int, angles: np.ndarray) -> float:
    """The probability that all frequencies of these pixels are 0: the mean of k over lags, independent for each."""
    lags = np.array(list(itertools.product(angles, repeat=len(pixels) * channels)))
    if channels == 1:
        return float(values(spec, pixels, lags, 1).mean())
    rows = np.zeros((len(lags), 6, 6, channels))
    for i, (row, column) in enumerate(pixels):
        rows[:, row, column] = lags[:, i * channels : (i + 1) * channels]
    return float(spec.gram(rows.reshape(len(lags), -1), np.zeros((1, 36 * channels))).mean())


def cells(spec: ks.Spec, a: tuple[int, int], b: tuple[int, int], channels: int, angles: np.ndarray) -> list[float]:
    """P(a and b are used), P(only a), P(only b), P(neither)."""
    neither = unused(spec, [a, b], channels, angles)
    not_a, not_b = (unused(spec, [one], channels, angles) for one in (a, b))
    return [1 - not_a - not_b + neither, not_b - neither, not_a - neither, neither]


# The mean over all angles keeps the part of frequency 0; over 16 of them it is exact for frequencies below 16, and
# these features have at most 6 factors. Gaussian frequencies are 0 only without a factor: what is left at far lags.
@pytest.mark.long
@pytest.mark.parametrize(
    ("top", "low", "channels", "base", "angles"),
    [
        pytest.param("hermite(n=3)", "hermite(n=2)", 1, "", 2 * np.pi * np.arange(16) / 16, id="circle"),
        pytest.param("hermite(n=2)", "hermite(n=1)", 2, "", 2 * np.pi * np.arange(4) / 4, id="circle-channels"),
        pytest.param("relu", "exp(c=2)", 1, ", base=gaussian()", np.array([1e3]), id="gaussian"),
        pytest.param("relu", "relu", 2, ", base=gaussian()", np.array([1e3]), id="gaussian-channels"),
    ],
)
def test_counts_against_exact_probabilities(top: str, low: str, channels: int, base: str, angles: np.ndarray) -> None:
    spec = ks.parse(TWO.format(top=top, low=low, channels=channels, base=base))
    n, pixel = 30_000, (1, 1)
    (found,) = cooccurrence(spec, [pixel], n, seed=1)
    assert found.together[pixel] == found.used[pixel]
    for other in ((1, 2), (2, 0), (4, 1), (5, 5)):
        both, here, there = int(found.together[other]), int(found.used[pixel]), int(found.used[other])
        counts = [both, here - both, there - both, n - here - there + both]
        assert_proportions(counts, cells(spec, pixel, other, channels, angles), what=f"use of {other}")


@pytest.mark.long
def test_neighbours_occur_together_more_often_than_pixels_of_other_windows() -> None:
    spec = ks.parse(TWO.format(top="relu", low="relu", channels=1, base=""))
    (found,) = cooccurrence(spec, [(1, 1)], 20_000)
    inside, outside = found.conditional[:3, :3].copy(), found.conditional[3:, 3:]
    inside[1, 1] = np.inf
    assert inside.min() > 1.5 * outside.max()


def test_counting_does_not_depend_on_the_blocks_but_for_what_they_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = ks.parse("full(relu, input=image(6, 6, 1))")
    monkeypatch.setattr(module, "_TOGETHER", 256)
    first, more = (cooccurrence(spec, [(0, 5)], n, seed=3)[0] for n in (512, 600))
    assert (more.used >= first.used).all()
    assert (more.used - first.used).max() <= 88
    assert more.used.sum() > first.used.sum()
    again = cooccurrence(spec, [(3, 3), (0, 5)], 600, seed=3)
    np.testing.assert_array_equal(again[1].together, more.together)
    assert again[0].pixel == (3, 3)


def test_the_centre_is_the_default() -> None:
    assert cooccurrence(ks.parse("full(relu, input=image(6, 5, 1))"), n_features=10)[0].pixel == (3, 2)


def test_shares() -> None:
    uses = np.random.default_rng(0).random((50, 4)) < [0.5, 0.9, 0.1, 0]
    uses[:, 2] = ~uses[:, 0]
    found = Cooccurrence((0, 0), 50, uses.sum(0).reshape(2, 2), (uses[:, :1] & uses).sum(0).reshape(2, 2))
    np.testing.assert_allclose(found.conditional.ravel(), uses[uses[:, 0]].mean(0))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("gaussian()", TypeMismatchError, "those of a skeleton over an image"),
        ("2 * full(relu, input=image(6, 6, 1))", TypeMismatchError, "this is another kernel"),
        ("param h > 0\nfull(relu, input=image(h, 6, 1))", ParameterError, "parameter 'h' has no value"),
        ("param c > 0\nfull(exp(c=c), input=image(6, 6, 1))", ParameterError, "parameter 'c' has no value"),
    ],
)
def test_what_is_no_skeleton_is_refused(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        skeleton_of(ks.parse(text))


def test_refusals() -> None:
    spec = ks.parse("full(relu, input=image(6, 6, 1))")
    for pixel in ((6, 0), (0, -1)):
        with pytest.raises(PlanError, match=r"there is no pixel .* in an image of 6 × 6 pixels"):
            cooccurrence(spec, [pixel])
    with pytest.raises(PlanError, match="at least one feature"):
        cooccurrence(spec, n_features=0)
    with pytest.raises(PlanError, match="none of 1 features uses the pixel 0,0: draw more"):
        cooccurrence(ks.parse("full(exp(c=1/100), input=image(6, 6, 1))"), [(0, 0)], 1)[0].conditional  # noqa: B018
    with pytest.raises(PlanError, match=r"binary\(\) has none"):
        cooccurrence(ks.parse("full(relu, input=image(6, 6, 1, base=binary()))"))
