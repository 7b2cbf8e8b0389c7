"""The names of the ways to plan features."""

from __future__ import annotations

from typing import get_args

import pytest

import kernelspec as ks
from kernelspec.errors import PlanError
from kernelspec.laws.rules import DRAWS, SCHEMES
from kernelspec.numerics.phasor import Form
from kernelspec.planning.methods import ANCHORED, DRAW_NAMES, FORMS, METHODS


def test_methods() -> None:
    schemes = METHODS[1 + len(FORMS) : -len(ANCHORED)]
    assert ("auto", *FORMS, *schemes, *ANCHORED) == METHODS
    assert ("auto", "independent", *DRAWS) == DRAW_NAMES
    assert get_args(Form) == FORMS
    assert set(schemes) == set(SCHEMES)
    assert list(schemes) == sorted(schemes)
    assert len(set(METHODS)) == len(METHODS)


def test_a_name_that_is_no_method_is_refused() -> None:
    with pytest.raises(PlanError, match="method"):
        ks.compile("gaussian()", dim=2, method="pared")
