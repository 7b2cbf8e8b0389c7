"""Every number system offers what the protocols ask for."""

from __future__ import annotations

import pytest

from kernelspec.measures.algebra.exact_numbers import ExactNumbers
from kernelspec.measures.algebra.numbers import Arithmetic, Coefficients, MultiprecisionNumbers, PlainNumbers
from kernelspec.measures.algebra.tracked_numbers import TrackedNumbers


def operations(protocol: type) -> set[str]:
    return {name for name in vars(protocol) if not name.startswith("_")}


@pytest.mark.parametrize("system", [ExactNumbers(), PlainNumbers(), MultiprecisionNumbers(30), TrackedNumbers()])
def test_arithmetic(system: object) -> None:
    assert all(callable(getattr(system, name, None)) for name in operations(Arithmetic))


@pytest.mark.parametrize("system", [ExactNumbers(), MultiprecisionNumbers(30)])
def test_coefficients(system: object) -> None:
    assert all(callable(getattr(system, name, None)) for name in operations(Coefficients))
