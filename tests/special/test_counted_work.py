"""Work that is counted instead of timed."""

from __future__ import annotations

import pytest

from kernelspec.errors import NoDensityError
from kernelspec.measures.masses import affordable_ratio
from kernelspec.special.quadrature import counted_work, spend
from tests.spectrum.test_mass_integrals import measure_of_text


def test_what_is_spent_is_counted_for_all_who_count() -> None:
    spend(1e9)  # nobody counts
    with counted_work() as outer:
        spend(1e6)
        with counted_work() as inner:
            spend(2e6)
        spend(4e6)
    assert (inner.done, outer.done) == (2.0, 7.0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "draws"), [("2 * gaussian() - laplace()", 1 << 16), ("product(t -> exp(-2*t**0.5)) - laplace()", 1 << 9)]
)
def test_draws_are_as_many_as_their_work_allows(text: str, draws: int) -> None:
    measure, _ = measure_of_text(text, 2)
    assert len(affordable_ratio(measure)[1]) == draws


def test_densities_that_would_take_minutes_are_left_open() -> None:
    measure, _ = measure_of_text("modulate(shift(product(t -> exp(-2*t**0.5)), by=[1000, 1000]), by=1)", 2)
    with pytest.raises(NoDensityError, match="takes long"):
        affordable_ratio(measure)
