"""Parameters: free, defaulted, given, out of range."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.errors import ParameterError

ONE = [[0.0], [1.0]]


def test_default_override_and_free() -> None:
    spec = ks.parse("param s = 2\nparam w > 0\nw*gaussian(scale=s)")
    assert spec.params == {"s": 2.0, "w": None}
    given = spec.with_params({"w": 3})
    assert given.params == {"s": 2.0, "w": 3.0}
    assert given.gram(ONE)[0, 1] == pytest.approx(3 * np.exp(-1 / 8))
    assert given.with_params({"s": 1}).gram(ONE)[0, 1] == pytest.approx(3 * np.exp(-1 / 2))
    assert spec.params["w"] is None  # a spec does not change


def test_a_free_parameter_stays_a_symbol() -> None:
    facts = ks.analyze("param s > 0\ngaussian(scale=s)", dim=1)
    s = sympy.Symbol("s", positive=True)
    assert facts.second_moment == s**-2
    assert s in facts.kernel.free_symbols
    with pytest.raises(
        ParameterError, match=r"'s' has no value: give one, as in spec.with_params\(\{'s': 1\}\) or -p s=1"
    ):
        facts.characteristic_function([[1.0]])


@pytest.mark.parametrize(
    ("line", "assumption"),
    [("param s > 0", "positive"), ("param s >= 1", "positive"), ("param s >= 0", "nonnegative"), ("param s", "real")],
)
def test_the_range_is_known_to_the_symbol(line: str, assumption: str) -> None:
    (symbol,) = ks.analyze(f"{line}\ngaussian(scale=s)", dim=1).second_moment.free_symbols
    assert getattr(symbol, f"is_{assumption}")
    assert line != "param s" or symbol.is_positive is None


@pytest.mark.parametrize(
    ("text", "params", "message"),
    [
        ("param s > 0\ngaussian(s)", {"s": 0}, "parameter 's' must be > 0, not 0"),
        ("param s > 0\ngaussian()", {"s": -1}, "parameter 's' must be > 0, not -1"),
        ("param s <= 2\ngaussian(s)", {"s": 2.5}, "parameter 's' must be <= 2, not 2.5"),
        ("param s < pi\ngaussian(s)", {"s": 4}, "parameter 's' must be < 3.14159, not 4"),
        ("param scale = 1\ngaussian(scale)", {"scal": 1}, "the spec has no parameter 'scal'; did you mean 'scale'?"),
        ("param s = 1\ngaussian(s)", {"qqq": 1}, "the spec has no parameter 'qqq'; it has s"),
        ("gaussian()", {"s": 1}, "the spec has no parameter 's'; it has none"),
        ("param s = 1\ngaussian(s)", {"s": "two"}, "parameter 's' must be a finite number, not 'two'"),
        ("param s = 1\ngaussian(s)", {"s": float("nan")}, "parameter 's' must be a finite number, not nan"),
        ("param s = 1\ngaussian(s)", {"s": None}, "parameter 's' must be a finite number, not None"),
    ],
)
def test_values_that_are_refused(text: str, params: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        ks.parse(text, params)
    assert caught.value.message == message


def test_the_edge_of_a_closed_range_is_in_it() -> None:
    assert ks.parse("param s >= 2\ngaussian(s)", {"s": 2}).params == {"s": 2.0}


@pytest.mark.parametrize("name", ["x", "y", "omega", "x_1", "omega_age"])
def test_a_free_parameter_is_not_mistaken_for_a_coordinate(name: str) -> None:
    text = f"param {name} > 0\ngaussian(scale={name})"
    with pytest.raises(ParameterError, match="its name is that of a coordinate in the formulas"):
        ks.analyze(text, dim=1).kernel  # noqa: B018
    assert ks.analyze(ks.parse(text, {name: 2}), dim=1).k0 == 1
