"""Measures on several columns taken apart column by column."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.measures.algebra.closed_density import column_terms, mirrored
from kernelspec.measures.algebra.pieces import NotClosed
from tests.measures.algebra.referees import measure_of_text


@pytest.mark.parametrize(
    "text",
    [
        "gaussian()*laplace()",
        "sinh_gaussian(by=[1, 0.5])*triangle()",
        "gaussian()[0]*laplace()[1]*shift_gaussian(by=[0.5, 1])",
        "stretch(shift(laplace(), [1, 2]), [2, 3])*cauchy()",
        "(gaussian() + 2*laplace())*tilt(laplace(), by=[0.5, 0.1])",
    ],
)
def test_the_terms_add_to_the_measure(text: str) -> None:
    measure = measure_of_text(text, 2)
    lags = np.array([[0.3, -0.2], [1.0, 0.4]])
    found = sum(
        float(weight) * np.prod([part.characteristic_function(lags[:, [i]]) for i, part in enumerate(parts)], axis=0)
        for weight, parts in column_terms(measure)
    )
    np.testing.assert_allclose(found, measure.characteristic_function(lags), rtol=1e-12)


@pytest.mark.parametrize("text", ["exponential()*laplace()", "gaussian()[0]*laplace()[0]"])
def test_dependent_and_empty_columns(text: str) -> None:
    with pytest.raises(NotClosed, match="column"):
        column_terms(measure_of_text(text, 2))


@pytest.mark.parametrize("text", ["laplace()*sinh_gaussian(by=1)", "shift_gaussian(by=1)", "cauchy()"])
def test_the_mirrored_measure(text: str) -> None:
    measure, lags = measure_of_text(text, 1), np.array([[0.3], [-1.2]])
    back = mirrored(measure)
    assert back is not None
    np.testing.assert_allclose(back.characteristic_function(lags), measure.characteristic_function(-lags), rtol=1e-14)


def test_the_mirrored_measure_of_others() -> None:
    assert mirrored(measure_of_text("laplace()*shift(laplace(), 1)", 1)) is None
