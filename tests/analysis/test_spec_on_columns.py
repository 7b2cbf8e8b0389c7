"""One spec in symbols and in numbers."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import kernelspec as ks
from kernelspec.analysis.gram import Reading
from kernelspec.errors import DimensionError, ParameterError


def test_both_readings_are_one_kernel() -> None:
    spec = ks.parse("param s = sqrt(2)/2\ngaussian(scale=s*d)")
    reading = Reading(spec, spec.columns(3))
    assert reading._symbolic.scale == 3 * sympy.sqrt(2) / 2
    assert reading._numeric.scale == pytest.approx(3 * np.sqrt(0.5), rel=1e-15)


def test_the_number_of_columns_is_needed_for_numbers_only() -> None:
    spec = ks.parse("gaussian()")
    reading = Reading(spec, spec.columns())
    assert reading._symbolic.dim == sympy.Symbol("d", integer=True, positive=True)
    with pytest.raises(DimensionError, match="the number of columns is needed here"):
        _ = reading._measure


def test_columns_by_name_are_the_symbols() -> None:
    facts = ks.analyze('gaussian()[age]*laplace()["net income"]')
    names = {symbol.name for symbol in facts.kernel.free_symbols}
    assert names == {"x_age", "y_age", "x_net income", "y_net income"}


def test_free_parameters_stay_in_the_answers() -> None:
    facts = ks.analyze("param s > 0\nparam w > 0\nw*laplace(scale=s) + gaussian(scale=s)", dim=1)
    s, w = sympy.symbols("s w", positive=True)
    assert facts.k0 == w + 1
    assert facts.masses.total_variation == w + 1
    assert {s, w} <= facts.variance["paired"].free_symbols
    assert {s, w} <= facts.spectral_density.free_symbols
    with pytest.raises(ParameterError):
        facts.spectral_density_at([[0.0]])
