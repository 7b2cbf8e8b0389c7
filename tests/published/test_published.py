"""What is asked for to reproduce papers: what may be asked."""

from __future__ import annotations

from typing import Any

import pytest

import kernelspec as ks
from kernelspec.errors import PlanError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"masses": "guessed"}, "masses must be 'exact' or 'estimated', not 'guessed'"),
        ({"n_rows_for_masses": 1}, "n_rows_for_masses must be at least 2, not 1"),
        ({"n_rows_for_masses": 2.5}, "n_rows_for_masses must be a whole number, not 2.5"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        ks.Published(**options)


def test_nothing_asked_for_changes_nothing() -> None:
    plain, asked = (ks.compile("laplace()", dim=2, n_features=8, published=own).plan for own in (None, ks.Published()))
    assert plain == asked
    assert plain.unbiased
