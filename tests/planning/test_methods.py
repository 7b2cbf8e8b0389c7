"""The names of the methods."""

from __future__ import annotations

from typing import get_args

from kernelspec.numerics.phasor import Form
from kernelspec.planning.methods import FORMS, METHODS, SCHEMES, Method


def test_methods() -> None:
    assert ("auto", *FORMS, *SCHEMES) == METHODS
    assert get_args(Form) == FORMS
    assert get_args(Method) == METHODS
