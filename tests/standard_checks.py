"""Checks that hold for a whole family, as parameters of one test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

__all__ = ["check_parameters"]


def check_parameters(checks: Iterable[Callable[..., None]]) -> list[Any]:
    """One parameter for every check, with its name; a check that is marked, as slow for one, marks its cases."""
    return [pytest.param(each, id=each.__name__, marks=getattr(each, "pytestmark", ())) for each in checks]
