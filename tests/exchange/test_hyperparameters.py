"""Parameters as hyperparameters."""

from __future__ import annotations

import math

import pytest

from kernelspec.elaboration.valued_program import as_program
from kernelspec.errors import ParameterError
from kernelspec.exchange.to_sklearn import Hyperparameter, free_program, hyperparameters_of
from kernelspec.language.printer import print_node

SPEC = as_program("param s > 0\nparam b\nparam f = s/2\nparam w = 2\ngaussian(scale=s*f*w)*cosine(b)")


def test_free_lines_and_written_values() -> None:
    given = SPEC.with_params({"s": 2, "b": -1})
    found = hyperparameters_of(given, {"w": "fixed"})
    assert found == [Hyperparameter("s", 2.0, (1e-5, 1e5), True), Hyperparameter("b", -1.0, (-1e5, 1e5), False)]
    assert print_node(free_program(given.with_params({"w": 3}), found)).splitlines()[:4] == [
        "param s > 0", "param b", "param f = s/2", "param w = 3",
    ]  # fmt: skip


def test_coordinates() -> None:
    logarithmic = Hyperparameter("s", 2.0, (0.5, 8.0), True)
    assert logarithmic.coordinate == math.log(2)
    assert logarithmic.coordinate_bounds == (math.log(0.5), math.log(8))
    plain = Hyperparameter("s", -2.0, (-5.0, 8.0), False)
    assert (plain.coordinate, plain.coordinate_bounds) == (-2.0, (-5.0, 8.0))
    assert logarithmic.within(8.0 + 1e-12) == 8.0
    assert logarithmic.within(0.5 - 1e-12) == 0.5
    assert logarithmic.within(9.0) == 9.0


def test_what_does_not_fit() -> None:
    with pytest.raises(ParameterError, match="'s' has no value to start from"):
        hyperparameters_of(SPEC, {})
    given = SPEC.with_params({"s": 2, "b": 1})
    with pytest.raises(ParameterError, match="for 'ss', and the spec has no such parameter; did you mean 's'"):
        hyperparameters_of(given, {"ss": (1, 2)})
    with pytest.raises(ParameterError, match="it has none"):
        hyperparameters_of(as_program("gaussian()"), {"t": (1, 2)})
