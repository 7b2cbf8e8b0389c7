"""What is asked for: a size or an error (its messages are tested where they are raised, in test_fewest_entries.py)."""

from __future__ import annotations

import pytest

from kernelspec.errors import PlanError
from kernelspec.planning.target import Target, budget_or_target


def test_sizes_and_errors() -> None:
    assert budget_or_target(12, None, None, 0.99, 100, has_data=False) == 12
    assert budget_or_target("auto", 0.02, None, 0.99, 100, has_data=True) == Target(0.02)
    assert budget_or_target("auto", None, 0.05, 0.9, 100, has_data=True) == Target(0.05, 0.9)
    assert Target(0.05, 0.9).argument == "pointwise=0.05"
    with pytest.raises(PlanError, match="n_features must be at most 100, not 101"):
        budget_or_target(101, None, None, 0.99, 100, has_data=False)
