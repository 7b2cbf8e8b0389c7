"""The contract: what a measure of the language answers by default."""

from __future__ import annotations

import re

import numpy as np
import pytest

from kernelspec.errors import NoDensityError
from kernelspec.measures.measure import Measure
from kernelspec.random.streams import Stream
from tests.measures import oracles as o

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
