"""Work that is counted instead of timed."""

from __future__ import annotations

import pytest

from kernelspec.errors import NoDensityError
from kernelspec.special.counted_work import counted_work, spend
from kernelspec.spectrum.mass_integrals import affordable_draws
from tests.spectrum.test_mass_integrals import measure_of_text


def test_what_is_spent_is_counted_for_all_who_count() -> None:
    spend(1e9)  # nobody counts
    with counted_work() as outer:
        spend(1e6)
        with counted_work() as inner:
            spend(2e6)
        spend(4e6)
    assert (inner.done, outer.done) == (2.0, 7.0)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("2 * gaussian() - laplace()", 1 << 16),
        ("polya(lognormal(mu=2, sigma=2), area=0.5) - laplace()", 1 << 15),
        ("product(t -> exp(-2*t**0.5)) - laplace()", 1 << 10),
    ],
)
def test_draws_are_as_many_as_their_work_allows_whenever_they_are_counted(text: str, most: int) -> None:
    measure, _ = measure_of_text(text, 2)
    found = {affordable_draws(measure) for _ in range(2)}
    assert len(found) == 1
    assert found.pop() <= most


def test_densities_that_would_take_minutes_are_left_open() -> None:
    measure, _ = measure_of_text("modulate(shift(product(t -> exp(-2*t**0.5)), by=[1000, 1000]), by=1)", 2)
    with pytest.raises(NoDensityError, match="takes long"):
        affordable_draws(measure)
