"""Tests of `laws/law.py`."""

from __future__ import annotations

import math

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.law import (
    Cut,
    Law,
    Moments,
    columns_shown,
    cut_lines,
    reads_shown,
    sample_variance,
)
from kernelspec.random.streams import Stream
from kernelspec.samples.frequencies import UnitColumn
from kernelspec.samples.samples import Samples
from kernelspec.tables.rows import Rows
from kernelspec.testing.laboratory import assert_mean
from tests.laws.texts import law


def test_names_are_shown_as_far_as_a_line_goes() -> None:
    names = [f"c{i}" for i in range(20)]
    assert columns_shown((3, 1), names) == "c3, c1"
    assert columns_shown(tuple(range(12)), names) == ", ".join(names[:12])
    assert columns_shown(tuple(range(13)), names) == ", ".join(names[:12]) + ", … (13)"


def test_reads_are_shown_as_the_columns_they_come_from() -> None:
    assert reads_shown((3, 0), (3, 0), None) == "3, 0"
    unit = (UnitColumn(3, (0, 3)), UnitColumn(0, (0, 3)))
    assert reads_shown(unit, (3, 0), ["a", "b", "c", "d"]) == "d, a, divided by the norm of the row"


def test_found_anywhere_in_the_tree_once() -> None:
    text = (
        "2 * dual(relu, dual(step, gaussian(), max_degree=5)) * laplace() + dual(step, gaussian(), max_degree=5)[0, 1]"
    )
    # ½ + (ρ + ρ³/6 + 3ρ⁵/40)/π
    omitted = 0.5 - (1 + 1 / 6 + 3 / 40) / math.pi
    (found,) = law(text, 2).cuts
    assert found == Cut("dual(step, …) is cut at degree 5", pytest.approx(omitted, rel=1e-12))
    assert cut_lines([found]) == [
        f"  biased: dual(step, …) is cut at degree 5, so that its features have a mean within {omitted:.3g} of it"
    ]


def test_found_in_the_base_of_an_image() -> None:
    text = "full(relu, input=image(1, 2, 1, base=dual(step, gaussian(), max_degree=5)))"
    (found,) = law(text, 2).cuts
    assert found.what == "dual(step, …) is cut at degree 5"
    assert not ks.compile(text, dim=2).unbiased


SIGN = "activation(x -> x/abs(x))"
LOST = "leaves out 0.79 % of E σ², in its exact values too"  # (2/π)^{3/2}/√4096 of the mass of sign


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f"dual({SIGN}, gaussian())", f"dual({SIGN}, …) {LOST}"),
        (f"2 * layer({SIGN}, gaussian(), laplace()) + laplace()", f"dual({SIGN}, …) {LOST}"),
        (f"dual({SIGN}, gaussian(), max_degree=7)", f"dual({SIGN}, …) is cut at degree 7 and {LOST}"),
        (f"full({SIGN}, input=image(1, 2, 1))", f"full({SIGN}) {LOST}"),
    ],
)
def test_formulas_with_jumps(text: str, what: str) -> None:
    (found,) = law(text, 2).cuts
    assert found.what == what
    share = (2 / math.pi) ** 1.5 / 64
    kept = 2 / math.pi * (1 + 1 / 6 + 3 / 40 + 5 / 112) / (1 - share)  # at ρ = 1, up to degree 7
    assert found.omitted == pytest.approx(2 * share + (1 - kept if "max_degree" in text else 0), rel=1e-3)


@pytest.mark.parametrize(
    "text",
    [
        "dual(relu, gaussian())",
        "dual(hermite(2), gaussian(), max_degree=2)",
        "gaussian()",
        "dual(activation(x -> 1/(1 + exp(-x))), gaussian())",
        "full(relu, input=image(1, 2, 1))",
    ],
)
def test_nothing_is_left_out(text: str) -> None:
    assert law(text, 2).cuts == ()


def test_neurons_have_no_degrees() -> None:
    text = f"dual({SIGN}, sphere(), max_degree=3)"
    assert law(text, 2, "neurons").cuts == ()
    assert len(law(text, 2).cuts) == 1


SPECS = [
    "gaussian()",
    "match()",
    "gaussian()[0] * match()[1]",
    "(2 * gaussian() + match()[0] + laplace() * match()[1]) * match()[2]",
    "(gaussian() - 0.5 * laplace()) ** 3",
    "stretch(cauchy(), [1, 2, 3]) * cosine(2)",
]


COLUMNS = (0, 1, 2)


def law_of_three(text: str) -> Law:
    return law(text, 3)


def arrays(batch: Samples) -> list[np.ndarray]:
    phasors = [] if batch.phasors is None else [batch.phasors.frequencies, batch.phasors.left, batch.phasors.right]
    return [batch.weight, batch.sign, *phasors]


@pytest.mark.parametrize("text", SPECS)
def test_batches_partition_the_samples(text: str) -> None:
    for n in (0, 1, 2, 50):
        batches = law_of_three(text).draw(Stream(1), n, COLUMNS)
        found = np.concatenate([batch.index for batch in batches]) if batches else np.empty(0)
        assert sorted(found) == list(range(n))
        for batch in batches:
            assert all(len(array) == len(batch) for array in arrays(batch))
            assert (batch.weight > 0).all()
            assert set(batch.sign) <= {-1.0, 1.0}


@pytest.mark.parametrize("text", SPECS)
def test_what_a_law_says_of_its_samples(text: str) -> None:
    own = law_of_three(text)
    batches = own.draw(Stream(0), 64, COLUMNS)
    assert own.has_phasor == any(batch.phasors is not None for batch in batches)
    assert own.has_key == any(batch.keys for batch in batches)
    assert all(isinstance(line, str) and line.strip() for line in own.lines(COLUMNS))


N = 200_000


def phasors(seed, frequency):
    angles = np.random.default_rng(seed).normal(0, frequency, N)
    return np.exp(1j * angles)


def moments(samples, real=0.0):
    return Moments(float(np.mean(np.abs(samples) ** 2)), float(np.mean(samples**2).real), real)


def test_paired_and_phase_estimates_have_the_second_moments_stated():
    z = phasors(2, 0.9)
    offsets = np.random.default_rng(3).uniform(0, 2 * np.pi, N)
    angle = np.angle(z)
    predicted = Moments(1, np.exp(-2 * 0.9**2), 0)
    x = 0.4  # cosine features at x + angle and x: their product is the estimate of one sample
    phase = 2 * np.cos(x + angle + offsets) * np.cos(x + offsets)
    assert_mean(np.stack([np.cos(angle) ** 2, phase**2], axis=1), [predicted.paired(), predicted.phase()])


X = np.column_stack([np.random.default_rng(0).standard_normal((6, 2)), np.arange(6) % 2])
PAIRS = NumericPairs(Rows(X), Rows(X))


def gram(text: str, data: np.ndarray = X) -> np.ndarray:
    return ks.parse(text).gram(data)


def test_a_frequency_in_every_form() -> None:
    own, k, doubled = law("laplace()[0, 1]", 3), gram("laplace()[0, 1]"), gram("laplace()[0, 1]", 2 * X)
    np.testing.assert_allclose(sample_variance(own, PAIRS, "paired"), (1 + doubled) / 2 - k**2, atol=1e-14)
    np.testing.assert_allclose(sample_variance(own, PAIRS, "complex"), (1 + doubled) / 2 - k**2, atol=1e-14)
    np.testing.assert_allclose(sample_variance(own, PAIRS, "phase"), 1 + doubled / 2 - k**2, atol=1e-14)
    assert np.array_equal(own.variance(PAIRS, 7, "phase"), sample_variance(own, PAIRS, "phase") / 7)


def test_about_the_mean_of_what_is_cut() -> None:
    """Of e^{c(k−1)} the degrees 0 and 1: the variance is the one about e^{−c}(1 + ck)."""
    k, doubled = gram("laplace()"), gram("laplace()", 2 * X)
    second = (2 / np.e + (1 + doubled) / np.e) / 2
    found = sample_variance(law("dual(exp(c=1), laplace(), max_degree=1)", 3), PAIRS, "paired")
    np.testing.assert_allclose(found, second - ((1 + k) / np.e) ** 2, atol=1e-14)


def test_infinite_is_infinite_and_zero_is_not_negative() -> None:
    steep = sample_variance(law("dual(relu, normalize(linear()))", 3), PAIRS, "paired")
    assert np.isinf(np.diag(steep)).any()
    assert not np.isnan(steep).any()
    assert (sample_variance(law("gaussian() * laplace()", 3), PAIRS, "paired") >= 0).all()
    assert not np.diag(sample_variance(law("gaussian() * laplace()", 3), PAIRS, "paired")).any()
