"""Work that is counted, and the one door to compiled quadrature."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import pytest

import kernelspec
from kernelspec.errors import NoDensityError, NotFiniteError
from kernelspec.expressions.integrals import cosine_integral_between
from kernelspec.limits import counted_work, spend
from kernelspec.measures.masses import affordable_ratio
from tests.measures.test_masses import measure_of_text


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


WANTED = {"absolute": 1e-12, "relative": 1e-12}


def test_a_cosine_integral() -> None:
    found = cosine_integral_between(lambda t: math.exp(-t), 0, 50, 3, **WANTED)
    assert found == pytest.approx(1 / 10, abs=1e-12)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_number_that_is_not_finite_goes_in(value: float) -> None:
    with pytest.raises(NotFiniteError, match="integrand of a quadrature is"):
        cosine_integral_between(lambda t: value if t > 1 else 1.0, 0, 2, 3, **WANTED)
    with pytest.raises(NotFiniteError, match="upper limit"):
        cosine_integral_between(lambda t: 1.0, 0, value, 3, **WANTED)
    with pytest.raises(NotFiniteError, match="frequency"):
        cosine_integral_between(lambda t: 1.0, 0, 2, value, **WANTED)


@pytest.mark.long
def test_there_is_no_other_door() -> None:
    """SciPy's compiled quadrature is imported in one module alone."""
    package = Path(kernelspec.__file__).parent
    doors = []
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            doors += [path.name for name in names if name.startswith("scipy.integrate")]
    assert doors == ["integrals.py"]
