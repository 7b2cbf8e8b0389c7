"""Tests of `measures/measure.py`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import NoDensityError, NotStationaryError
from kernelspec.kernels.kernel import Kernel, Verdict
from kernelspec.measures.measure import Measure, measure_of
from kernelspec.random.streams import Stream
from tests.measures import oracles as o
from tests.measures.oracles import measure_of_text

KINDS = ["gaussian()", "2*laplace()", "gaussian()*laplace()", "stretch(cauchy(), [1, 2])", "sinc()[1]", "cosine(1)"]


def test_the_contract_is_abstract() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Measure()


@pytest.mark.parametrize("text", KINDS)
def test_no_draws_and_no_lags(text: str) -> None:
    measure = o.measure_of_text(text, 2)
    assert measure.sample(Stream(0), 0).shape == (0, 2)
    assert measure.characteristic_function(np.zeros((0, 2))).shape == (0,)


@pytest.mark.parametrize("text", KINDS)
def test_draws_depend_on_seed_and_place_alone(text: str) -> None:
    measure = o.measure_of_text(text, 2)
    draw = measure.sample(Stream(1, (0,)), 20)
    np.testing.assert_array_equal(draw, measure.sample(Stream(1, (0,)), 20))
    assert (draw != measure.sample(Stream(1, (1,)), 20)).any()
    assert (draw != measure.sample(Stream(2, (0,)), 20)).any()


@pytest.mark.parametrize("text", KINDS[:4])
def test_where_there_is_a_density_none_is_missed(text: str) -> None:
    o.measure_of_text(text, 2).require_density()


@pytest.mark.parametrize("text", KINDS[4:])
def test_a_missing_density_is_refused_with_the_reason(text: str) -> None:
    measure = o.measure_of_text(text, 2)
    with pytest.raises(NoDensityError, match=re.escape(str(measure.without_density()))):
        measure.require_density()


def test_discrete_or_not() -> None:
    assert o.measure_of_text("gaussian()", 2).atoms() is None
    assert o.measure_of_text("gaussian()", 2).finite_atoms() is None
    assert o.measure_of_text("periodic(1)", 2).finite_atoms() is None
    assert len(o.measure_of_text("cosine(1)", 2).finite_atoms() or ()) == 2


STATIONARY = [
    "gaussian()", "0.3*laplace() + 0.7*gaussian()", "cauchy()*gaussian()", "gaussian()[0]*laplace()[1]",
    "stretch(matern(nu=3/2), [1, 2])", "shift(gaussian(), by=[0.5, 1])", "modulate(laplace(), by=1)",
    "tilt(gaussian(), by=0.3)", "gaussian() - 0.5*laplace()", "cosine(by=[1, 2])", "cauchy()**3",
]  # fmt: skip


@pytest.mark.parametrize("text", STATIONARY)
def test_the_transform_of_the_measure_is_the_kernel(text: str) -> None:
    """k(Δ) = ∫ exp(i ω·Δ) μ(dω), also where μ is complex."""
    lags = np.random.default_rng(0).uniform(-1, 1, (6, 2))
    found = measure_of_text(text, 2).characteristic_function(lags)
    expected = ks.parse(text).gram(lags, np.zeros((1, 2)))[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("linear()", "no function of x"),
        ("match()", "there is no spectral measure|categories"),
        ("gaussian()*match()[0]", "there is no spectral measure|categories"),
        ("full(relu, input=image(1, 2, 1, base=circle()))", "mixture over all paths"),
    ],
)
def test_kernels_without_a_measure_say_why(text: str, reason: str) -> None:
    with pytest.raises(NotStationaryError, match=reason):
        measure_of_text(text, 2)


def test_a_class_without_a_rule_is_refused() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Unknown(Kernel):
        """A kernel that nobody registered."""

        def value(self, pairs: Any) -> Any:
            return 1

        def diagonal(self) -> Any:
            return 1

        def magnitude(self) -> Any:
            return 1

        def transposed(self) -> Kernel:
            return self

        def verdict(self) -> Verdict:
            return Verdict("proved", ())

        @property
        def is_stationary(self) -> bool:
            return True

        def __str__(self) -> str:
            return "unknown()"

    with pytest.raises(TypeError, match="no rule for the spectral measure of Unknown: register measure_rule"):
        measure_of(Unknown(dim=1))
