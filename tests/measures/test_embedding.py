"""Selections of columns: zeros elsewhere, order, atoms, densities."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.stats import norm

from kernelspec.errors import NoDensityError
from kernelspec.random.streams import Stream
from tests.measures import oracles as o

CASES = [
    ("gaussian()[0]", 2, lambda t: o.gaussian()(t[:, :1])),
    ("laplace(2)[-1]", 7, lambda t: o.laplace(2)(t[:, -1:])),
    ("cosine([1, 2])[2, 0]", 3, o.cosine([2, 0, 1])),
    ("gaussian()[0:2]*periodic(2)[1:3]", 3, lambda t: o.gaussian()(t[:, :2]) * o.periodic(2)(t[:, 1:])),
    ("(laplace()[1] + cauchy())[1:4]", 7, lambda t: o.laplace()(t[:, 2:3]) + o.cauchy()(t[:, 1:4])),
    ("stretch(triangle(3)[1], [[1, 1], [1, -1]])", 2, lambda t: o.triangle(3)(t[:, :1] - t[:, 1:])),
]


@pytest.mark.long
@pytest.mark.parametrize(("text", "dim", "oracle"), CASES, ids=[case[0] for case in CASES])
def test_measure_is_that_of_the_kernel(text: str, dim: int, oracle: o.Oracle) -> None:
    o.assert_same_function(text, dim, oracle)
    o.assert_draws_follow(text, dim, oracle)
    o.assert_prefix_stable(text, dim)


def test_other_columns_have_frequency_zero() -> None:
    omega = o.measure_of_text("laplace()[2, 0]", 4).sample(Stream(0), 100)
    assert (omega[:, [1, 3]] == 0).all()
    assert (omega[:, [0, 2]] != 0).all()


def test_no_density_where_a_column_is_ignored() -> None:
    measure = o.measure_of_text("gaussian()[0]", 2)
    with pytest.raises(NoDensityError, match="ignores a column"):
        measure.density(np.zeros((1, 2)))
    first, second = o.frequency_symbols(2)
    expected = sympy.exp(-(first**2) / 2) / sympy.sqrt(2 * sympy.pi) * sympy.DiracDelta(second)
    assert sympy.simplify(o.expression_of("gaussian()[0]", 2) - expected) == 0


def test_columns_in_another_order_keep_the_density() -> None:
    omega = np.random.default_rng(1).normal(size=(4, 2))
    expected = norm.pdf(omega[:, 1], scale=1) * norm.pdf(omega[:, 0], scale=1 / 3)
    found = o.measure_of_text("stretch(gaussian(), [1, 3])[1, 0]", 2).density(omega)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    o.assert_expression_is_density("stretch(gaussian(), [1, 3])[1, 0]", 2)


def test_second_moment_counts_the_selected_columns() -> None:
    measure = o.measure_of_text("cauchy(2)[0, 2]", 3)
    assert float(measure.second_moment()) == pytest.approx(2 * 2 / 4)
    assert float(measure.second_moment(np.array([1.0, 10.0, 3.0]))) == pytest.approx((1 + 9) * 2 / 4)
    assert float(measure.second_moment(np.array([[1.0, 5.0, 1.0]]))) == pytest.approx(2 * 2 / 4)


def test_atoms_are_embedded() -> None:
    atoms = o.measure_of_text("cosine(2)[1]", 3).atoms()
    assert sorted(atoms.points.tolist()) == [[0, -2, 0], [0, 2, 0]]
    assert o.measure_of_text("gaussian()[1]", 3).atoms() is None


def test_description_is_that_of_the_part() -> None:
    assert o.measure_of_text("gaussian()[1]", 3).describe() == "gaussian(scale=1): N(0, σ⁻² I)"
