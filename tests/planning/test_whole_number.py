"""Whole numbers that a caller gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernelspec.errors import PlanError
from kernelspec.planning.methods import whole_number


@pytest.mark.parametrize("given", [3, np.int16(3), np.uint64(3), True + 2])
def test_whole_numbers_become_ints(given: Any) -> None:
    assert type(whole_number("n", given, 3, 3)) is int
    assert whole_number("n", given, 3, 3) == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (2, "n must be at least 3, not 2"),
        (4001, "n must be at most 4,000, not 4,001"),
        (3.0, "n must be a whole number, not 3.0"),
        ("3", "n must be a whole number, not '3'"),
        (None, "n must be a whole number, not None"),
    ],
)
def test_others_are_refused(given: Any, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        whole_number("n", given, 3, 4000)
